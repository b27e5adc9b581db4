/** What every Ownership does, in memory, in a store or over a link: cases that any test runner can loop over. */
import { deepStrictEqual, match, notStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { FaultPoint } from '../faults/fault-points.js';
import type { Claim, Committed, Lease, Ownership } from './ownership.js';

/** One that nobody used yet. */
export interface OwnershipBench {
  ownership: Ownership;
  /** Moves its clock, which stands still otherwise. */
  advance(ms: number): void;
  /** The next one to reach this point fails there. */
  failAt(point: FaultPoint): void;
  close(): Promise<void>;
}

export interface OwnershipCase {
  name: string;
  run(): Promise<void>;
}

/** Milliseconds. */
export const LEASE = 1000;

const refuses = (code: string | RegExp, work: Promise<unknown>): Promise<void> =>
  rejects(work, (thrown: unknown) => {
    const error = thrown as { name?: string; code?: string; message: string; next?: string };
    match(`${error.name} ${error.code}`, new RegExp(`^TreadleError ${code instanceof RegExp ? code.source : code}$`));
    ok(error.next, 'says the next step');
    return true;
  });

const granted = (claim: Claim | undefined): Extract<Claim, { granted: true }> => {
  ok(claim?.granted, `granted: ${JSON.stringify(claim)}`);
  return claim;
};
const outcome = (committed: Committed[]): string | undefined => committed[0]?.outcome;

class Hand {
  constructor(readonly bench: OwnershipBench) {}
  get own(): Ownership {
    return this.bench.ownership;
  }
  async worker(name = 'w', ms = LEASE): Promise<string> {
    return (await this.own.register(name, ms)).incarnation;
  }
  async claim(worker: string, session = 's'): Promise<Extract<Claim, { granted: true }>> {
    return granted((await this.own.claim(worker, [session]))[0]);
  }
  commit(worker: string, gen: number, seq: number, key = `k/${gen}/${seq}`, session = 's'): Promise<Committed[]> {
    return this.own.commitHead(worker, [{ session, key, gen, seq }]);
  }
  /** Time passes with rounds of reaping, as on a server; `renewing` are heard from. Answers who died. */
  async pass(ms: number, renewing: readonly string[] = []): Promise<string[]> {
    const died: string[] = [];
    for (let left = ms; left > 0; left -= 250) {
      this.bench.advance(Math.min(left, 250));
      for (const worker of renewing) ok(await this.own.renew(worker), 'renews');
      died.push(...(await this.own.reap()).died);
    }
    return died;
  }
}

const CASES: Record<string, (hand: Hand) => Promise<void>> = {
  async 'a worker is another one each time it registers'({ own }) {
    const [first, second] = [await own.register('w-1.a_B', LEASE), await own.register('w-1.a_B', 5000)] as [
      Lease,
      Lease,
    ];
    match(first.incarnation, /^w-1\.a_B#[0-9a-f-]{36}$/);
    notStrictEqual(first.incarnation, second.incarnation);
    deepStrictEqual([first.ms, second.ms, second.until - first.until], [LEASE, 5000, 4000]);
    deepStrictEqual(
      (await own.workers())
        .map(({ incarnation, until, dead, sessions }) => [incarnation, until, dead, sessions])
        .sort(),
      [first, second].map(({ incarnation, until }) => [incarnation, until, false, 0]).sort(),
    );
  },

  async 'names and leases that are none are refused'({ own }) {
    const names: unknown[] = [
      '',
      '#',
      'a#b',
      'a b',
      '-a',
      'ä',
      'a\n',
      'a\0',
      'x'.repeat(65),
      '\ud800',
      undefined,
      7,
      ['a'],
    ];
    for (const name of names) await refuses('bad_name', own.register(name as string, LEASE));
    for (const ms of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1000'])
      await refuses('bad_lease', own.register('w', ms as number));
    deepStrictEqual(await own.workers(), []);
  },

  async 'who was never registered gets nothing'(hand) {
    const { own } = hand;
    await hand.claim(await hand.worker());
    const nobody = 'w#00000000-0000-0000-0000-000000000000';
    strictEqual(await own.renew(nobody), undefined);
    strictEqual(await own.bury(nobody), false);
    await refuses('not_registered', own.claim(nobody, ['t']));
    strictEqual(outcome(await hand.commit(nobody, 1, 1)), 'fenced');
    strictEqual(await own.release(nobody, ['s']), 0);
    deepStrictEqual(await own.forget(nobody, ['s']), []);
    deepStrictEqual(
      (await own.sessions()).map(({ session, gen }) => [session, gen]),
      [['s', 1]],
    );
  },

  async 'a session has one owner, and each claim a generation'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    deepStrictEqual(await own.claim(a, ['s', 't']), [
      { session: 's', granted: true, gen: 1 },
      { session: 't', granted: true, gen: 1 },
    ]);
    deepStrictEqual(await own.claim(b, ['u', 't', 's']), [
      { session: 'u', granted: true, gen: 1 },
      { session: 't', granted: false, owner: a, gen: 1 },
      { session: 's', granted: false, owner: a, gen: 1 },
    ]);
    strictEqual(await own.release(b, ['s', 't', 'u', 'never']), 1);
    strictEqual(await own.release(a, ['t', 't']), 1);
    deepStrictEqual(await own.claim(b, ['t', 's']), [
      { session: 't', granted: true, gen: 2 },
      { session: 's', granted: false, owner: a, gen: 1 },
    ]);
    deepStrictEqual(
      (await own.sessions()).map(({ session, owner, ownerIsDead, gen }) => [session, owner, ownerIsDead, gen]),
      [
        ['s', a, false, 1],
        ['t', b, false, 2],
        ['u', null, false, 1],
      ],
    );
    deepStrictEqual(
      new Map((await own.workers()).map((row) => [row.incarnation, row.sessions])),
      new Map([
        [a, 1],
        [b, 1],
      ]),
    );
  },

  async 'one batch may name a session twice, or none'(hand) {
    const { own } = hand;
    const a = await hand.worker();
    const twice = { session: 's', granted: true, gen: 1 };
    deepStrictEqual(await own.claim(a, ['s', 's']), [twice, twice]);
    const commits = [1, 2, 2, 1].map((seq) => ({ session: 's', key: `k${seq}`, gen: 1, seq }));
    deepStrictEqual(
      (await own.commitHead(a, commits)).map((each) => each.outcome),
      ['moved', 'moved', 'known', 'known'],
    );
    deepStrictEqual(await own.claim(a, []), []);
    deepStrictEqual(await own.commitHead(a, []), []);
    strictEqual(await own.release(a, []), 0);
    deepStrictEqual(await own.forget(a, []), []);
  },

  async 'a batch is as long as it is'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    const ids = Array.from({ length: 1234 }, (_, i) => `s${i}`);
    const odd = ids.filter((_, i) => i % 2 === 1);
    ok((await own.claim(a, odd)).every((claim) => claim.granted && claim.gen === 1));
    const claims = await own.claim(b, ids);
    deepStrictEqual(
      claims.map(({ session }) => session),
      ids,
    );
    deepStrictEqual(
      claims.map((claim) => claim.granted),
      ids.map((_, i) => i % 2 === 0),
    );
    const commits = ids.map((session, i) => ({ session, key: `k${i}`, gen: 1, seq: i }));
    deepStrictEqual(
      (await own.commitHead(a, commits)).map((each) => each.outcome),
      ids.map((_, i) => (i % 2 === 1 ? 'moved' : 'fenced')),
    );
    deepStrictEqual(
      (await own.sessions()).map(({ session }) => session),
      [...odd, ...ids.filter((_, i) => i % 2 === 0)],
    );
    strictEqual(await own.release(a, ids), odd.length);
    strictEqual((await own.forget(b, ids)).length, 0);
    strictEqual((await own.sessions()).length, odd.length);
  },

  async 'a head moves forward, and the one before it is kept'(hand) {
    const { own } = hand;
    const a = await hand.worker('a');
    await hand.claim(a);
    deepStrictEqual(await hand.commit(a, 1, 3, 'k3'), [{ session: 's', outcome: 'moved', superseded: [] }]);
    deepStrictEqual(await hand.commit(a, 1, 5, 'k5'), [{ session: 's', outcome: 'moved', superseded: [] }]);
    deepStrictEqual(await hand.commit(a, 1, 9, 'k9'), [{ session: 's', outcome: 'moved', superseded: ['k3'] }]);
    deepStrictEqual(await hand.commit(a, 1, 7, 'k7'), [{ session: 's', outcome: 'behind' }]);
    const heads = { head: { key: 'k9', gen: 1, seq: 9 }, previous: { key: 'k5', gen: 1, seq: 5 } };
    deepStrictEqual(await own.sessions(), [{ session: 's', owner: a, ownerIsDead: false, gen: 1, ...heads }]);
    await own.release(a, ['s']);
    deepStrictEqual(await own.claim(a, ['s']), [{ session: 's', granted: true, gen: 2, ...heads }]);
    strictEqual(outcome(await hand.commit(a, 1, 11)), 'fenced');
    // The newest could not be read: the next generation goes on from the one before.
    deepStrictEqual(await hand.commit(a, 2, 6, 'k6'), [{ session: 's', outcome: 'moved', superseded: ['k5'] }]);
  },

  async 're-committing one (generation, seq) under a new key is recognised and does not fence its owner'(hand) {
    const a = await hand.worker('a');
    await hand.claim(a);
    await hand.commit(a, 1, 1, 'k1');
    hand.bench.failAt('ownership.committed');
    await refuses(/store_failed|worker_link/, hand.commit(a, 1, 2, 'first'));
    deepStrictEqual(await hand.commit(a, 1, 2, 'second'), [{ session: 's', outcome: 'known', key: 'first' }]);
    deepStrictEqual(await hand.commit(a, 1, 2, 'first'), [{ session: 's', outcome: 'known', key: 'first' }]);
    deepStrictEqual(await hand.commit(a, 1, 1, 'again'), [{ session: 's', outcome: 'known', key: 'k1' }]);
    deepStrictEqual(await hand.commit(a, 1, 3, 'third'), [{ session: 's', outcome: 'moved', superseded: ['k1'] }]);
  },

  async 'a claim whose answer was lost does not leave the session stuck'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    hand.bench.failAt('ownership.claimed');
    await refuses(/store_failed|worker_link/, own.claim(a, ['s']));
    strictEqual((await own.claim(b, ['s']))[0]?.granted, false);
    strictEqual((await hand.claim(a)).gen, 2);
    strictEqual(outcome(await hand.commit(a, 1, 1)), 'fenced');
    strictEqual(outcome(await hand.commit(a, 2, 1)), 'moved');
  },

  async 'what fails before it is done changes nothing'(hand) {
    const { own } = hand;
    const a = await hand.worker('a');
    hand.bench.failAt('ownership.claim');
    await refuses(/store_failed|worker_link/, own.claim(a, ['s']));
    deepStrictEqual(await own.sessions(), []);
    await hand.claim(a);
    hand.bench.failAt('ownership.commit');
    await refuses(/store_failed|worker_link/, hand.commit(a, 1, 1));
    strictEqual((await own.sessions())[0]?.head, undefined);
    hand.bench.failAt('ownership.renew');
    await refuses(/store_failed|worker_link/, own.renew(a));
    ok(await own.renew(a));
  },

  async 'the sessions of a dead one go to whoever claims them, and it is fenced'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    await hand.claim(a);
    await hand.commit(a, 1, 4, 'k4');
    strictEqual(await own.bury(a), true);
    strictEqual(await own.bury(a), false);
    strictEqual(await own.renew(a), undefined);
    await refuses('not_registered', own.claim(a, ['s']));
    deepStrictEqual(
      (await own.sessions()).map(({ owner, ownerIsDead }) => [owner, ownerIsDead]),
      [[a, true]],
    );
    deepStrictEqual(await own.claim(b, ['s']), [
      { session: 's', granted: true, gen: 2, head: { key: 'k4', gen: 1, seq: 4 } },
    ]);
    strictEqual(outcome(await hand.commit(a, 1, 5)), 'fenced');
    strictEqual(outcome(await hand.commit(a, 2, 5)), 'fenced');
    strictEqual(await own.release(a, ['s']), 0);
    deepStrictEqual(await own.forget(a, ['s']), []);
    strictEqual(outcome(await hand.commit(b, 2, 5)), 'moved');
  },

  async 'a lease that is not renewed runs out, and death is for good'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    await hand.claim(a);
    deepStrictEqual(await hand.pass(LEASE, [b]), []);
    deepStrictEqual(await hand.pass(250, [b]), [a]);
    strictEqual(await own.renew(a), undefined);
    deepStrictEqual(
      (await own.workers()).map(({ incarnation, dead }) => [incarnation, dead]).sort(),
      [
        [a, true],
        [b, false],
      ].sort(),
    );
    deepStrictEqual(await hand.pass(3 * LEASE, [b]), []);
    strictEqual((await hand.claim(b)).gen, 2);
    deepStrictEqual(await own.reap(), { died: [], removed: 1 });
    deepStrictEqual(
      (await own.workers()).map(({ incarnation }) => incarnation),
      [b],
    );
    strictEqual(await own.renew(a), undefined);
    await refuses('not_registered', own.claim(a, ['s']));
  },

  async 'a lease that ran out is not renewed, reaped or not'(hand) {
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    for (let i = 0; i < 5; i++) {
      hand.bench.advance(250);
      ok(await hand.own.renew(b));
    }
    strictEqual(await hand.own.renew(a), undefined);
    deepStrictEqual((await hand.own.reap()).died, [a]);
  },

  async 'after a pause of more than a lease nobody is latched for one lease'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    await hand.claim(a);
    hand.bench.advance(20 * LEASE);
    deepStrictEqual(await own.reap(), { died: [], removed: 0 });
    const lease = await own.renew(b);
    ok(lease);
    deepStrictEqual(await hand.pass(LEASE - 1, [b]), []);
    strictEqual((await own.claim(b, ['s']))[0]?.granted, false);
    deepStrictEqual(await hand.pass(250, [b]), [a]);
    // The renewal comes first.
    hand.bench.advance(20 * LEASE);
    ok(await own.renew(b));
    deepStrictEqual(await own.reap(), { died: [], removed: 0 });
  },

  async 'a session that is over leaves nothing but the keys to delete'(hand) {
    const { own } = hand;
    const [a, b] = [await hand.worker('a'), await hand.worker('b')];
    await own.claim(a, ['s', 't', 'u']);
    await hand.commit(a, 1, 1, 'k1');
    await hand.commit(a, 1, 2, 'k2');
    await hand.commit(a, 1, 1, 't1', 't');
    deepStrictEqual(await own.forget(b, ['s', 't', 'u']), []);
    deepStrictEqual((await own.forget(a, ['s', 't', 't', 'never'])).sort(), ['k1', 'k2', 't1']);
    deepStrictEqual(await own.forget(a, ['s', 't']), []);
    deepStrictEqual(
      (await own.sessions()).map(({ session }) => session),
      ['u'],
    );
    strictEqual(outcome(await hand.commit(a, 1, 3)), 'fenced');
    deepStrictEqual(await own.claim(b, ['s']), [{ session: 's', granted: true, gen: 1 }]);
  },
};

/** `open` makes a bench for each case, which closes it. */
export const ownershipContract = (open: () => Promise<OwnershipBench>): OwnershipCase[] =>
  Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => {
      const bench = await open();
      try {
        await run(new Hand(bench));
      } finally {
        await bench.close();
      }
    },
  }));
