/** Which archetypes a brief asks for, which it refuses, and which fill the rest. */
import type { Evidence } from '../../../artifacts/world.js';
import type { Rng } from '../../../kit/rng.js';
import { archetype as archetypeOf } from '../archetype.js';
import { cues } from './data.js';
import { likenessOf } from './likeness.js';
import { findPhrase, modifies, precededBy } from './phrase.js';
import type { BriefText } from './text.js';
import { family, type TradeMatch } from './trade.js';

export const MOST_SERVICES = 5;
export const FEWEST_SERVICES = 2;
/**
 * What a service needs to be taken for asked for, beside what a trade lends it (3, 2 or 1). The proportions are those of a logistic
 * regression over the sets of bench/ that were tuned on: 0.978 of must_have on folds held out, where 0.3 is taken for enough.
 */
const ASKED = 1.64;
const STRONG = 1.08;
const WEAK = 0.44;
/** What a brief's likeness to an archetype's own text adds, at most, and from where it speaks for itself. */
const LIKE = 0.1;
/** What a trade still says of a brief that is of one of its departments. */
const ASIDE = 0.3;
/** What a second trade of another sector lends a service of its own, where the text has words for the service and where not. */
const HEARD_FAR = 0.8;
const FAR = 0.5;
/** Weight of what a trade cannot do without. */
const CORE = 3;
const LIVES_BY = 2.9;
const MOST_LIKE = 2;
const LEAST_LIKE = 1;
/** So many services are taken because a single word names each; beyond, more must speak for one. */
const WELL_FILLED = 4;
const NUDGE = 0.01;
const MOST_NUDGE = 0.15;

/** What refuses besides the words of denial.ts. */
const REFUSAL = [
  'skip',
  'leave out',
  'exclude',
  'excluding',
  'except',
  'no need for',
  'not need',
  'dont need',
  'dont want',
];
const OUT_OF_SCOPE = ['out of scope', 'not in scope', 'outside the scope', 'nicht im umfang', 'hors perimetre'];

export interface Wish {
  archetype: string;
  score: number;
  /** Usual for the trade, or named outright: may be drawn when not asked for. */
  likely: boolean;
  because: string[];
  /** A word that asks for it by itself was heard. */
  named: boolean;
}
export interface Wishes {
  wishes: Wish[];
  refused: Wish[];
}

/** Tokens from `at` to the end of its sentence. */
const sentenceEnd = (brief: BriefText, at: number): number => {
  let end = at;
  while (end < brief.tokens.length && !brief.tokens[end]?.start) end += 1;
  return end;
};

/** What may follow the name of something refused; another noun would make it something else: `no claims visits`. */
const AFTER_NAME =
  /^(please|needed|here|software|systems?|modules?|side|stuff|part|required|wanted|that|this|because|since|with|from|they|them|yet|thanks?|either|anymore|whatsoever|though|only|functions?|features?|services?|tools?|department|work|today|now)$/;
const LONG_WORD = 4;

const isWhole = (brief: BriefText, to: number): boolean => {
  const next = brief.tokens[to];
  return (
    !next ||
    next.start ||
    next.pause === true ||
    next.origin !== undefined ||
    !/^[a-z]+$/.test(next.word) ||
    next.word.length < LONG_WORD ||
    AFTER_NAME.test(next.word)
  );
};

const refusedBy = (brief: BriefText, names: readonly string[]): string | undefined => {
  for (const name of names)
    for (const { from, to: end } of findPhrase(brief, name)) {
      if (!isWhole(brief, end) && brief.tokens[from]?.alts === undefined) continue;
      if (brief.tokens[from]?.denied === 'refused') return `"no ${name}"`;
      const before = precededBy(brief, from, REFUSAL, 1);
      if (before) return `"${before} ... ${name}"`;
      for (const scope of OUT_OF_SCOPE)
        for (const { to } of findPhrase(brief, scope))
          if (from >= to && from < sentenceEnd(brief, to)) return `"${scope}: ... ${name}"`;
    }
  return undefined;
};

/** The phrases heard, each word of the brief counted once. */
const heard = (brief: BriefText, texts: readonly string[], taken: Set<number>): string[] =>
  texts.filter((text) => {
    const found = findPhrase(brief, text).find(
      ({ from, to }) =>
        from === to ||
        (!brief.tokens[from]?.denied &&
          !Array.from({ length: to - from }, (_, i) => from + i).some((at) => taken.has(at))),
    );
    for (let at = found?.from ?? 0; at < (found?.to ?? 0); at++) taken.add(at);
    return found !== undefined;
  });

