/** Any order of what workers ask, with leases that run out, answers that are lost and workers that do not know that they are dead. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OwnershipBench } from './ownership.contract.js';
import { OWNERSHIPS } from './ownership.fixture.js';
import type { Head, OwnedSession, Ownership } from './ownership.js';

const LEASE = 1000;
const IDS = ['a', 'b', 'c'];
/** Incarnations so far are numbered; a step may name any of them, also dead ones. */
const who = fc.nat(8);
const sessions = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1 });
const isLost = fc.boolean();
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('register' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('renew' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bury' as const), who }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const), who, sessions, isLost }) },
  {
    weight: 6,
    // By how much it is off what the worker was told, so that most are right and all wrong ones come up.
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      who,
      session: fc.constantFrom(...IDS),
      gen: fc.constantFrom(0, 0, 0, 0, -1, 1),
      seq: fc.constantFrom(1, 1, 2, 0, 0, -1),
      isLost,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), who, sessions }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), who, sessions }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(100, 400, 999, 1001, 5000) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reap' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const isLater = (head: Head, than: Head | undefined): boolean =>
  than === undefined || head.gen > than.gen || (head.gen === than.gen && head.seq > than.seq);

/** What is true between any two moments, whoever asked for what. */
const checkPast = (
  before: readonly OwnedSession[],
  after: readonly OwnedSession[],
  dead: ReadonlySet<string>,
  one: Step,
): void => {
  for (const now of after) {
    const then = before.find(({ session }) => session === now.session);
    if (!then) {
      expect(now.gen).toBe(1);
      continue;
    }
    expect(now.gen, 'generations never fall').toBeGreaterThanOrEqual(then.gen);
    if (now.owner !== then.owner && now.owner !== null) {
      expect(now.gen, 'a new owner is a new generation').toBe(then.gen + 1);
      expect(then.owner === null || dead.has(then.owner), 'nobody alive loses a session').toBe(true);
    }
    if (now.head?.key === then.head?.key) expect(now.head).toEqual(then.head);
    else {
      expect(one.do, 'only commits move heads').toBe('commit');
      expect(isLater(now.head as Head, then.head), 'heads move forward').toBe(true);
      expect(now.previous, 'the one before is kept').toEqual(then.head);
      expect([now.owner, now.gen, now.head?.gen], 'only the owner moves a head').toEqual([
        then.owner,
        then.gen,
        then.gen,
      ]);
    }
  }
  for (const gone of before) if (!after.some(({ session }) => session === gone.session)) expect(one.do).toBe('forget');
};

class Play {
  readonly incarnations: string[] = [];
  /** What each incarnation believes of its sessions: told, or guessed where it was not. */
  readonly believed = new Map<string, { gen: number; seq: number }>();
  #keys = 0;

  constructor(
    readonly bench: OwnershipBench,
    readonly own: Ownership = bench.ownership,
  ) {}

  /** Names without what each implementation draws for itself. */
  plain(value: unknown): unknown {
    let text = JSON.stringify(value) ?? 'undefined';
    for (const [i, name] of this.incarnations.entries()) text = text.replaceAll(name, `#${i}`);
    return JSON.parse(text === 'undefined' ? 'null' : text);
  }

  async lost<T>(
    isLost: boolean,
    point: 'ownership.claimed' | 'ownership.committed',
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    if (!isLost) return work();
    this.bench.failAt(point);
    const answer = await work().then(
      () => expect.unreachable('its answer was to be lost'),
      (thrown: { code: string }) => thrown.code,
    );
    // A dead one is refused before there is an answer to lose; the failure waits for nobody.
    if (answer === 'not_registered') this.bench.failAt('savepoint.packed');
    else expect(answer).toBe('store_failed');
    return undefined;
  }

  /** Does one step; answers with what was said. */
  async act(one: Step): Promise<unknown> {
    const { own } = this;
    if (one.do === 'wait') return void this.bench.advance(one.ms);
    if (one.do === 'reap')
      return own
        .reap()
        .then(({ died, removed }) => ({ died: died.map((name) => this.incarnations.indexOf(name)).sort(), removed }));
    if (one.do === 'register') return void this.incarnations.push((await own.register('w', LEASE)).incarnation);
    if (this.incarnations.length === 0) return;
    const me = this.incarnations[one.who % this.incarnations.length] as string;
    if (one.do === 'renew') return (await own.renew(me))?.ms;
    if (one.do === 'bury') return own.bury(me);
    if (one.do === 'release') return own.release(me, one.sessions);
    if (one.do === 'forget') return own.forget(me, one.sessions);
    if (one.do === 'claim') return this.#claim(me, one);
    return this.#commit(me, one);
  }

