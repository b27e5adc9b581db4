/** Seeded randomness in named streams: a stream depends on its seed and name only, never on who drew before. */
import { hash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

export interface Rng {
  /** An integer in [low, high], both ends included. */
  int(low: number, high: number): number;
  /** A number in [0, 1) with 31 bits. */
  unit(): number;
  /** True with probability `p`. */
  chance(p: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks by weight; weights need not add up to one. */
  weighted<T>(items: readonly (readonly [T, number])[]): T;
  /** A new array in random order. */
  shuffle<T>(items: readonly T[]): T[];
  /** `n` distinct items (all of them when there are fewer), in random order. */
  sample<T>(items: readonly T[], n: number): T[];
  /** Normal deviate (mean 0, deviation 1). */
  normal(): number;
  /** A child stream: the same name gives the same stream, whatever was drawn before. */
  stream(name: string): Rng;
}

/** A generator for `seed` and the path of stream names. */
export const rng = (seed: string | number, ...names: string[]): Rng => {
  const path = [String(seed), ...names].join('\u0000');
  const digest = hash('sha256', path, 'buffer');
  const state: number[] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at));
  const source = xoroshiro128plusFromState(state);
  const int = (low: number, high: number): number => uniformInt(source, low, high);
  const unit = (): number => int(0, 0x7fffffff) / 0x80000000;
  const shuffle = <T>(items: readonly T[]): T[] => {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = int(0, i);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  };
  return {
    int,
    unit,
    chance: (p) => unit() < p,
    pick: (items) => items[int(0, items.length - 1)] as (typeof items)[number],
    weighted: (items) => {
      const total = items.reduce((sum, [, weight]) => sum + weight, 0);
      let at = unit() * total;
      for (const [item, weight] of items) {
        at -= weight;
        if (at < 0) return item;
      }
      return (items.at(-1) as (typeof items)[number])[0];
    },
    shuffle,
    sample: (items, n) => shuffle(items).slice(0, n),
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
    stream: (name) => rng(seed, ...names, name),
  };
};
