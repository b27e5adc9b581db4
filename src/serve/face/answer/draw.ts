/**
 * Draws for values that nobody stored: a property of a row must read the same in every answer and process, and a missing one must cost
 * less than a microsecond. So a place in an answer is a 32-bit number, mixed from the seed, the row's key and the property names.
 */
import { hash } from 'node:crypto';
import type { Rng } from '../../../kit/rng.js';

/** The finisher of MurmurHash3: every bit of the input moves every bit of the output. */
const finish = (value: number): number => {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/** FNV-1a over UTF-16 units, finished. */
export const placeOf = (text: string): number => {
  let h = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193);
  return finish(h);
};

/** The place inside `place` that `name` is at; `name` is hashed by whoever compiles. */
export const within = (place: number, name: number): number => finish(Math.imul(place, 31) + name);

const seeds = new Map<string, number>();

/** The place that a seed starts at; by SHA-256, so that seeds that look alike start far apart. */
export const placeOfSeed = (seed: string): number => {
  const known = seeds.get(seed);
  if (known !== undefined) return known;
  if (seeds.size > 1_000) seeds.clear();
  const made = hash('sha256', seed, 'buffer').readUInt32LE(0);
  seeds.set(seed, made);
  return made;
};

class Drawn implements Rng {
  #state: number;

  constructor(place: number) {
    this.#state = place;
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  unit(): number {
    return this.#next() / 0x1_0000_0000;
  }

  int(low: number, high: number): number {
    return high <= low ? low : low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(p: number): boolean {
    return this.unit() < p;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  weighted<T>(items: readonly (readonly [T, number])[]): T {
    let at = this.unit() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      at -= weight;
      if (at < 0) return item;
    }
    return (items.at(-1) as (typeof items)[number])[0];
  }

  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  }

  sample<T>(items: readonly T[], n: number): T[] {
    return this.shuffle(items).slice(0, n);
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  stream(name: string): Rng {
    return new Drawn(within(this.#state, placeOf(name)));
  }
}

export const drawAt = (place: number): Rng => new Drawn(place);