const bare = (text: string): string => text.replaceAll('*', '');

/** Sectors in which an archetype is met beside those that it names. */
const ALSO_IN: Record<string, readonly string[]> = {
  asset_finance: ['44', '61', '71', '72', '81'],
  equipment_rental: ['44', '61', '71', '72', '81'],
  payments_gateway: ['44', '71', '72', '81'],
  facilities: ['31', '48', '61', '62', '71', '72', '81'],
  fleet: ['22', '42', '44', '62', '81'],
  shipping: ['31', '54', '11'],
  warehouse: ['31', '44'],
  inventory: ['11', '21', '61', '62', '71', '81', '48', '56'],
  order_mgmt: ['11', '21', '51', '72'],
  nonprofit_donors: ['61', '62', '71', '92', '54'],
  veterinary: ['11', '71', '81'],
  event_mgmt: ['72', '81', '51'],
  lending: ['45'],
  library: ['71', '92'],
  manufacturing: ['11', '45'],
  education_sis: ['71', '81'],
  field_service: ['51', '44', '42'],
  point_of_sale: ['71', '81', '11', '31'],
};
/** What a business that lives by the first has in its stead: a vet's patients are no clinic's. */
const IN_STEAD: Record<string, readonly string[]> = {
  veterinary: ['clinical_scheduling', 'ehr', 'medical_claims'],
  laundry_personal: ['clinical_scheduling', 'ehr'],
  security_ops: ['security_guard'],
  gaming_ops: ['sports_league'],
  collections_mgmt: ['lending'],
  crypto_custody: ['mining_ops'],
  funeral_services: ['clinical_scheduling', 'travel_booking'],
};
/** Whether the first trade lives by something that a service would double. */
const doubled = (archetype: string, matches: readonly TradeMatch[]): boolean =>
  Object.entries(IN_STEAD).some(
    ([core, others]) => others.includes(archetype) && (matches[0]?.trade.services[core] ?? 0) >= LIVES_BY,
  );

/** Whether an archetype is at home in the sector of one of the trades, or in any. */
const usualIn = (id: string, matches: readonly TradeMatch[]): boolean => {
  const sectors = [...archetypeOf(id).sectors, ...(ALSO_IN[id] ?? [])];
  return (
    sectors.includes('*') || matches.some(({ trade }) => sectors.some((code) => family(trade.naics).includes(code)))
  );
};

/** Scores every archetype of `known` by the trade's prior and by the words of the brief. */
export const hearWishes = (brief: BriefText, matches: readonly TradeMatch[], known: readonly string[]): Wishes => {
  const best = matches[0]?.score ?? 1;
  // Where the trade is known, one word alone does not make a service likely.
  const sure = matches.length > 0 ? 2 : 1;
  const wishes: Wish[] = [];
  const refused: Wish[] = [];
  const alike = likenessOf(brief);
  const unknown = matches.length === 0;
  for (const archetype of known) {
    const words = cues().functions[archetype];
    const refusal = refusedBy(brief, words?.refuse ?? []);
    const core = matches[0]?.aside ? 0 : (matches[0]?.trade.services[archetype] ?? 0);
    // `law firm, no litigation` is still a law firm.
    if (refusal && core < CORE) {
      refused.push({ archetype, score: 0, likely: false, named: false, because: [refusal] });
      continue;
    }
    if (doubled(archetype, matches)) continue;
    const because: string[] = [];
    const taken = new Set<number>();
    const strong = heard(brief, words?.strong ?? [], taken);
    const weak = heard(brief, words?.weak ?? [], taken);
    const weight = strong.reduce((sum, text) => sum + (modifies(brief, text) ? WEAK : STRONG), 0);
    let prior = 0;
    const anywhere = archetypeOf(archetype).sectors.includes('*');
    for (const { trade, score, aside } of matches) {
      const near = family(trade.naics).includes(matches[0]?.trade.naics.slice(0, 2) ?? '');
      // Of a trade of another sector only what the text speaks of itself: an insurer's garage is no car dealer.
      const far = near || anywhere || score === best ? 1 : strong.length + weak.length > 0 ? HEARD_FAR : FAR;
      const whole = (trade.services[archetype] ?? 0) * (score === best ? 1 : (0.5 + 0.5 * (score / best)) * far);
      const weight = aside ? whole * ASIDE : whole;
      if (weight > prior) prior = weight;
      if (trade.services[archetype]) because.push(`usual for ${trade.id.replaceAll('_', ' ')}`);
    }
    const said = Math.min(2.2, weight) + Math.min(0.88, weak.length * WEAK);
    const heardWords = [...strong, ...weak].slice(0, 4).map((word) => `"${bare(word)}"`);
    if (heardWords.length > 0) because.unshift(heardWords.join(', '));
    // Where a trade is known, likeness only tells apart what is as likely otherwise: measured, it says nothing more there.
    const like = alike.get(archetype) ?? { score: 0, says: [] };
    const alone = unknown ? Math.min(MOST_LIKE, like.score * LIKE) : Math.min(MOST_NUDGE, like.score * NUDGE);
    const speaks = unknown && alone >= LEAST_LIKE;
    if (heardWords.length === 0 && speaks)
      because.unshift(
        like.says
          .slice(0, 3)
          .map((word) => `"${word}"`)
          .join(', '),
      );
    if (prior + said > 0 || speaks)
      wishes.push({
        archetype,
        score: prior + said + alone,
        named: weight >= STRONG && usualIn(archetype, matches),
        likely: prior >= 1 || strong.length >= sure || speaks,
        because,
      });
  }
  wishes.sort((a, b) => b.score - a.score || (a.archetype < b.archetype ? -1 : 1));
  return { wishes, refused };
};

