/** From a brief in plain words to world drafts; every decision is in the evidence. */
import type { Evidence } from '../../artifacts/world.js';
import { sha256 } from '../../kit/hash.js';
import { rng } from '../../kit/rng.js';
import { snake } from '../../kit/words.js';
import type { WorldDraft } from '../draft.js';
import { answersFor } from './brief/answers.js';
import { clausesOf } from './brief/clauses.js';
import { drawClock } from './brief/clock.js';
import { drawCompany } from './brief/company.js';
import { guessCountry } from './brief/country.js';
import { countsIn } from './brief/counts.js';
import { cues, words } from './brief/data.js';
import type { LanguageGuess } from './brief/language.js';
import { hasPhrase } from './brief/phrase.js';
import { type Pins, readBrief, servicesFor, tradesOf } from './brief/reading.js';
import { type BriefText, fold, MAX_CONSIDERED } from './brief/text.js';
import type { TradeMatch } from './brief/trade.js';
import { assembleWorld } from './world.js';

export type { Pins };

export interface BriefOptions {
  seed: string;
  pins?: Pins | undefined;
}

const remarks = (brief: BriefText, text: string, language: LanguageGuess): Evidence[] => {
  const out: Evidence[] = [];
  if (brief.truncated)
    out.push({
      choice: `the first ${MAX_CONSIDERED} of ${text.length} characters`,
      because: 'a longer brief is cut; say the rest in a second world, or shorter',
      kind: 'note',
    });
  if (language.code !== 'en' && language.code !== 'und')
    out.push({
      choice: `language ${language.name}`,
      because: words()[language.code]
        ? 'read by its words for common kinds of business; tools and texts are in English'
        : 'few words of this language are known here: what is not recognised becomes a default, said as such',
      kind: 'note',
    });
  if (cues().orders.some((order) => hasPhrase(brief, order)))
    out.push({
      choice: 'orders in the text are ignored',
      because: 'a brief describes a business; it gives no orders to this program',
      kind: 'note',
    });
  return out;
};

const standIns = (brief: BriefText, chosen: readonly string[]): Evidence[] =>
  cues().stand_ins.flatMap(({ cues: texts, says, with: stand }) => {
    const heard = texts.filter((text) => hasPhrase(brief, text));
    if (heard.length === 0 || (stand.length > 0 && !stand.some((id) => chosen.includes(id)))) return [];
    return [
      { choice: says, because: heard.map((text) => `"${text.replaceAll('*', '')}"`).join(', '), kind: 'note' as const },
    ];
  });

/** Where no kind of business is known by the text's words: what stands in for it. */
const nearest = (trades: readonly TradeMatch[], chosen: readonly string[], brief: BriefText): Evidence[] =>
  trades.length > 0
    ? []
    : [
        {
          choice: `nothing here is made for "${(clausesOf(brief.raw)[0]?.text ?? brief.raw).slice(0, 80)}"`,
          because: `the nearest there is was taken: ${chosen.join(', ')}; pin the services or the industry to choose others`,
          kind: 'note',
        },
      ];

/**
 * A world draft of a brief: company, 2-5 trade services beside the core, dialects, links, rules, processes, each choice with its
 * evidence. Deterministic in (text, seed, pins). Throws `empty_brief`, `unreadable_brief`, and `unknown_country`,
 * `unknown_industry`, `unknown_archetype` for pins.
 */
export const authorFromBrief = (text: string, options: BriefOptions): WorldDraft => {
  const { brief, language } = readBrief(text);
  const pins = options.pins ?? {};
  const key = sha256(`${options.seed}\u0000${brief.raw}\u0000${JSON.stringify(pins)}`);
  const draw = rng(options.seed, 'brief', sha256(brief.raw));
  const trades = tradesOf(brief, pins.industry);
  const where = guessCountry(brief, language.code);
  const { company, evidence } = drawCompany({
    brief,
    where,
    language: language.code,
    trade: trades[0],
    pins,
    rng: draw.stream('company'),
  });
  const services = servicesFor(brief, trades, pins, draw);
  const world = assembleWorld(services.archetypes, company, draw.stream('world'));
  const clock = drawClock(draw.stream('clock'));
  const domain = world.services.filter(({ role }) => role === 'domain').map(({ spec }) => spec);
  const counted = countsIn(brief, domain);
  for (const { service, table, rows } of counted.counted) {
    const own = domain.find(({ id }) => id === service)?.tables[table];
    if (own) own.rows = rows;
  }
  const decided = [...evidence, ...services.evidence];
  return {
    id:
      `${snake(fold(company.domain.replace('.example', ''))).replace(/^[^a-z]+/, '') || 'world'}`.slice(0, 40) +
      `_${key.slice(0, 8)}`,
    company,
    brief: {
      text: brief.raw,
      evidence: [
        ...remarks(brief, text, language),
        ...evidence,
        ...services.evidence,
        ...standIns(brief, services.archetypes),
        ...nearest(trades, services.archetypes, brief),
        ...answersFor(brief, decided, counted, domain, world.policies),
        ...world.evidence,
      ],
    },
    clock,
    seed: `${options.seed}/${key.slice(0, 16)}`,
    services: world.services,
    links: world.links,
    policies: world.policies,
    invariants: world.invariants,
    processes: world.processes,
  };
};

/** `count` different worlds of one brief: seeds `<seed>/1`, `<seed>/2` and so on. */
export const authorWorlds = (text: string, options: BriefOptions & { worlds: number }): WorldDraft[] =>
  Array.from({ length: options.worlds }, (_, i) =>
    authorFromBrief(text, { seed: `${options.seed}/${i + 1}`, pins: options.pins }),
  );
