/** From the text of a brief to its trades and services, before any world is made of them. */
import type { Evidence } from '../../../artifacts/world.js';
import { TreadleError } from '../../../errors.js';
import type { Rng } from '../../../kit/rng.js';
import { archetypeIds } from '../archetype.js';
import { tiesTo } from '../invariants.js';
import { markDenials } from './denial.js';
import { industryOf, isUnder } from './industry.js';
import { guessLanguage, type LanguageGuess } from './language.js';
import { hearWishes, selectServices } from './services.js';
import { type BriefText, readText } from './text.js';
import { guessTrades, type TradeMatch, tradeOfIndustry, tradeOfService } from './trade.js';
import { widen } from './widen.js';

/** What the caller fixes, whatever the text says. */
export interface Pins {
  /** ISO 3166-1 alpha-2. */
  country?: string | undefined;
  /** NAICS code. */
  industry?: string | undefined;
  /** Archetype ids, in place of the selection. */
  archetypes?: readonly string[] | undefined;
}

const ONE_STRONG_WORD = 1;

/** Reads a brief, with what its words may mean besides. Throws `empty_brief` and `unreadable_brief`. */
export const readBrief = (text: string): { brief: BriefText; language: LanguageGuess } => {
  if (text.trim() === '')
    throw new TreadleError({
      code: 'empty_brief',
      message: 'The brief is empty',
      value: text.slice(0, 20),
      next: 'Say in a sentence what the company does, for example: a bakery with 3 shops in Lyon.',
    });
  const brief = readText(text);
  if (!brief.tokens.some(({ word }) => /\p{L}/u.test(word)))
    throw new TreadleError({
      code: 'unreadable_brief',
      message: 'The brief has no words in it',
      value: text.trim().slice(0, 40),
      next: 'Say in a sentence what the company does.',
    });
  const language = guessLanguage(brief);
  markDenials(brief, language.code);
  return { brief: widen(brief, language.code), language };
};

/** The trades a brief names, or the caller's industry; where it names none, the sector of the service that it asks for most. */
export const tradesOf = (brief: BriefText, pinned: string | undefined): TradeMatch[] => {
  const named = guessTrades(brief);
  if (pinned) {
    const code = industryOf(pinned).naics;
    const own = named.filter(({ trade }) => isUnder(trade.naics, code.includes('-') ? code : code.slice(0, 2)));
    return own.length > 0 ? own : tradeOfIndustry(code, ['the industry that was pinned']);
  }
  if (named.length > 0) return named;
  const [most] = hearWishes(brief, [], archetypeIds()).wishes;
  return most && most.score >= ONE_STRONG_WORD ? tradeOfService(most.archetype, most.because) : [];
};

export const servicesFor = (
  brief: BriefText,
  trades: readonly TradeMatch[],
  pins: Pins,
  draw: Rng,
): { archetypes: string[]; evidence: Evidence[] } => {
  if (pins.archetypes && pins.archetypes.length > 0)
    return {
      archetypes: [...new Set(pins.archetypes)],
      evidence: pins.archetypes.map((id) => ({
        choice: `service ${id}`,
        because: 'pinned by the caller',
        kind: 'note',
      })),
    };
  const known = archetypeIds();
  return selectServices(hearWishes(brief, trades, known), known, tiesTo, draw.stream('services'));
};
