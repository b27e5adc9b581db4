import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from '../blobs/blobs.js';
import { faultyBlobs } from '../blobs/faulty.js';
import { memoryBlobs } from '../blobs/memory.js';
import { type ManualClock, manualClock, oneFault } from './drill.fixture.js';
import { type GarbageCollector, type GarbageOptions, garbageCollector } from './garbage.js';

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;

let blobs: Blobs;
let clock: ManualClock;
let referenced: Set<string>;
beforeEach(() => {
  blobs = memoryBlobs();
  clock = manualClock();
  referenced = new Set();
});

const collector = (more: Partial<GarbageOptions> = {}): GarbageCollector =>
  garbageCollector({
    blobs,
    prefix: 'sessions/',
    isReferenced: async (keys) => new Set(keys.filter((key) => referenced.has(key))),
    clock,
    ...more,
  });

const put = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await blobs.put(key, Buffer.from(key));
};

/** Rounds, ten minutes apart, until this time is over and one more. */
const rounds = async (garbage: GarbageCollector, ms: number): Promise<number> => {
  let deleted = (await garbage.round()).deleted;
  for (let over = 0; over < ms; over += TEN_MINUTES) {
    clock.advance(TEN_MINUTES);
    deleted += (await garbage.round()).deleted;
  }
  return deleted;
};

describe('garbage goes', () => {
  it('once it was seen unreferenced for over an hour, and nothing else does', async () => {
    await put('sessions/s/1', 'sessions/s/2', 'sessions/s/3', 'registry/x');
    referenced.add('sessions/s/3');
    const garbage = collector();
    expect(await rounds(garbage, HOUR)).toBe(0);
    await put('sessions/s/4');
    clock.advance(1);
    expect(await garbage.round()).toEqual({ listed: 4, unreferenced: 3, ripe: 2, deleted: 2 });
    expect(await blobs.list('sessions/')).toEqual(['sessions/s/3', 'sessions/s/4']);
    expect(await blobs.list('registry/')).toEqual(['registry/x']);
  });

  it('not what was referenced at one of the rounds', async () => {
    await put('sessions/s/1');
    const garbage = collector();
    await rounds(garbage, HOUR);
    referenced.add('sessions/s/1');
    clock.advance(TEN_MINUTES);
    await garbage.round();
    referenced.clear();
    expect(await rounds(garbage, HOUR)).toBe(0);
    clock.advance(1);
    expect((await garbage.round()).deleted).toBe(1);
  });

  it('not what became referenced in this very round', async () => {
    await put('sessions/s/1', 'sessions/s/2');
    let asked = 0;
    const garbage = collector({
      isReferenced: async (keys) => {
        // The first question is about both, the second is the one before the delete.
        if (++asked === 9) referenced.add('sessions/s/1');
        return new Set(keys.filter((key) => referenced.has(key)));
      },
    });
    await rounds(garbage, HOUR);
    clock.advance(1);
    expect(await garbage.round()).toMatchObject({ ripe: 2, deleted: 1 });
    expect(await blobs.list('sessions/')).toEqual(['sessions/s/1']);
  });

  it('not faster because a clock jumps, or because the server slept', async () => {
    await put('sessions/s/1');
    const garbage = collector();
    await garbage.round();
    for (const jump of [365 * 24 * HOUR, -HOUR, HOUR, HOUR, HOUR, HOUR, HOUR]) {
      clock.advance(jump);
      expect((await garbage.round()).deleted).toBe(0);
    }
    clock.advance(HOUR);
    expect((await garbage.round()).deleted).toBe(1);
  });

  it('a limited number a round, the rest later', async () => {
    await put(...Array.from({ length: 20 }, (_, i) => `sessions/s/${i}`));
    const questions: number[] = [];
    const garbage = collector({
      limits: { ask: 6, deletes: 7, atOnce: 3, remembered: 15 },
      isReferenced: async (keys) => {
        questions.push(keys.length);
        return new Set();
      },
    });
    expect(await rounds(garbage, HOUR)).toBe(0);
    expect(Math.max(...questions)).toBe(6);
    clock.advance(1);
    questions.length = 0;
    expect(await garbage.round()).toEqual({ listed: 20, unreferenced: 20, ripe: 15, deleted: 7 });
    expect(questions).toEqual([6, 6, 6, 2, 3, 3, 1]);
    expect(await rounds(garbage, 3 * HOUR)).toBe(13);
  });

  it('from nothing, where it went and is there again', async () => {
    await put('sessions/s/1');
    const garbage = collector();
    expect(await rounds(garbage, HOUR + TEN_MINUTES)).toBe(1);
    await put('sessions/s/1');
    clock.advance(TEN_MINUTES);
    expect(await rounds(garbage, HOUR)).toBe(0);
  });

  it('once, where two ask for a round at once', async () => {
    await put('sessions/s/1');
    const garbage = collector();
    await rounds(garbage, HOUR);
    clock.advance(1);
    const [one, other] = await Promise.all([garbage.round(), garbage.round()]);
    expect(one).toBe(other);
    expect(one.deleted).toBe(1);
  });
});

