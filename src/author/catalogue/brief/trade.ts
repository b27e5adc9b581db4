/** Which kinds of business a brief describes. */
import { type Trade, trades } from './data.js';
import { isUnder, nationalIndustries } from './industry.js';
import { closestIndustry } from './naics-index.js';
import { type Found, findPhrase, modifies, phraseOf, precededBy } from './phrase.js';
import type { BriefText } from './text.js';

export interface TradeMatch {
  trade: Trade;
  score: number;
  says: string[];
  /** The brief is of one department of such a business: what the whole runs on is not what it asks for. */
  aside?: boolean;
}

/** What comes first in a brief is most likely the business itself; the lead shrinks to nothing over so many words. */
const OPENING = 36;
const LEAD = 0.85;
/** Words after which a business is somebody else's: a customer's, a neighbour's, a former job. */
const OTHERS = [
  'to',
  'for',
  'from',
  'by',
  'with',
  'years in a',
  'clients are',
  'customers are',
  'near a',
  'near the',
  'next to',
  'behind the',
  'like a',
  'like the',
  'used to be',
  'used to',
  'was a',
];
/** "My friend who has a mine": the business of somebody the writer knows. */
const RELATION =
  /^(friend|friends|cousin|father|mother|brother|sister|uncle|neighbour|neighbor|nephew|wife|husband|grandfather)$/;
const RELATION_WORDS = 6;

const overlaps = (a: Found, b: Found): boolean => a.from < b.to && b.from < a.to;

const somebodyElses = (brief: BriefText, at: number): boolean => {
  for (let i = at; i >= Math.max(0, at - RELATION_WORDS); i--) {
    if (i < at && RELATION.test(brief.tokens[i]?.word ?? '')) return true;
    if (brief.tokens[i]?.start) return false;
  }
  return false;
};

/** How sure a translated word is of its trade. */
const TRANSLATED = 0.85;

const LATER = 0.88;

/** Where the first statement ends, one of at least three words: it says what the business is, the next ones what goes on there. */
const firstStatement = (brief: BriefText): number => {
  const at = brief.tokens.findIndex(({ start, pause }, i) => i >= 3 && (start || pause));
  return at < 0 ? brief.tokens.length : at;
};

const weigh = (brief: BriefText, found: Found): number => {
  const words = found.to - found.from;
  const first = brief.tokens[found.from];
  const origin = first?.origin;
  const opening = LEAD * Math.max(0, 1 - (origin ?? found.from) / OPENING);
  const long = words >= 2 ? 0.4 : 0;
  const joined =
    /^(and|or|und|et|y|e|en)$/.test(brief.tokens[found.from - 1]?.word ?? '') &&
    precededBy(brief, found.from - 2, OTHERS, 0) !== undefined;
  const theirs = precededBy(brief, found.from, OTHERS, 1) !== undefined || joined || somebodyElses(brief, found.from);
  const others = found.from > 0 && theirs ? 0.5 : 1;
  const denied = first?.denied ? 0.2 : 1;
  return (
    (1 + opening + long) *
    others *
    denied *
    (origin === undefined ? 1 : TRANSLATED) *
    ((origin ?? found.from) < firstStatement(brief) ? 1 : LATER)
  );
};

interface Hit {
  cue: string;
  at: Found;
  weight: number;
}

interface TradeHits {
  trade: Trade;
  barred: Found[];
  /** By cue: where it stands. */
  found: [string, Found[]][];
}

/** Cues by the word that they begin with, so that only those are tried whose first word is there. */
interface CueIndex {
  exact: Map<string, [Trade, string][]>;
  beginnings: Map<string, [Trade, string][]>;
  others: [Trade, string][];
}
let cueIndex: CueIndex | undefined;

