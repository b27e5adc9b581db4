/** Which kinds of business a brief describes. */
import { type Trade, trades } from './data.js';
import { isUnder, nationalIndustries } from './industry.js';
import { closestIndustry } from './naics-index.js';
import { type Found, findPhrase, modifies, precededBy } from './phrase.js';
import type { BriefText } from './text.js';

export interface TradeMatch {
  trade: Trade;
  score: number;
  says: string[];
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
  const theirs = precededBy(brief, found.from, OTHERS, 1) !== undefined || somebodyElses(brief, found.from);
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

/** Every place at which a cue of a trade stands, by trade. */
const hitsOf = (brief: BriefText): { trade: Trade; barred: Found[]; found: Found[][] }[] =>
  trades().trades.flatMap((trade) => {
    const barred = (trade.not ?? []).flatMap((text) => findPhrase(brief, text));
    const found = trade.cues.map((cue) =>
      findPhrase(brief, cue).filter((each) => !barred.some((bar) => overlaps(each, bar))),
    );
    return found.some((list) => list.length > 0) ? [{ trade, barred, found }] : [];
  });

/** `school buses` is no school: the words of a longer cue of another trade say nothing by themselves. */
const swallowed = (at: Found, others: readonly Found[]): boolean =>
  others.some(
    (other) => other.from <= at.from && other.to >= at.to && other.to - other.from > at.to - at.from && at.to > at.from,
  );

const matchTrade = (
  brief: BriefText,
  { trade, barred, found }: { trade: Trade; barred: Found[]; found: Found[][] },
  longer: readonly Found[],
): TradeMatch | undefined => {
  const hits: Hit[] = trade.cues.flatMap((cue, i) => {
    const free = (found[i] ?? []).filter((at) => !swallowed(at, longer));
    const [best] = free
      .map((at) => ({ cue, at, weight: weigh(brief, at) * (modifies(brief, cue) ? 0.5 : 1) }))
      .sort((a, b) => b.weight - a.weight);
    return best ? [best] : [];
  });
  if (hits.length === 0) return undefined;
  hits.sort((a, b) => b.weight - a.weight);
  // Two cues for one word count once.
  const apart = hits.filter((hit, i) => !hits.slice(0, i).some((other) => overlaps(hit.at, other.at)));
  const [top, ...others] = apart.map(({ weight }) => weight);
  const more = others.slice(0, 3).reduce((sum, weight) => sum + weight * 0.35, 0);
  const score = ((top ?? 0) + more) * (barred.length > 0 ? 0.6 : 1);
  return { trade, score, says: hits.map(({ cue }) => cue.replaceAll('*', '').trim()) };
};

/** How much of an industry's rare words a brief must share to be taken for it. */
const LEAST = 11;

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
const family = (naics: string): string[] => {
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
  );
  // A nearer title only counts close by: an airline with cargo is no marine cargo handler.
  return found && found.score >= 8 && found.code.slice(0, 3) === trade.naics.slice(0, 3) ? found.code : trade.naics;
};

/** The likeliest trades, best first: the best one and those that come close to it. */
export const guessTrades = (brief: BriefText): TradeMatch[] => {
  const hits = hitsOf(brief);
  const longer = hits.flatMap(({ found }) => found.flat()).filter(({ from, to }) => to - from > 1);
  const matches = hits
    .flatMap((each) => matchTrade(brief, each, longer) ?? [])
    .sort((a, b) => b.score - a.score || (a.trade.id < b.trade.id ? -1 : 1));
  const best = matches[0]?.score ?? 0;
  const close = matches.filter(({ score }) => score >= Math.max(0.8, best * 0.6)).slice(0, 4);
  return close.length > 0 ? close : tradeByIndustry(brief);
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