describe('a restart', () => {
  it('goes on where it was, and watches everything for a while more', async () => {
    await put('sessions/s/1', 'sessions/s/2');
    await rounds(collector(), HOUR - TEN_MINUTES);
    clock = manualClock();
    const again = collector();
    expect(await rounds(again, TEN_MINUTES)).toBe(0);
    clock.advance(1);
    expect((await again.round()).deleted).toBe(2);
  });

  it('knows nothing of what went and is there again', async () => {
    await put('sessions/s/1');
    expect(await rounds(collector(), 2 * HOUR)).toBe(1);
    await put('sessions/s/1');
    expect(await rounds(collector(), HOUR)).toBe(0);
  });

  it.each(['', '{', '[]', '{"format":2}', '{"format":1,"owner":"","ages":[["sessions/s/1",-5]]}', 'null'])(
    'with a memory that reads %j begins from the start',
    async (text) => {
      await put('sessions/s/1');
      await rounds(collector(), HOUR);
      await blobs.put('garbage/sessions/seen', Buffer.from(text));
      expect(await rounds(collector(), HOUR)).toBe(0);
    },
  );

  it('of another server on the same prefix is refused, and touches nothing', async () => {
    await put('sessions/s/1');
    await rounds(collector({ owner: 'one' }), HOUR);
    const before = Buffer.from(await blobs.get('garbage/sessions/seen')).toString();
    const other = collector({ owner: 'other' });
    for (let i = 0; i < 20; i++) {
      await expect(other.round()).rejects.toMatchObject({ code: 'blob_store_shared', fault: 'input' });
      clock.advance(HOUR);
    }
    expect(Buffer.from(await blobs.get('garbage/sessions/seen')).toString()).toBe(before);
    expect(await blobs.list('sessions/')).toEqual(['sessions/s/1']);
  });
});

describe('nothing is deleted', () => {
  it('where the store of heads cannot be asked, at the first question or the last', async () => {
    await put('sessions/s/1', 'sessions/s/2');
    let isUp = true;
    let upFor = Number.POSITIVE_INFINITY;
    const isReferenced = async (): Promise<Set<string>> => {
      if (!isUp || upFor-- <= 0) throw new Error('no store');
      return new Set();
    };
    const garbage = collector({ isReferenced });
    await rounds(garbage, HOUR);
    clock.advance(TEN_MINUTES);
    isUp = false;
    await expect(garbage.round()).rejects.toThrow('no store');
    isUp = true;
    upFor = 1;
    await expect(garbage.round()).rejects.toThrow('no store');
    expect((await blobs.list('sessions/')).length).toBe(2);
    upFor = Number.POSITIVE_INFINITY;
    expect((await garbage.round()).deleted).toBe(2);
  });

  it.each(['blob.get', 'blob.put', 'blob.delete'] as const)('where the blob store fails at %s', async (point) => {
    await put('sessions/s/1');
    await rounds(collector(), HOUR);
    const faults = oneFault();
    const garbage = collector({ blobs: faultyBlobs(blobs, faults) });
    faults.failAt('blob.get');
    await expect(garbage.round()).rejects.toMatchObject({ code: 'blob_failed' });
    await garbage.round();
    clock.advance(TEN_MINUTES);
    await garbage.round();
    clock.advance(1);
    faults.failAt(point);
    await expect(garbage.round()).rejects.toMatchObject({ code: 'blob_failed' });
    expect(await blobs.list('sessions/')).toEqual(['sessions/s/1']);
  });
});