const readCues = (): CueIndex => {
  if (cueIndex) return cueIndex;
  const index: CueIndex = { exact: new Map(), beginnings: new Map(), others: [] };
  const add = (map: CueIndex['exact'], key: string, entry: [Trade, string]): void => {
    const list = map.get(key);
    if (list) list.push(entry);
    else map.set(key, [entry]);
  };
  for (const trade of trades().trades)
    for (const cue of trade.cues) {
      const { parts, solid } = phraseOf(cue);
      const [first] = parts;
      if (solid || !first || first.suffix || first.gap) index.others.push([trade, cue]);
      else if (first.prefix) add(index.beginnings, first.word.slice(0, 2), [trade, cue]);
      else for (const key of new Set([first.word, first.one])) add(index.exact, key, [trade, cue]);
    }
  cueIndex = index;
  return index;
};

/** Every place at which a cue of a trade stands, by trade. */
const hitsOf = (brief: BriefText): TradeHits[] => {
  const { exact, beginnings, others } = readCues();
  const tried = new Map<Trade, Set<string>>();
  const consider = (list: readonly [Trade, string][] | undefined): void => {
    for (const [trade, cue] of list ?? []) {
      const own = tried.get(trade);
      if (own) own.add(cue);
      else tried.set(trade, new Set([cue]));
    }
  };
  for (const word of brief.at.keys()) {
    consider(exact.get(word));
    consider(beginnings.get(word.slice(0, 2)));
  }
  consider(others);
  return [...tried].flatMap(([trade, list]) => {
    const barred = (trade.not ?? []).flatMap((text) => findPhrase(brief, text));
    const found = [...list].flatMap((cue): [string, Found[]][] => {
      const places = findPhrase(brief, cue).filter((each) => !barred.some((bar) => overlaps(each, bar)));
      return places.length > 0 ? [[cue, places]] : [];
    });
    return found.length > 0 ? [{ trade, barred, found }] : [];
  });
};

/** `school buses` is no school: the words of a longer cue of another trade say nothing by themselves. */
const swallowed = (at: Found, others: readonly Found[]): boolean =>
  others.some(
    (other) => other.from <= at.from && other.to >= at.to && other.to - other.from > at.to - at.from && at.to > at.from,
  );

/** What is known of the places of all trades' words. */
interface Surroundings {
  longer: readonly Found[];
  /** Words of trades that are done to something: `app for`, `repair of`. */
  takes: readonly (Found & { trade: Trade })[];
  /** Token at which a word of a trade that is not weak begins, to the trades. */
  begins: ReadonlyMap<number, ReadonlySet<Trade>>;
}

/** Words before and after one that takes an object. */
const OBJECT_BEFORE = 3;
const OBJECT_AFTER = 5;
const OBJECT = 0.4;
const MODIFIER = 0.5;

const partedBetween = (brief: BriefText, from: number, to: number): boolean => {
  for (let i = from; i <= to; i++) if (brief.tokens[i]?.start || brief.tokens[i]?.pause) return true;
  return false;
};

/** Whether a word is only what another trade of the text deals with: `bakery software`, `app for bakeries`, `wine shop`. */
const roleOf = (brief: BriefText, trade: Trade, at: Found, { takes, begins }: Surroundings): number => {
  if (at.from === at.to) return 1;
  const object = takes.some(
    (other) =>
      other.trade !== trade &&
      !overlaps(other, at) &&
      ((at.from >= other.to && at.from < other.to + OBJECT_AFTER && !partedBetween(brief, other.to, at.from)) ||
        (at.to <= other.from && at.to > other.from - OBJECT_BEFORE && !partedBetween(brief, at.to, other.from))),
  );
  if (object) return OBJECT;
  const heads = brief.tokens[at.to]?.start || brief.tokens[at.to]?.pause ? undefined : begins.get(at.to);
  // A trade of the finer table names what is repaired or sold: a bicycle repair shop is a bicycle shop.
  return trade.wide && heads && !heads.has(trade) ? MODIFIER : 1;
};

const LEANING = 0.55;

