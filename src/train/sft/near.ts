/**
 * Near duplicates by MinHash. What users and assistants write (calls too, not the system message and not tool results, which
 * follow from calls) is lower-cased and cut into words, digits become 0; the set of its 5-word runs is sketched by 128 minima of
 * 32-bit hashes; two rows whose sketches agree in 9 of 10 places or more are near duplicates, and the later one goes. Candidates
 * are found by 16 bands of 8 minima: of pairs whose true overlap (Jaccard) is 0.9 the bands miss fewer than 1 in 5,000, and the
 * estimate's standard error is 0.027.
 */
import type { SftRow } from './row.js';

const MINIMA = 128;
const BANDS = 16;
const ROWS = MINIMA / BANDS;
const RUN = 5;
const ALIKE = 0.9;
/** Words that are looked at: a message of 10 MB is told from others by its beginning. */
const MOST_WORDS = 50_000;

/** Odd multipliers and offsets of the hash family, fixed for ever: the same rows give the same sketches. */
const FAMILY = Array.from({ length: MINIMA }, (_, i) => {
  const a = Math.imul(i + 1, 0x9e3779b1) >>> 0;
  return [(a ^ (a >>> 15)) | 1, Math.imul(i + 7, 0x85ebca6b) >>> 0] as const;
});

const fnv = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

const mixed = (hash: number): number => {
  const a = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const b = Math.imul(a ^ (a >>> 15), 0x846ca68b);
  return (b ^ (b >>> 16)) >>> 0;
};

const wordsOf = ({ messages }: Pick<SftRow, 'messages'>): string[] => {
  const words: string[] = [];
  for (const { role, content, reasoning_content = '', tool_calls = [] } of messages) {
    if (role !== 'user' && role !== 'assistant') continue;
    const calls = tool_calls.map((call) => JSON.stringify(call.function));
    const text = [reasoning_content, content, ...calls].join('\n').slice(0, 10 * MOST_WORDS);
    for (const [word] of text
      .toLowerCase()
      .replace(/\p{N}/gu, '0')
      .matchAll(/[\p{L}\p{M}0_]+|[^\s\p{L}\p{M}0_]/gu)) {
      words.push(word);
      if (words.length >= MOST_WORDS) return words;
    }
  }
  return words;
};

/** 128 minima of the row's 5-word runs. */
export const sketchOf = (row: Pick<SftRow, 'messages'>): Uint32Array => {
  const words = wordsOf(row);
  const seen = new Set<number>();
  for (let i = 0; i <= Math.max(0, words.length - RUN); i++) seen.add(fnv(words.slice(i, i + RUN).join(' ')));
  const minima = new Uint32Array(MINIMA).fill(0xffffffff);
  for (const run of seen)
    for (let i = 0; i < MINIMA; i++) {
      const [times, plus] = FAMILY[i] as readonly [number, number];
      const hash = mixed((Math.imul(run, times) + plus) >>> 0);
      if (hash < (minima[i] as number)) minima[i] = hash;
    }
  return minima;
};

const likeness = (a: Uint32Array, b: Uint32Array): number => {
  let same = 0;
  for (let i = 0; i < MINIMA; i++) if (a[i] === b[i]) same++;
  return same / MINIMA;
};

/** Remembers rows; `isNear` tells whether one is nearly the same as one before it, and remembers it where it is not. */
export interface NearIndex {
  isNear(row: Pick<SftRow, 'messages'>): boolean;
}

/** Some 1.5 KB a remembered row. Per band: the last row of each key, and behind each row the one before it with the same key. */
export const nearIndex = (): NearIndex => {
  const kept: Uint32Array[] = [];
  const bands = Array.from({ length: BANDS }, () => ({ last: new Map<number, number>(), before: [] as number[] }));
  return {
    isNear: (row) => {
      const sketch = sketchOf(row);
      const keys = bands.map((_, n) => fnv(sketch.subarray(n * ROWS, (n + 1) * ROWS).join(',')));
      const looked = new Set<number>();
      for (const [n, { last, before }] of bands.entries())
        for (let at = last.get(keys[n] as number) ?? -1; at >= 0; at = before[at] ?? -1) {
          if (looked.has(at)) continue;
          looked.add(at);
          if (likeness(kept[at] as Uint32Array, sketch) >= ALIKE) return true;
        }
      for (const [n, { last, before }] of bands.entries()) {
        const key = keys[n] as number;
        before.push(last.get(key) ?? -1);
        last.set(key, kept.length);
      }
      kept.push(sketch);
      return false;
    },
  };
};
