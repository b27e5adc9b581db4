/** A queue worked off by hands that die, fail and are told to stop: every job is done once, none is lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import { processClock } from '../clock.js';
import { manualClock } from '../drill.fixture.js';
import { openStore } from '../store/libsql.js';
import type { Jobs, LeasedJob } from './jobs.js';
import { memoryJobs } from './memory.js';
import { type Ends, errorOf, type Hand, type JobsRun, runJobs } from './run.js';
import { storeJobs } from './stored.js';
import { JobWorker } from './worker.js';

const QUEUE = 'q';
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `j${String(n).padStart(3, '0')}`);
const fill = (jobs: Jobs, count: number): Promise<number> =>
  jobs.enqueue(
    QUEUE,
    ids(count).map((id) => ({ id, payload: id })),
  );
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A hand that does with each job what `act` says, and counts what it was given. */
const handOf = (act: (job: LeasedJob, ends: Ends) => Promise<void> | void, given: string[][] = []) => {
  let isStopping = false;
  return (): Hand => ({
    isWornOut: false,
    stop: () => {
      isStopping = true;
    },
    close: () => undefined,
    work: async (jobs, ends) => {
      given.push(jobs.map(({ id }) => id));
      for (const job of jobs) {
        await turn();
        if (isStopping) return;
        await act(job, ends);
      }
    },
  });
};

interface Came {
  results: Map<string, Json[]>;
  end: Awaited<ReturnType<typeof runJobs>>;
}

const came = async (jobs: Jobs, plan: Partial<JobsRun> & Pick<JobsRun, 'hire'>): Promise<Came> => {
  const results = new Map<string, Json[]>();
  const end = await runJobs({
    jobs,
    queue: QUEUE,
    hands: 3,
    share: () => 4,
    onDone: ({ id }, result) => void results.set(id, [...(results.get(id) ?? []), result]),
    ...plan,
  });
  return { results, end };
};

const once = (results: Came['results']): Record<string, Json> =>
  Object.fromEntries(
    [...results].map(([id, all]) => {
      expect(all, `${id} is done once`).toHaveLength(1);
      return [id, all[0] as Json];
    }),
  );
const expected = (count: number): Record<string, Json> => Object.fromEntries(ids(count).map((id) => [id, `of ${id}`]));
const doing = ({ id }: LeasedJob): Json => `of ${id}`;
const dead = new TreadleError({ code: 'worker_died', message: 'dead', fault: 'infrastructure' });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a run', () => {
  it('does every job once, some at a time', async () => {
    const jobs = memoryJobs(processClock);
    await fill(jobs, 30);
    const given: string[][] = [];
    const { results, end } = await came(jobs, { hire: handOf((job, ends) => ends.done(job, doing(job)), given) });
    expect(once(results)).toEqual(expected(30));
    expect(end).toEqual({ failed: [] });
    expect(Math.max(...given.map((batch) => batch.length))).toBe(4);
  });

  it('replaces hands that die, and only the job that kills them comes to nothing', async () => {
    const jobs = memoryJobs(processClock, { attempts: 3 });
    await fill(jobs, 20);
    const killed: string[] = [];
    const hire = handOf(async (job, ends) => {
      if (job.id === 'j005') {
        killed.push(job.id);
        throw dead;
      }
      await ends.done(job, doing(job));
    });
    const { results, end } = await came(jobs, { hire });
    const { j005: _, ...others } = expected(20);
    expect(once(results)).toEqual(others);
    expect(killed).toHaveLength(3);
    expect(end.failed.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(['j005 3']);
    expect(errorOf(end.failed[0] ?? {})).toMatchObject({
      code: 'worker_died',
      message: 'dead',
      fault: 'infrastructure',
    });
  });

  it('tries a job again that failed, and keeps its last error; the others are done', async () => {
    const jobs = memoryJobs(processClock, { attempts: 3 });
    await fill(jobs, 9);
    const tries = new Map<string, number>();
    const hire = handOf((job, ends) => {
      const n = (tries.get(job.id) ?? 0) + 1;
      tries.set(job.id, n);
      const error = new TreadleError({ code: 'no_luck', message: `try ${n}`, fault: 'world', value: { n }, next: 'x' });
      if (job.id === 'j001' || (job.id === 'j002' && n < 3)) return ends.failed(job, error);
      return ends.done(job, doing(job));
    });
    const { results, end } = await came(jobs, { hire });
    const { j001: _, ...others } = expected(9);
    expect(once(results)).toEqual(others);
    expect(errorOf(end.failed[0] ?? {}).line()).toBe('try 3 ({"n":3}). x');
    expect([tries.get('j001'), tries.get('j002')]).toEqual([3, 3]);
  });

  it('ends at once where every other job would fail as well, and nothing is used up', async () => {
    const jobs = memoryJobs(processClock, { attempts: 1 });
    await fill(jobs, 40);
    const full = new TreadleError({ code: 'disk_full', message: 'full' });
    const hire = handOf((job, ends) => (job.id === 'j003' ? ends.failed(job, full) : ends.done(job, doing(job))));
    const first = await came(jobs, { hire });
    expect(first.end).toEqual({ failure: full, failed: [] });
    expect(first.results.has('j003')).toBe(false);
    expect((await jobs.counts(QUEUE)).leased).toBe(0);
    const second = await came(jobs, { hire: handOf((job, ends) => ends.done(job, doing(job))) });
    expect({ ...once(first.results), ...once(second.results) }).toEqual(expected(40));
    expect(first.results.size + second.results.size).toBe(40);
  });

  it('is stopped, and another goes on', async () => {
    const jobs = memoryJobs(processClock, { attempts: 1 });
    await fill(jobs, 40);
    const stop = new AbortController();
    let begun = 0;
    const hire = handOf((job, ends) => {
      if (++begun === 10) stop.abort();
      return ends.done(job, doing(job));
    });
    const first = await came(jobs, { hire, stop: stop.signal });
    expect(first.end).toEqual({ failed: [] });
    expect(first.results.size).toBeLessThan(20);
    expect((await came(jobs, { hire, stop: stop.signal })).results.size).toBe(0);
    const second = await came(jobs, { hire: handOf((job, ends) => ends.done(job, doing(job))) });
    expect({ ...once(first.results), ...once(second.results) }).toEqual(expected(40));
  });

  it('ends with what its listener throws', async () => {
    const jobs = memoryJobs(processClock);
    await fill(jobs, 5);
    const onDone = (): void => {
      throw dead;
    };
    const { end } = await came(jobs, { hire: handOf((job, ends) => ends.done(job, 1)), onDone });
    expect(end.failure).toBe(dead);
  });

  it('waits for what another process has, and takes it over when its lease runs out', async () => {
    const jobs = memoryJobs(processClock);
    await fill(jobs, 3);
    const [lost] = await jobs.lease(QUEUE, 'a process that hangs', 1, 300);
    const { results } = await came(jobs, { hire: handOf((job, ends) => ends.done(job, doing(job))) });
    expect(once(results)).toEqual(expected(3));
    expect(await jobs.finish(QUEUE, lost?.id ?? '', 1, 'late')).toBe('stale');
  });
});

