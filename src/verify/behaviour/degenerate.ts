/** Text that has fallen into a loop or apart. */
import { type BehaviourFlag, type Sighting, shortened, turnsOf } from './flag.js';

/** Words: a block of up to this many, said so often in a row, over at least so many words in all. */
const MOST_BLOCK = 60;
const LEAST_TIMES = 5;
const LEAST_WORDS = 30;
/** Characters: a unit of up to this many, so many characters in a row in all. */
const MOST_UNIT = 16;
const LEAST_RUN = 96;
/** Share of unreadable characters from which a text of at least `LEAST_TEXT` is no text. */
const MOST_UNREADABLE = 0.1;
const LEAST_TEXT = 20;

/** Where a sequence repeats itself: `[period, start, length]` of the first run that is long enough. Linear for each period. */
const loopIn = <T>(
  items: readonly T[],
  mostPeriod: number,
  isLong: (period: number, length: number) => boolean,
): [period: number, start: number, length: number] | undefined => {
  for (let period = 1; period <= Math.min(mostPeriod, items.length / 2); period++) {
    let same = 0;
    for (let i = period; i < items.length; i++) {
      same = items[i] === items[i - period] ? same + 1 : 0;
      const length = same + period;
      if (same > 0 && isLong(period, length)) return [period, i + 1 - length, length];
    }
  }
  return undefined;
};

/** Rulers and table borders are no loops. */
const isRuler = (unit: string): boolean => !/[\p{L}\p{N}]/u.test(unit) && /^[\s\-=_*.#|+~:·•─━]*$/u.test(unit);

/** What is wrong with a text, in words; undefined for one that reads on. */
export const degeneracyOf = (text: string): string | undefined => {
  const unreadable = text.match(/[\ufffd\p{Cn}\p{Co}]/gu)?.length ?? 0;
  if (text.length >= LEAST_TEXT && unreadable > text.length * MOST_UNREADABLE)
    return `${unreadable} of ${text.length} characters are unreadable`;
  const words = text.split(/\s+/).filter((word) => word && !isRuler(word));
  const loop = loopIn(words, MOST_BLOCK, (period, length) => length >= LEAST_WORDS && length >= period * LEAST_TIMES);
  if (loop) {
    const [period, start, length] = loop;
    return `“${shortened(words.slice(start, start + period).join(' '))}” ${Math.floor(length / period)} times`;
  }
  // Only within words: blanks part them, and those were looked at above.
  for (const word of words) {
    if (word.length < LEAST_RUN) continue;
    const run = loopIn([...word], MOST_UNIT, (period, length) => length >= LEAST_RUN && length >= period * LEAST_TIMES);
    if (run) return `“${[...word].slice(run[1], run[1] + run[0]).join('')}” ${Math.floor(run[2] / run[0])} times`;
  }
  return undefined;
};

/**
 * A turn is flagged when its text or its reasoning repeats a block of 1 to 60 words at least 5 times in a row over 30 words or
 * more, repeats a unit of 1 to 16 characters within one word over 96 characters or more (rulers and table borders apart), or is
 * unreadable to a tenth (replacement characters, unassigned code points); and when it holds neither text, reasoning nor call.
 */
export const degenerateText: BehaviourFlag = {
  id: 'degenerate_text',
  says: 'a text loops, is unreadable or is empty',
  sightings: (trace) =>
    turnsOf(trace).flatMap(({ turn, message }): Sighting[] => {
      const { content, reasoning = '', toolCalls = [] } = message;
      if (content.trim() === '' && reasoning.trim() === '' && toolCalls.length === 0)
        return [{ turn, evidence: 'neither text nor call' }];
      const what = degeneracyOf(content) ?? degeneracyOf(reasoning);
      return what === undefined ? [] : [{ turn, evidence: what }];
    }),
};