/** What any company may have beside its trade, with a weight. */
const COMMON: readonly (readonly [string, number])[] = [
  ['billing', 3],
  ['crm', 2],
  ['hr_core', 2],
  ['support_desk', 2],
  ['procurement', 1],
  ['project_mgmt', 1],
];

export interface Selection {
  archetypes: string[];
  evidence: Evidence[];
}

/** How many rules tie a candidate to the services chosen so far: a drawn service should have something to do with the rest. */
export type Ties = (candidate: string, chosen: readonly string[]) => number;

const TIE = 1.5;
const MOST_TIES = 3;

/** Two to five archetypes: all that are asked for, then seeded draws among what the trade often has, tied ones preferred. */
export const selectServices = (
  { wishes, refused }: Wishes,
  known: readonly string[],
  ties: Ties,
  rng: Rng,
): Selection => {
  const evidence: Evidence[] = [];
  const chosen: string[] = [];
  const no = new Set(refused.map(({ archetype }) => archetype));
  for (const { archetype, because } of refused)
    evidence.push({ choice: `no ${archetype}`, because: because.join('; '), kind: 'refused' });
  const take = (archetype: string, because: string, kind: Evidence['kind']): void => {
    chosen.push(archetype);
    evidence.push({ choice: `service ${archetype}`, because, kind });
  };
  for (const wish of wishes)
    if (chosen.length < MOST_SERVICES && (wish.score >= ASKED || (wish.named && chosen.length < WELL_FILLED)))
      take(wish.archetype, wish.because.join('; '), wish.because[0]?.startsWith('"') ? 'words' : 'prior');
  const tied = (pool: readonly (readonly [string, number])[]): (readonly [string, number])[] =>
    pool.map(([id, weight]) => [id, weight * (1 + TIE * Math.min(MOST_TIES, ties(id, chosen)))] as const);
  const left = wishes.filter(({ archetype, likely, score }) => !chosen.includes(archetype) && likely && score < ASKED);
  const wanted =
    chosen.length >= MOST_SERVICES
      ? 0
      : Math.max(FEWEST_SERVICES - chosen.length, rng.int(0, chosen.length >= 4 ? 1 : 2));
  const pool = left.map(({ archetype, score }) => [archetype, score] as const);
  for (let i = 0; i < wanted && pool.length > 0; i++) {
    const pick = rng.weighted(tied(pool));
    pool.splice(
      pool.findIndex(([archetype]) => archetype === pick),
      1,
    );
    take(pick, `drawn among ${left.length} that such a business often has`, 'draw');
  }
  const common = COMMON.filter(([id]) => known.includes(id) && !no.has(id) && !chosen.includes(id));
  while (chosen.length < FEWEST_SERVICES && common.length > 0) {
    const pick = rng.weighted(tied(common));
    common.splice(
      common.findIndex(([id]) => id === pick),
      1,
    );
    take(pick, 'the brief asks for too few services to make a world; drawn among what any company has', 'default');
  }
  const loose = (): boolean =>
    chosen.every(
      (id) =>
        ties(
          id,
          chosen.filter((other) => other !== id),
        ) === 0,
    );
  const helpful = [...pool.map(([id]) => id), ...common.map(([id]) => id)].filter((id) => ties(id, chosen) > 0);
  if (loose() && helpful.length > 0 && chosen.length < MOST_SERVICES)
    take(rng.pick(helpful), 'added because it shares rules with the others', 'draw');
  return { archetypes: chosen, evidence };
};