const matchTrade = (
  brief: BriefText,
  { trade, barred, found }: TradeHits,
  around: Surroundings,
): TradeMatch | undefined => {
  const hits: Hit[] = found.flatMap(([cue, places]) => {
    const free = places.filter((at) => !swallowed(at, around.longer));
    const [best] = free
      .map((at) => ({
        cue,
        at,
        weight: weigh(brief, at) * (modifies(brief, cue) ? 0.5 : 1) * roleOf(brief, trade, at, around),
      }))
      .sort((a, b) => b.weight - a.weight);
    return best ? [best] : [];
  });
  if (hits.length === 0) return undefined;
  hits.sort((a, b) => b.weight - a.weight || (a.cue < b.cue ? -1 : 1));
  // Two cues for one word count once.
  const apart = hits.filter((hit, i) => !hits.slice(0, i).some((other) => overlaps(hit.at, other.at)));
  const [top, ...others] = apart.map(({ weight }) => weight);
  const more = others.slice(0, 3).reduce((sum, weight) => sum + weight * 0.35, 0);
  const score = ((top ?? 0) + more) * (barred.length > 0 ? 0.6 : 1) * (trade.weak ? LEANING : 1);
  return { trade, score, says: hits.map(({ cue }) => cue.replaceAll('*', '').trim()) };
};

const surroundingsOf = (hits: readonly TradeHits[]): Surroundings => {
  const begins = new Map<number, Set<Trade>>();
  for (const { trade, found } of hits)
    if (!trade.weak)
      for (const { from, to } of found.flatMap(([, places]) => places))
        if (to > from) begins.set(from, (begins.get(from) ?? new Set()).add(trade));
  return {
    longer: hits.flatMap(({ found }) => found.flatMap(([, places]) => places)).filter(({ from, to }) => to - from > 1),
    takes: hits.flatMap(({ trade, found }) =>
      trade.takes ? found.flatMap(([, places]) => places.map((place) => ({ ...place, trade }))) : [],
    ),
    begins,
  };
};

/** How much of an industry's rare words a brief must share to be taken for it. */
const LEAST = 15;

/** An industry of the NAICS index stands in for a trade that is not known by name: its sector says what it runs on. */
const tradeByIndustry = (brief: BriefText): TradeMatch[] => {
  const found = closestIndustry(
    brief.tokens
      .slice(0, 60)
      .map(({ word }) => word)
      .filter((word) => /^[a-z]{4,}$/.test(word)),
  );
  if (!found || found.score < LEAST) return [];
  return tradeOfIndustry(found.code, found.says);
};

/** Sectors whose industries may be meant by one trade: 31 to 33 and 44 to 45 are one each. */
export const family = (naics: string): string[] => {
  const two = naics.slice(0, 2);
  const found = [
    ['31', '32', '33'],
    ['44', '45'],
    ['48', '49'],
  ].find((codes) => codes.includes(two));
  return found ?? [two];
};

/** Trades that say how a company works and not what with. */
const BROAD = new Set(['wholesale', 'shop', 'factory', 'food_factory', 'web_shop']);
const FIRST_WORDS = 24;

/** The industry nearest to the words that named the trade, in the trade's own sector; the trade's own code where none is near. */
export const industryCode = ({ trade, says }: TradeMatch, brief: BriefText): string => {
  // A wholesaler of what, a factory for what: the brief's first words say it.
  if (BROAD.has(trade.id)) {
    const own = brief.tokens.slice(0, FIRST_WORDS).filter(({ denied }) => !denied);
    const words = own.flatMap(({ word, alts = [] }) => [word, ...alts]).filter((word) => /^[a-z]{4,}$/.test(word));
    const near = closestIndustry(words, family(trade.naics));
    if (near && near.score >= 9) return near.code;
  }
  const found = closestIndustry(
    says.flatMap((cue) => cue.split(/[ -]/)).filter((word) => /^[a-z]{4,}$/.test(word)),
    family(trade.naics),
    trade.naics,
  );
  // A nearer title only counts close by: an airline with cargo is no marine cargo handler.
  return found && found.score >= 8 && found.code.slice(0, 3) === trade.naics.slice(0, 3) ? found.code : trade.naics;
};

