/** The contract of jobs, over every implementation; and that all of them do the same, whatever dies. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../drill.fixture.js';
import { openStore } from '../store/libsql.js';
import { type JobsBench, jobsContract, TRIES } from './jobs.contract.js';
import type { Jobs, LeasedJob } from './jobs.js';
import { memoryJobs } from './memory.js';
import { storeJobs } from './stored.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-jobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stored = async (where: string | undefined): Promise<JobsBench> => {
  const clock = manualClock();
  const store = await openStore(where, { clock });
  return { jobs: storeJobs(store, { attempts: TRIES }), advance: clock.advance, close: () => store.close() };
};
const IMPLEMENTATIONS: Record<string, () => Promise<JobsBench>> = {
  memory: async () => {
    const clock = manualClock();
    return { jobs: memoryJobs(clock, { attempts: TRIES }), advance: clock.advance, close: async () => undefined };
  },
  'a store in memory': () => stored(undefined),
  'a store in a folder': () => stored(folder),
};

describe.each(Object.entries(IMPLEMENTATIONS))('jobs: %s', (_, open) => {
  for (const { name, run } of jobsContract(open)) it(name, run);
});

it('fails jobs that had more tries than are allowed since, and leases those behind them', async () => {
  const opened = async (attempts: number, work: (jobs: Jobs) => Promise<void>): Promise<void> => {
    const store = await openStore(folder);
    await work(storeJobs(store, { attempts }));
    await store.close();
  };
  await opened(9, async (jobs) => {
    await jobs.enqueue(
      'q',
      ['a', 'b', 'c'].map((id) => ({ id, payload: 1 })),
    );
    for (const attempt of [1, 2, 3]) {
      await jobs.lease('q', 'w', 2, 1000);
      for (const id of ['a', 'b']) await jobs.fail('q', id, attempt, { no: attempt });
    }
  });
  await opened(2, async (jobs) => {
    expect(await jobs.lease('q', 'w', 1, 1000)).toEqual([{ id: 'c', payload: 1, attempt: 1 }]);
    expect(await jobs.counts('q')).toEqual({ waiting: 0, leased: 1, done: 0, failed: 2 });
    expect((await jobs.list('q'))[1]).toMatchObject({ id: 'b', state: 'failed', attempt: 3, result: { no: 3 } });
  });
});

const LEASE = 100;
const IDS = ['a', 'b', 'c', 'd'];

/** A worker's memory: what it believes to have, also after others took it. `isLost`: it is not told what became of what it asked. */
const step = fc.oneof(
  fc.record({ do: fc.constant('enqueue' as const), id: fc.constantFrom(...IDS) }),
  fc.record({ do: fc.constant('lease' as const), worker: fc.nat(2), count: fc.nat(3), isLost: fc.boolean() }),
  fc.record({ do: fc.constant('finish' as const), worker: fc.nat(2), at: fc.nat(), isLost: fc.boolean() }),
  fc.record({
    do: fc.constant('fail' as const),
    worker: fc.nat(2),
    at: fc.nat(),
    isLost: fc.boolean(),
    isFinal: fc.boolean(),
  }),
  fc.record({ do: fc.constant('heartbeat' as const), worker: fc.nat(2) }),
  fc.record({ do: fc.constant('giveBack' as const), worker: fc.nat(2), at: fc.nat(), isLost: fc.boolean() }),
  fc.record({ do: fc.constant('crash' as const), worker: fc.nat(2) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(LEASE * 2) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Plays the steps; answers with all that was said, and has seen that nothing was done twice. */
const play = async ({ jobs, advance }: JobsBench, steps: readonly Step[]): Promise<unknown[]> => {
  const said: unknown[] = [];
  const believed: LeasedJob[][] = [[], [], []];
  const attempts = new Map<string, number>();
  /** By id: the attempt that finished it, as its worker was told or could have been. */
  const finished = new Map<string, number>();
  const returned = new Map<string, number>();
  const ended = async (one: Extract<Step, { at: number }>, ask: (jobs: Jobs, job: LeasedJob) => Promise<string>) => {
    const mine = believed[one.worker] as LeasedJob[];
    const job = mine[one.at % Math.max(1, mine.length)];
    if (!job) return;
    const answer = await ask(jobs, job);
    if (one.do === 'finish' && answer === 'done') {
      expect(finished.has(job.id), `${job.id} is done twice`).toBe(false);
      expect(attempts.get(job.id)).toBe(job.attempt);
      finished.set(job.id, job.attempt);
    }
    if (one.do === 'finish' && answer === 'known') expect(finished.get(job.id)).toBe(job.attempt);
    if (!one.isLost) mine.splice(mine.indexOf(job), 1);
    said.push([job.id, job.attempt, answer]);
  };
  for (const one of steps) {
    if (one.do === 'enqueue') said.push(await jobs.enqueue('q', [{ id: one.id, payload: one.id }]));
    else if (one.do === 'wait') advance(one.ms);
    else if (one.do === 'crash') believed[one.worker] = [];
    else if (one.do === 'lease') {
      const leased = await jobs.lease('q', `w${one.worker}`, one.count, LEASE);
      for (const { id, attempt } of leased) {
        expect(attempt).toBe((attempts.get(id) ?? 0) + 1);
        expect(finished.has(id)).toBe(false);
        attempts.set(id, attempt);
      }
      if (!one.isLost) (believed[one.worker] as LeasedJob[]).push(...leased);
      said.push(leased);
    } else if (one.do === 'heartbeat') said.push(await jobs.heartbeat('q', believed[one.worker] as LeasedJob[], LEASE));
    else if (one.do === 'giveBack')
      await ended(one, async (to, job) => {
        const count = await to.giveBack('q', [job]);
        returned.set(job.id, (returned.get(job.id) ?? 0) + count);
        return `${count}`;
      });
    else if (one.do === 'finish')
      await ended(one, (to, { id, attempt }) => to.finish('q', id, attempt, `${one.worker}`));
    else await ended(one, (to, { id, attempt }) => to.fail('q', id, attempt, 'no', one.isFinal));
  }
  // Somebody who works well comes last: whatever happened, every job ends, done or failed, and none is stuck.
  for (let round = 0; round <= TRIES; round++) {
    advance(LEASE + 1);
    for (const { id, attempt } of await jobs.lease('q', 'last', IDS.length, LEASE)) {
      expect(await jobs.finish('q', id, attempt, 'last')).toBe('done');
      expect(finished.has(id)).toBe(false);
      finished.set(id, attempt);
    }
  }
  const rows = await jobs.list('q');
  for (const { id, state, attempt } of rows) {
    expect(['done', 'failed']).toContain(state);
    expect(finished.get(id)).toBe(state === 'done' ? attempt : undefined);
    expect(attempt).toBeLessThanOrEqual(TRIES + (returned.get(id) ?? 0));
  }
  return [...said, rows];
};

it('finishes every job once by (id, attempt), whatever dies and whatever answer is lost', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const played: unknown[][] = [];
      for (const open of [IMPLEMENTATIONS.memory, IMPLEMENTATIONS['a store in memory']]) {
        const bench = await (open as () => Promise<JobsBench>)();
        try {
          played.push(await play(bench, steps));
        } finally {
          await bench.close();
        }
      }
      expect(played[1]).toEqual(played[0]);
    }),
    { numRuns: 150 },
  );
});