it('a worker’s heartbeat keeps its jobs, and tells it what it lost', async () => {
  const clock = manualClock();
  const jobs = memoryJobs(clock);
  await fill(jobs, 2);
  const worker = new JobWorker({ jobs, queue: QUEUE, name: 'a', leaseMs: 100_000 });
  const [first, second] = (await worker.take(2)) as [LeasedJob, LeasedJob];
  clock.advance(90_000);
  await worker.beat();
  clock.advance(90_000);
  expect(await jobs.lease(QUEUE, 'b', 2, 100_000)).toEqual([]);
  clock.advance(20_000);
  await jobs.lease(QUEUE, 'b', 1, 100_000);
  await worker.beat();
  expect([worker.has(first), worker.has(second)]).toEqual([false, true]);
  expect(await worker.done(first, 1)).toBe('stale');
  expect(await worker.done(second, 1)).toBe('done');
  worker.close();
});

/** What a drill does with a job: nothing wrong, a failure, a death of its hand before it ended, or of the whole command. */
const fate = fc.constantFrom('done', 'done', 'done', 'failed', 'died', 'killed' as const);

it('does everything once over many lives of a command, in a store that each of them opens', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), async (fates, hands) => {
      const where = mkdtempSync(join(folder, 'store-'));
      const made = new Map<string, number>();
      let drawn = 0;
      for (let life = 0; life < 60; life++) {
        const store = await openStore(where, { sync: 'normal' });
        const jobs = storeJobs(store, { attempts: 50 });
        await fill(jobs, 12);
        const rows = await jobs.list(QUEUE);
        await jobs.again(
          QUEUE,
          rows.filter(({ state }) => state !== 'done').map(({ id }) => id),
        );
        const stop = new AbortController();
        let isKilled = false;
        const hire = handOf(async (job, ends) => {
          const what = fates[drawn++] ?? 'done';
          // A process that is killed neither ends nor gives back what it had.
          if (isKilled) return;
          if (what === 'killed') {
            isKilled = true;
            stop.abort();
          } else if (what === 'died') throw dead;
          else if (what === 'failed') await ends.failed(job, dead);
          else await ends.done(job, doing(job));
        });
        await runJobs({
          jobs,
          queue: QUEUE,
          hands,
          share: () => 3,
          hire,
          stop: stop.signal,
          onDone: ({ id }) => void made.set(id, (made.get(id) ?? 0) + 1),
        });
        const { done } = await jobs.counts(QUEUE);
        await store.close();
        if (done === 12) break;
      }
      expect([...made].sort()).toEqual(ids(12).map((id) => [id, 1]));
    }),
    { numRuns: 30 },
  );
});
