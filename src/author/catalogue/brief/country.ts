/** Where the company is: names, cities, adjectives, money, laws, phone codes and the language, each with its weight. */
import { countries as worldCountries } from 'countries-list';
import type { Evidence } from '../../../artifacts/world.js';
import { languages, places } from './data.js';
import { type Found, findPhrase, precededBy } from './phrase.js';
import { type BriefText, fold } from './text.js';

export interface CountryGuess {
  code: string | undefined;
  city: string | undefined;
  evidence: Evidence[];
}

interface Hint {
  code: string;
  weight: number;
  says: string;
  at: number;
  city?: string;
}

/** A city says more of where a company is than a country's name, which may be a market. */
const WEIGHT = { name: 3.6, people: 4, city: 4.4, word: 3 } as const;
const TOKENS_OF_OPENING = 40;

interface Cue {
  text: string;
  code: string;
  kind: keyof typeof WEIGHT;
  shown: string;
}
let compiled: Cue[] | undefined;

const allCues = (): Cue[] => {
  if (compiled) return compiled;
  const out: Cue[] = [];
  for (const [code, data] of Object.entries(worldCountries)) {
    const name = (text: string): void => {
      if (text.length > 3) out.push({ text, code, kind: 'name', shown: text });
    };
    name(data.name);
    if (data.native !== data.name) name(data.native);
  }
  for (const [code, place] of Object.entries(places().countries)) {
    for (const text of place.names ?? []) out.push({ text, code, kind: 'name', shown: text });
    for (const text of place.people ?? []) out.push({ text, code, kind: 'people', shown: text });
    for (const text of place.cities) out.push({ text, code, kind: 'city', shown: text });
    for (const text of place.words ?? []) out.push({ text, code, kind: 'word', shown: text });
  }
  compiled = out;
  return out;
};

/** Customers, goods and cousins are elsewhere; the opening of a brief and "based in" speak of the company itself. */
const placeFactor = (brief: BriefText, found: Found, kind: Cue['kind']): number => {
  if (kind === 'word') return 1;
  if (found.from === found.to) return 1.2;
  const { near, far } = places();
  const opening = found.from < TOKENS_OF_OPENING ? 1.2 : 1;
  if (precededBy(brief, found.from, far, 1) || boundFor(brief, found.from)) return 0.25 * opening;
  return precededBy(brief, found.from, near) ? 1.3 * opening : opening;
};

const MARKET_WORDS = 6;

/** "ship planks to builders in Denmark and the UK": a place up to six words after `to`, in the same sentence, is a market. */
const boundFor = (brief: BriefText, at: number): boolean => {
  for (let i = at; i >= Math.max(0, at - MARKET_WORDS); i--) {
    if (i < at && /^(to|nach|vers|para|naar)$/.test(brief.tokens[i]?.word ?? '')) return true;
    if (brief.tokens[i]?.start) return false;
  }
  return false;
};

/** An ambiguous word names a place when it is typed with a capital and stands where a place would: after `in`, `near`, `around`. */
const typedAsName = (brief: BriefText, cue: Cue, found: readonly Found[]): boolean => {
  const folded = fold(cue.text).replaceAll('*', '');
  if (cue.kind === 'word' || !places().ambiguous.includes(folded)) return true;
  const capital = folded.charAt(0).toUpperCase() + folded.slice(1);
  const typed = brief.raw.includes(capital) || brief.raw === brief.raw.toLowerCase();
  return typed && (cue.kind === 'city' || found.some(({ from }) => precededBy(brief, from, places().near)));
};

const hintsOf = (brief: BriefText): Hint[] => {
  const ambiguous = new Set(places().ambiguous);
  const hints: Hint[] = [];
  for (const cue of allCues()) {
    const found = findPhrase(brief, cue.text);
    if (found.length === 0 || !typedAsName(brief, cue, found)) continue;
    const best = Math.max(...found.map((each) => placeFactor(brief, each, cue.kind)));
    const half = ambiguous.has(fold(cue.text)) ? 0.5 : 1;
    hints.push({
      code: cue.code,
      weight: WEIGHT[cue.kind] * best * half,
      says: cue.shown,
      at: found[0]?.from ?? 0,
      ...(cue.kind === 'city' ? { city: cue.shown } : {}),
    });
  }
  for (const [text, weights] of Object.entries(places().shared)) {
    const [first] = findPhrase(brief, text);
    if (!first) continue;
    for (const [code, weight] of Object.entries(weights))
      hints.push({ code, weight: weight * 1.2, says: text.replace('*', ''), at: first.from });
  }
  for (const [, digits] of brief.raw.matchAll(/\+(\d{1,3})[\s\d(-]{5,}/g))
    for (const [code, data] of Object.entries(worldCountries))
      if (data.phone.some((phone) => String(phone) === digits) && places().countries[code])
        hints.push({ code, weight: 3, says: `+${digits}`, at: 0 });
  return hints;
};

/** A city inside a longer matched name (York in New York) is not a hint of its own. */
const unshadowed = (hints: Hint[]): Hint[] =>
  hints.filter(
    (hint) =>
      !hints.some(
        (other) =>
          other !== hint &&
          other.says.length > hint.says.length &&
          fold(other.says)
            .split(/[\s-]+/)
            .includes(fold(hint.says)) &&
          Math.abs(other.at - hint.at) <= 3,
      ),
  );

const LEAST = 1.6;

/** The country a brief states or implies, and why; undefined where it does not say. */
export const guessCountry = (brief: BriefText, language: string): CountryGuess => {
  const hints = unshadowed(hintsOf(brief));
  const byLanguage = languages()[language]?.countries ?? {};
  const scores = new Map<string, number>();
  for (const { code, weight } of hints) scores.set(code, (scores.get(code) ?? 0) + weight);
  for (const [code, weight] of Object.entries(byLanguage)) scores.set(code, (scores.get(code) ?? 0) + weight);
  const ranked = [...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const [best, second] = ranked;
  if (!best || best[1] < LEAST || (second && best[1] - second[1] < 0.15))
    return { code: undefined, city: undefined, evidence: [] };
  const own = hints.filter((hint) => hint.code === best[0]).sort((a, b) => b.weight - a.weight || a.at - b.at);
  const said = own.map((hint) => `"${hint.says}"`).slice(0, 5);
  if (byLanguage[best[0]]) said.push(`the text is in ${languages()[language]?.name ?? language}`);
  const rival =
    second && second[1] > 1.5
      ? `; ${second[0]} was considered (${second[1].toFixed(1)} against ${best[1].toFixed(1)})`
      : '';
  const city = own
    .filter((hint) => hint.city)
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .find((hint) => hint.city)?.city;
  return {
    code: best[0],
    city,
    evidence: [{ choice: `country ${best[0]}`, because: `${said.join(', ')}${rival}`, kind: 'words' }],
  };
};
