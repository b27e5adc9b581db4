/** Which kinds of business a brief describes. */
import { type Trade, trades } from './data.js';
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
  'like a',
];
const NEGATED = ['no', 'not', 'not a', 'not an', 'kein', 'keine', 'without'];

const overlaps = (a: Found, b: Found): boolean => a.from < b.to && b.from < a.to;

const weigh = (brief: BriefText, found: Found): number => {
  const words = found.to - found.from;
  const opening = found.from < OPENING ? 0.6 : 0;
  const long = words >= 2 ? 0.4 : 0;
  const others = found.from > 0 && precededBy(brief, found.from, OTHERS, 1) ? 0.5 : 1;
  const negated = found.from > 0 && precededBy(brief, found.from, NEGATED) ? 0.2 : 1;
  return (1 + opening + long) * others * negated;
};

const matchTrade = (brief: BriefText, trade: Trade): TradeMatch | undefined => {
  const barred = (trade.not ?? []).flatMap((text) => findPhrase(brief, text));
  const hits = trade.cues.flatMap((cue) => {
    const found = findPhrase(brief, cue).filter((each) => !barred.some((bar) => overlaps(each, bar)));
    const [best] = found.map((each) => ({ cue, weight: weigh(brief, each) })).sort((a, b) => b.weight - a.weight);
    return best ? [best] : [];
  });
  if (hits.length === 0) return undefined;
  hits.sort((a, b) => b.weight - a.weight);
  const [top, ...others] = hits.map(({ weight }) => weight);
  const more = others.slice(0, 3).reduce((sum, weight) => sum + weight * 0.35, 0);
  const score = ((top ?? 0) + more) * (barred.length > 0 ? 0.6 : 1);
  return { trade, score, says: hits.map(({ cue }) => cue.replaceAll('*', '').trim()) };
};

/** The likeliest trades, best first: the best one and those that come close to it. */
export const guessTrades = (brief: BriefText): TradeMatch[] => {
  const matches = trades()
    .trades.flatMap((trade) => matchTrade(brief, trade) ?? [])
    .sort((a, b) => b.score - a.score || (a.trade.id < b.trade.id ? -1 : 1));
  const best = matches[0]?.score ?? 0;
  return matches.filter(({ score }) => score >= Math.max(0.8, best * 0.6)).slice(0, 4);
};
