/**
 * Blobs that nothing refers to go after they were seen so for over an hour (serving.md, seams): what a crash left between a put and
 * the move of a head, or between that and the delete of what it superseded. Blobs have no dates, so an age is the time between
 * rounds that saw a key unreferenced, and never more a round than `watchMs`: a clock that jumps or a server that slept ages nothing.
 */
import { TreadleError } from '../../errors.js';
import type { Blobs } from '../blobs/blobs.js';
import type { Clock } from './clock.js';
import { type GarbageMemory, garbageMemory } from './garbage-memory.js';

export interface GarbageLimits {
  /** Keys a question to `isReferenced`. */
  ask: number;
  /** Deletes a round. */
  deletes: number;
  /** Deletes between two questions: right before it is deleted each key is asked for again. */
  atOnce: number;
  /** Keys whose age is remembered; further ones wait for a later round. */
  remembered: number;
  /** The most that a round adds to an age, and how long everything is watched anew after a restart. */
  watchMs: number;
}

export const GARBAGE_LIMITS: GarbageLimits = {
  ask: 5_000,
  deletes: 256,
  atOnce: 16,
  remembered: 20_000,
  watchMs: 600_000,
};

export interface GarbageOptions {
  blobs: Blobs;
  /** Only keys under it are looked at; `sessions/`. */
  prefix: string;
  /** Those of the keys that may not go. Whatever it throws ends the round: where nobody knows, nothing goes. */
  isReferenced(keys: readonly string[]): Promise<ReadonlySet<string>>;
  clock: Clock;
  /** Who answers `isReferenced`, such as the id of the store of heads. Another's collector on the same prefix refuses to work. */
  owner?: string;
  ageMs?: number;
  limits?: Partial<GarbageLimits>;
}

/** Counts of keys. `unreferenced` ones are watched; `ripe` ones are old enough to go. */
export interface GarbageRound {
  listed: number;
  unreferenced: number;
  ripe: number;
  deleted: number;
}

export interface GarbageCollector {
  /** Asked while one is under way: that one. Throws `blob_store_shared`, and what blobs and `isReferenced` throw. */
  round(): Promise<GarbageRound>;
}

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

const shared = (owner: string, prefix: string): TreadleError =>
  new TreadleError({
    code: 'blob_store_shared',
    message: 'Blobs of another server lie under this prefix: nothing is collected there',
    value: { prefix, owner: owner.slice(0, 80) },
    next: 'Give each server a prefix of its own. Where the other one is gone for good, delete the blobs under garbage/.',
    fault: 'input',
  });

export const garbageCollector = (options: GarbageOptions): GarbageCollector => {
  const { blobs, prefix, isReferenced, clock, owner = '', ageMs = 3_600_000 } = options;
  const limits = { ...GARBAGE_LIMITS, ...options.limits };
  const memory: GarbageMemory = garbageMemory(blobs, prefix);
  /** Milliseconds that a key was seen unreferenced. */
  let ages: Map<string, number> | undefined;
  /** When all of them had been seen so last. */
  let seenAt: number | undefined;
  /** How many ages the memory holds. */
  let written = 0;

  const recalled = async (): Promise<Map<string, number>> => {
    const found = await memory.read();
    if (found && found.owner !== '' && found.owner !== owner) throw shared(found.owner, prefix);
    written = found?.ages.size ?? 0;
    const most = Math.max(0, ageMs - limits.watchMs);
    return new Map([...(found?.ages ?? [])].map(([key, age]) => [key, Math.min(age, most)]));
  };

  /** Keys that nothing refers to now, in order. */
  const unreferencedOf = async (keys: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const some of chunks(keys, limits.ask)) {
      const held = await isReferenced(some);
      for (const key of some) if (!held.has(key)) found.push(key);
    }
    return found;
  };

  const aged = (keys: readonly string[], before: ReadonlyMap<string, number>, step: number): Map<string, number> => {
    const after = new Map<string, number>();
    // Whose age is known stay known, however many new ones there are.
    for (const key of keys) {
      const age = before.get(key);
      if (age !== undefined) after.set(key, age + step);
    }
    for (const key of keys) if (after.size < limits.remembered && !after.has(key)) after.set(key, 0);
    return after;
  };

  /** How many went. All that were begun have ended when it throws. */
  const sweep = async (ripe: readonly string[], known: Map<string, number>): Promise<number> => {
    let deleted = 0;
    for (const some of chunks(ripe.slice(0, limits.deletes), limits.atOnce)) {
      const going = await unreferencedOf(some);
      const done = await Promise.allSettled(going.map((key) => blobs.delete(key)));
      for (const [i, { status }] of done.entries()) {
        // A key that was perhaps deleted is aged from nothing, should it be there again.
        known.delete(going[i]!);
        if (status === 'fulfilled') deleted++;
      }
      const failed = done.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    }
    return deleted;
  };

  const collect = async (): Promise<GarbageRound> => {
    ages ??= await recalled();
    const keys = (await blobs.list(prefix)).filter((key) => key !== memory.key);
    const asked = clock.now();
    const unreferenced = await unreferencedOf(keys);
    const step = Math.min(Math.max(0, asked - (seenAt ?? asked)), limits.watchMs);
    const known = aged(unreferenced, ages, step);
    if (written > 0 || known.size > 0) await memory.write({ owner, ages: known });
    written = known.size;
    ages = known;
    seenAt = clock.now();
    const ripe = [...known].filter(([, age]) => age > ageMs).map(([key]) => key);
    const deleted = await sweep(ripe, known);
    return { listed: keys.length, unreferenced: unreferenced.length, ripe: ripe.length, deleted };
  };

  let running: Promise<GarbageRound> | undefined;
  return {
    round() {
      running ??= collect().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
};