it('leaves its own memory alone where it watches everything', async () => {
  await put('a');
  expect(await rounds(collector({ prefix: '' }), 2 * HOUR)).toBe(1);
  expect(await blobs.list('')).toEqual(['garbage/seen']);
});

type Step =
  | { what: 'put' | 'refer' | 'drop' | 'refer meanwhile'; key: number }
  | { what: 'time'; ms: number }
  | { what: 'round'; failing?: 'list' | 'get' | 'put' | 'delete' | 'heads' }
  | { what: 'restart' };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    what: fc.constantFrom('put' as const, 'refer' as const, 'drop' as const, 'refer meanwhile' as const),
    key: fc.integer({ min: 0, max: 5 }),
  }),
  fc.record({ what: fc.constant('time' as const), ms: fc.constantFrom(10, 40, 60, 100, 1000) }),
  fc.record({ what: fc.constant('round' as const) }),
  fc.record({ what: fc.constant('round' as const) }),
  fc.record({
    what: fc.constant('round' as const),
    failing: fc.constantFrom('list' as const, 'get' as const, 'put' as const, 'delete' as const, 'heads' as const),
  }),
  fc.record({ what: fc.constant('restart' as const) }),
);

it('does what its rule says, whatever fails and whoever restarts', async () => {
  const AGE = 100;
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 80 }), async (steps) => {
      const kept = memoryBlobs();
      const now = manualClock();
      const held = new Set<string>();
      /** When each key was first seen unreferenced, of those that were seen so ever since. */
      const since = new Map<string, number>();
      let failing: string | undefined;
      let meanwhile: string | undefined;
      let asking = false;
      const fail = (what: string): void => {
        if (failing === what) throw Object.assign(new Error(what), { code: 'blob_failed' });
      };
      const watched: Blobs = {
        put: async (key, bytes) => {
          fail('put');
          if (meanwhile) held.add(meanwhile);
          await kept.put(key, bytes);
        },
        get: async (key) => {
          fail('get');
          return kept.get(key);
        },
        list: async (prefix) => {
          fail('list');
          asking = true;
          const keys = await kept.list(prefix);
          for (const key of since.keys()) if (!keys.includes(key)) since.delete(key);
          return keys;
        },
        delete: async (key) => {
          expect(held, 'deleted though referenced').not.toContain(key);
          expect(since.has(key), 'deleted though it was never seen').toBe(true);
          expect(now.now() - since.get(key)!, 'deleted too early').toBeGreaterThan(AGE);
          expect(['list', 'heads'], 'deleted though nobody could know').not.toContain(failing);
          fail('delete');
          since.delete(key);
          await kept.delete(key);
        },
      };
      const start = (): GarbageCollector =>
        garbageCollector({
          blobs: watched,
          prefix: 's/',
          clock: now,
          ageMs: AGE,
          limits: { ask: 2, atOnce: 2, deletes: 3, watchMs: 60 },
          isReferenced: async (keys) => {
            fail('heads');
            for (const key of keys) {
              if (held.has(key)) since.delete(key);
              else if (asking && !since.has(key)) since.set(key, now.now());
            }
            return new Set(keys.filter((key) => held.has(key)));
          },
        });
      let garbage = start();
      const once = (): Promise<unknown> =>
        garbage.round().catch((thrown: Error) => expect(thrown.message).toBe(failing));
      for (const step of steps) {
        if (step.what === 'time') now.advance(step.ms);
        else if (step.what === 'restart') garbage = start();
        else if (step.what === 'round') {
          failing = step.failing;
          await once();
          failing = undefined;
          meanwhile = undefined;
        } else {
          const key = `s/${step.key}`;
          if (step.what === 'put') await kept.put(key, Buffer.from('x'));
          else if (step.what === 'refer') held.add(key);
          else if (step.what === 'drop') held.delete(key);
          else meanwhile = key;
        }
      }
      // In the end all garbage goes, and only that.
      meanwhile = undefined;
      const there = await kept.list('s/');
      for (let i = 0; i < 12; i++) {
        await garbage.round();
        now.advance(50);
      }
      expect(await kept.list('s/')).toEqual(there.filter((key) => held.has(key)));
    }),
    { numRuns: 300 },
  );
});
