/** Which kinds of business a brief describes. */
import { type Trade, trades } from './data.js';
import { closestIndustry } from './naics-index.js';
import { type Found, findPhrase, precededBy } from './phrase.js';
import type { BriefText } from './text.js';

export interface TradeMatch {
  trade: Trade;
  score: number;
  says: string[];
}

const OPENING = 30;
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
const NEGATED = ['no', 'not', 'not a', 'not an', 'kein', 'keine', 'without'];

const overlaps = (a: Found, b: Found): boolean => a.from < b.to && b.from < a.to;

const somebodyElses = (brief: BriefText, at: number): boolean => {
  for (let i = at; i >= Math.max(0, at - RELATION_WORDS); i--) {
    if (i < at && RELATION.test(brief.tokens[i]?.word ?? '')) return true;
    if (brief.tokens[i]?.start) return false;
  }
  return false;
};

const weigh = (brief: BriefText, found: Found): number => {
  const words = found.to - found.from;
  const opening = found.from < OPENING ? 0.6 : 0;
  const long = words >= 2 ? 0.4 : 0;
  const theirs = precededBy(brief, found.from, OTHERS, 1) !== undefined || somebodyElses(brief, found.from);
  const others = found.from > 0 && theirs ? 0.5 : 1;
  const negated = found.from > 0 && precededBy(brief, found.from, NEGATED) ? 0.2 : 1;
  return (1 + opening + long) * others * negated;
};

const matchTrade = (brief: BriefText, trade: Trade): TradeMatch | undefined => {
  const barred = (trade.not ?? []).flatMap((text) => findPhrase(brief, text));
  const hits = trade.cues.flatMap((cue) => {
    const found = findPhrase(brief, cue).filter((each) => !barred.some((bar) => overlaps(each, bar)));
    const [best] = found.map((at) => ({ cue, at, weight: weigh(brief, at) })).sort((a, b) => b.weight - a.weight);
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
  const sector = trades()
    .sectors.filter(({ prefixes }) => prefixes.some((prefix) => found.code.startsWith(prefix)))
    .sort(
      (a, b) => Math.max(...b.prefixes.map((each) => each.length)) - Math.max(...a.prefixes.map((each) => each.length)),
    )[0];
  if (!sector) return [];
  const { noun, services } = sector;
  return [
    {
      trade: { id: `industry_${found.code}`, cues: [], naics: found.code, noun, services },
      score: 1,
      says: found.says,
    },
  ];
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

/** The industry nearest to the words that named the trade, in the trade's own sector; the trade's own code where none is near. */
export const industryCode = ({ trade, says }: TradeMatch): string => {
  const found = closestIndustry(
    says.flatMap((cue) => cue.split(/[ -]/)).filter((word) => /^[a-z]{4,}$/.test(word)),
    family(trade.naics),
  );
  return found && found.score >= 8 ? found.code : trade.naics;
};

/** The likeliest trades, best first: the best one and those that come close to it. */
export const guessTrades = (brief: BriefText): TradeMatch[] => {
  const matches = trades()
    .trades.flatMap((trade) => matchTrade(brief, trade) ?? [])
    .sort((a, b) => b.score - a.score || (a.trade.id < b.trade.id ? -1 : 1));
  const best = matches[0]?.score ?? 0;
  const close = matches.filter(({ score }) => score >= Math.max(0.8, best * 0.6)).slice(0, 4);
  return close.length > 0 ? close : tradeByIndustry(brief);
};

/** The sector that runs on an archetype first of all, for a brief that names no trade but says what it wants done. */
export const tradeOfService = (archetype: string, says: readonly string[]): TradeMatch[] => {
  const sector = trades().sectors.find(({ services }) => Object.keys(services)[0] === archetype);
  const naics = sector?.prefixes[0];
  if (!sector || !naics) return [];
  const { noun, services } = sector;
  return [{ trade: { id: `sector_${naics}`, cues: [], naics, noun, services }, score: 1, says: [...says] }];
};
