/** The texts that meet patterns, in an order of their own: how many there are of a length, and the nth of them. */
import { type Automaton, automatonOf, type Part } from './automaton.js';
import { parsePattern, Unsupported, type Width } from './parse.js';

export interface Language {
  /** How many texts of this length there are. */
  count(length: number): bigint;
  /** The one at `rank`, from 0 and below `count(length)`. */
  nth(length: number, rank: bigint): string;
}

/** `isWhole`: the text is the pattern's from end to end, though the pattern would be content with a part. */
const partsOf = (pattern: string, width: Width, isWhole: boolean): Part[] => {
  const { tree, looks } = parsePattern(pattern, width);
  return [
    { tree, not: false, before: !isWhole && !/^\^/.test(pattern), after: !isWhole && !/\$$/.test(pattern) },
    ...looks.map(({ tree: look, not, whole }) => ({ tree: look, not, after: !whole })),
  ];
};

const counted = ({ groups, next, accepts }: Automaton): Language => {
  const counts: bigint[][] = [accepts.map((ends) => (ends ? 1n : 0n))];
  const upTo = (length: number): void => {
    while (counts.length <= length) {
      const before = counts.at(-1) as bigint[];
      counts.push(
        next.map((row) => {
          let sum = 0n;
          for (let g = 0; g < row.length; g++) {
            const to = row[g] as number;
            const rest = to < 0 ? 0n : (before[to] as bigint);
            if (rest > 0n) sum += rest * BigInt((groups[g] as string).length);
          }
          return sum;
        }),
      );
    }
  };
  return {
    count: (length) => {
      upTo(length);
      return counts[length]?.[0] ?? 0n;
    },
    nth: (length, rank) => {
      upTo(length);
      let [state, left, out] = [0, rank, ''];
      for (let rest = length - 1; rest >= 0; rest--) {
        const row = next[state] as Int32Array;
        for (let g = 0; g < row.length; g++) {
          const to = row[g] as number;
          const each = to < 0 ? 0n : (counts[rest]?.[to] ?? 0n);
          const chars = groups[g] as string;
          const all = each * BigInt(chars.length);
          if (left >= all) {
            left -= all;
            continue;
          }
          out += chars[Number(left / each)];
          left %= each;
          state = to;
          break;
        }
      }
      return out;
    },
  };
};

/** Longest texts that are looked for. */
export const LONGEST = 200;

const WIDTHS: readonly Width[] = ['plain', 'safe', 'every'];
const MOST_KNOWN = 2_000;

/** Null where it cannot be made. */
const known = new Map<string, Language | null>();

const languageIn = (patterns: readonly string[], width: Width): Language | null => {
  const key = JSON.stringify([width, patterns]);
  const found = known.get(key);
  if (found !== undefined) return found;
  let language: Language | null = null;
  try {
    const automaton = automatonOf(patterns.flatMap((pattern, i) => partsOf(pattern, width, i === 0)));
    if (automaton) language = counted(automaton);
  } catch (thrown) {
    if (!(thrown instanceof Unsupported)) throw thrown;
  }
  if (known.size > MOST_KNOWN) known.clear();
  known.set(key, language);
  return language;
};

/**
 * Texts of printable ASCII that meet all of `patterns`, the first of them from end to end; letters and digits alone where that leaves some within the
 * lengths. Word boundaries, and looks that are not at the start, are not held: whoever needs them tests the text. Undefined where a
 * pattern cannot be read, the automaton would be too large, or no text is short enough.
 */
export const languageOf = (patterns: readonly string[], least = 0, most = LONGEST): Language | undefined => {
  for (const width of WIDTHS) {
    const language = languageIn(patterns, width);
    if (!language) continue;
    for (let length = least; length <= Math.min(most, LONGEST); length++)
      if (language.count(length) > 0n) return language;
  }
  return undefined;
};