/** `purchasing department of a hospital`, `HR for a clinic`, `only invoicing`: a part of a business, by how the brief begins. */
const PARTS =
  'hr|human resources|it|payroll|accounting|finance|procurement|purchasing|recruiting|recruitment|hiring|legal|helpdesk|help desk|facilities|onboarding|invoicing|billing|support|marketing|maintenance|expenses|compliance|accounts payable|treasury|fleet';
const PART = new RegExp(
  `\\b(department|team|division|desk) (of|at|in|for|inside|within) |\\b(${PARTS}) (for|of|at|in) (a|an|the|our|my) |^(${PARTS}) (side|only)\\b|\\b(just|only) (fix |the |want |need |do |cover |run |for )*(${PARTS})\\b|\\binternal (${PARTS})\\b`,
);
const PART_WORDS = 30;

const isPart = (brief: BriefText): boolean => {
  const opening = brief.tokens.slice(0, PART_WORDS).map(({ word }) => word);
  const last = brief.tokens.slice(-PART_WORDS).map(({ word }) => word);
  return (
    PART.test(opening.join(' ')) || new RegExp(`\\b(just|only) (the |want |need )*(${PARTS})\\b`).test(last.join(' '))
  );
};

/** Share of the best trade's score from which another one counts too. */
const CLOSE = 0.7;

/** The likeliest trades, best first: the best one and those that come close to it. */
export const guessTrades = (brief: BriefText): TradeMatch[] => {
  const hits = hitsOf(brief);
  const around = surroundingsOf(hits);
  const matches = hits
    .flatMap((each) => matchTrade(brief, each, around) ?? [])
    .sort((a, b) => b.score - a.score || (a.trade.id < b.trade.id ? -1 : 1));
  const best = matches[0]?.score ?? 0;
  const close = matches.filter(({ score }) => score >= Math.max(0.7, best * CLOSE)).slice(0, 5);
  const aside = isPart(brief);
  return close.length > 0 ? close.map((match) => (aside ? { ...match, aside } : match)) : tradeByIndustry(brief);
};

type SectorTrade = ReturnType<typeof trades>['sectors'][number];

/** The longest prefix that stands over a code. */
const sectorOver = (code: string): SectorTrade | undefined =>
  trades()
    .sectors.flatMap((each) =>
      each.prefixes.filter((prefix) => isUnder(code, prefix)).map((prefix) => ({ each, prefix })),
    )
    .sort((a, b) => b.prefix.length - a.prefix.length)[0]?.each;

/** What most national industries under a code of a higher level run on. */
const sectorBelow = (code: string): SectorTrade | undefined => {
  const counts = new Map<SectorTrade, number>();
  for (const { code: own } of nationalIndustries()) {
    const over = isUnder(own, code) ? sectorOver(own) : undefined;
    if (over) counts.set(over, (counts.get(over) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
};

/**
 * What the industry of a code of any level runs on: by the longest prefix over it, else as most industries under it or under the
 * nearest level above it do.
 */
export const tradeOfIndustry = (code: string, says: readonly string[]): TradeMatch[] => {
  let sector = sectorOver(code);
  for (let above = code; !sector && above.length >= 2; above = above.slice(0, -1)) sector = sectorBelow(above);
  if (!sector) return [];
  const { noun, services } = sector;
  return [{ trade: { id: `industry_${code}`, cues: [], naics: code, noun, services }, score: 1, says: [...says] }];
};

/** The sector that runs on an archetype first of all, for a brief that names no trade but says what it wants done. */
export const tradeOfService = (archetype: string, says: readonly string[]): TradeMatch[] => {
  const sector = trades().sectors.find(({ services }) => Object.keys(services)[0] === archetype);
  const naics = sector?.prefixes[0];
  if (!sector || !naics) return [];
  const { noun, services } = sector;
  return [{ trade: { id: `sector_${naics}`, cues: [], naics, noun, services }, score: 1, says: [...says] }];
};
