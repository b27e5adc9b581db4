import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldBy, heldSavepoints } from './held.js';
import type { Commit, OwnedSession } from './ownership/ownership.js';
import { judge, moved, type Owned } from './ownership/rules.js';
import { savepointKey } from './savepoint-key.js';

const key = (gen: number, seq: number, content = 'x', session = 's'): string =>
  savepointKey(session, gen, seq, Buffer.from(content));

const row = (gen: number, head?: [number, number], previous?: [number, number]): OwnedSession => ({
  session: 's',
  owner: 'w#1',
  ownerIsDead: false,
  gen,
  ...(head ? { head: { gen: head[0], seq: head[1], key: key(...head) } } : {}),
  ...(previous ? { previous: { gen: previous[0], seq: previous[1], key: key(...previous) } } : {}),
});

describe('held are', () => {
  const session = row(3, [3, 20], [2, 15]);
  const all: [string, string, boolean][] = [
    ['the head', key(3, 20), true],
    ['the one before', key(2, 15), true],
    ['what the head may be moved to', key(3, 21), true],
    ['what the store does not know yet, being an older copy', key(4, 1), true],
    ['not one that was superseded', key(3, 19), false],
    ['not another of the same request: the first one stands', key(3, 20, 'other'), false],
    ['not one of an owner before', key(2, 999), false],
    ['not of a session that is over', key(3, 20, 'x', 'gone'), false],
    ['where it rests', 'sessions/s/parked', true],
    ['not where one rested that is over', 'sessions/gone/parked', false],
  ];
  it.each(all)('%s', (_, one, held) => {
    expect(heldSavepoints([session], [one])).toEqual(new Set(held ? [one] : []));
  });

  it('all of a generation without a head of its own', () => {
    expect(heldSavepoints([row(2, [1, 40])], [key(2, 3), key(1, 41), key(1, 40)])).toEqual(
      new Set([key(2, 3), key(1, 40)]),
    );
    expect(heldSavepoints([row(1)], [key(1, 1)]).size).toBe(1);
  });

  it('everything where the store knows nobody', () => {
    expect(heldSavepoints([], [key(1, 1)]).size).toBe(1);
  });
});

it('what is not held is never committed again, whatever owners do', () => {
  const step = fc.record({
    what: fc.constantFrom('claim', 'commit', 'commit', 'commit', 'ask'),
    // Also of owners that were fenced off, and again what was committed before.
    gen: fc.integer({ min: 1, max: 5 }),
    seq: fc.integer({ min: 1, max: 8 }),
    content: fc.constantFrom('x', 'y'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let owned: Owned = { owner: 'w', gen: 1, head: undefined, previous: undefined };
      const dead = new Set<string>();
      for (const { what, gen, seq, content } of steps) {
        const commit: Commit = { session: 's', key: key(gen, seq, content), gen, seq };
        if (what === 'claim') owned = { ...owned, gen: owned.gen + 1 };
        else if (what === 'commit' && judge(owned, 'w', commit) === 'move') {
          expect(dead).not.toContain(commit.key);
          owned = moved(owned, commit).session;
        } else if (what === 'ask') {
          const { head, previous } = owned;
          const session: OwnedSession = {
            session: 's',
            owner: 'w',
            ownerIsDead: false,
            gen: owned.gen,
            ...(head ? { head } : {}),
            ...(previous ? { previous } : {}),
          };
          if (heldSavepoints([session], [commit.key]).size === 0) dead.add(commit.key);
        }
      }
    }),
    { numRuns: 500 },
  );
});

it('says what the store of heads says when it cannot be asked', async () => {
  const sessions = async (): Promise<OwnedSession[]> => {
    throw new Error('no store');
  };
  await expect(heldBy({ sessions })([key(1, 1)])).rejects.toThrow('no store');
  expect(await heldBy({ sessions: async () => [row(2)] })([key(1, 1), key(2, 1)])).toEqual(new Set([key(2, 1)]));
});