  async #claim(me: string, one: Extract<Step, { do: 'claim' }>): Promise<unknown> {
    const claim = () =>
      this.own.claim(me, one.sessions).catch((thrown: { code: string }) => {
        if (thrown.code !== 'not_registered' || one.isLost) throw thrown;
        return [];
      });
    const claims = await this.lost(one.isLost, 'ownership.claimed', claim);
    for (const each of claims ?? [])
      if (each.granted) this.believed.set(`${me} ${each.session}`, { gen: each.gen, seq: each.head?.seq ?? 0 });
    return claims;
  }

  async #commit(me: string, one: Extract<Step, { do: 'commit' }>): Promise<unknown> {
    const belief = this.believed.get(`${me} ${one.session}`) ?? { gen: 1, seq: 0 };
    const commit = {
      session: one.session,
      gen: belief.gen + one.gen,
      seq: belief.seq + one.seq,
      key: `k${this.#keys++}`,
    };
    const [then] = (await this.own.sessions()).filter(({ session }) => session === one.session);
    const committed = (
      await this.lost(one.isLost, 'ownership.committed', () => this.own.commitHead(me, [commit]))
    )?.[0];
    const isOwner = then?.owner === me && then.gen === commit.gen;
    if (committed) expect(committed.outcome !== 'fenced', 'fenced: exactly who does not own').toBe(isOwner);
    if (committed?.outcome === 'moved') belief.seq = commit.seq;
    if (!isOwner) {
      const [now] = (await this.own.sessions()).filter(({ session }) => session === one.session);
      expect(now, 'a fenced one changes nothing').toEqual(then);
    }
    // Made again under another key, as one does that was not told: it stands, or never will.
    if (one.isLost && isOwner) {
      const [again] = await this.own.commitHead(me, [{ ...commit, key: `k${this.#keys++}` }]);
      expect(['known', 'behind'], 'made again').toContain(again?.outcome);
    }
    return committed;
  }
}

const play = async (bench: OwnershipBench, steps: readonly Step[]): Promise<unknown[]> => {
  const game = new Play(bench);
  const said: unknown[] = [];
  let before: OwnedSession[] = [];
  for (const one of steps) {
    said.push(game.plain(await game.act(one)));
    const after = await bench.ownership.sessions();
    const alive = (await bench.ownership.workers())
      .filter((worker) => !worker.dead)
      .map(({ incarnation }) => incarnation);
    const dead = new Set(game.incarnations.filter((name) => !alive.includes(name)));
    for (const { owner, ownerIsDead } of after) expect(ownerIsDead).toBe(owner !== null && dead.has(owner));
    checkPast(before, after, dead, one);
    said.push(game.plain(after));
    before = after;
  }
  // No session is stuck: once everybody is dead, one that comes has all of them, and may commit.
  for (const incarnation of game.incarnations) await bench.ownership.bury(incarnation);
  const { incarnation } = await bench.ownership.register('last', LEASE);
  for (const claim of await bench.ownership.claim(incarnation, IDS)) {
    expect(claim.granted).toBe(true);
    const commit = { session: claim.session, gen: claim.gen, seq: 1000, key: 'last' };
    expect(await bench.ownership.commitHead(incarnation, [commit])).toMatchObject([{ outcome: 'moved' }]);
  }
  await bench.ownership.reap();
  expect((await bench.ownership.workers()).map((worker) => worker.incarnation)).toEqual([incarnation]);
  return said;
};

type Opened = 'memory' | 'a store in memory';

const played = async (name: Opened, steps: readonly Step[], fence = true): Promise<unknown[]> => {
  const bench = await (OWNERSHIPS(() => '')[name] as (options: { fence: boolean }) => Promise<OwnershipBench>)({
    fence,
  });
  try {
    return await play(bench, [{ do: 'register' }, { do: 'register' }, ...steps]);
  } finally {
    await bench.close();
  }
};
const anySteps = fc.array(step, { maxLength: 60, size: 'max' });

it('has one owner a session, generations that never fall and heads that only their owner moves', {
  timeout: 180_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      expect(await played('a store in memory', steps)).toEqual(await played('memory', steps));
    }),
    { numRuns: 150 },
  );
});

it.each(['memory', 'a store in memory'] as const)('has not, without its fence: %s', async (name) => {
  const property = fc.asyncProperty(anySteps, async (steps) => {
    await played(name, steps, false);
  });
  const report = await fc.check(property, { numRuns: 150, endOnFailure: true });
  expect(report.failed).toBe(true);
  expect(String(report.errorInstance)).toMatch(/fenced|made again|only the owner|forward/);
});
