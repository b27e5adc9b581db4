/** What every Jobs does, in memory or in a store: cases that any test runner can loop over. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import type { Json } from '../../../kit/hash.js';
import type { JobPage, JobRow, Jobs, LeasedJob, NewJob } from './jobs.js';

/** One without jobs, that gives a job three tries. */
export interface JobsBench {
  jobs: Jobs;
  /** Moves its clock, which stands still otherwise. */
  advance(ms: number): void;
  close(): Promise<void>;
}

export interface JobsCase {
  name: string;
  run(): Promise<void>;
}

export const TRIES = 3;
const LEASE = 1000;

const refuses = (work: Promise<unknown>): Promise<void> =>
  rejects(work, (thrown: unknown) => {
    const error = thrown as { name?: string; code?: string; next?: string; message?: string };
    strictEqual(`${error.name} ${error.code}`, 'TreadleError bad_job', error.message);
    ok(error.next, 'says the next step');
    return true;
  });

const numbered = (count: number, from = 0): NewJob[] =>
  Array.from({ length: count }, (_, i) => ({ id: `j${i + from}`, payload: { n: i + from } }));
const leasedIds = (leased: readonly LeasedJob[]): string[] => leased.map(({ id, attempt }) => `${id}@${attempt}`);
const rowsOf = async (jobs: Jobs): Promise<string[]> =>
  (await jobs.list('q')).map(({ id, state, attempt }: JobRow) => `${id} ${state} ${attempt}`);

const CASES: Record<string, (bench: JobsBench) => Promise<void>> = {
  async 'a job is queued once by its id'({ jobs }) {
    strictEqual(await jobs.enqueue('q', numbered(3)), 3);
    strictEqual(await jobs.enqueue('q', [...numbered(4), { id: 'j1', payload: 'other' }]), 1);
    strictEqual(await jobs.enqueue('other', [{ id: 'j1', payload: 'of another queue' }]), 1);
    strictEqual(await jobs.enqueue('q', []), 0);
    const expected = numbered(4).map((job): JobRow => ({ ...job, state: 'waiting', attempt: 0 }));
    deepStrictEqual(await jobs.list('q'), expected);
    deepStrictEqual(await jobs.counts('q'), { waiting: 4, leased: 0, done: 0, failed: 0 });
    deepStrictEqual(await jobs.list('never'), []);
    deepStrictEqual(await jobs.counts('never'), { waiting: 0, leased: 0, done: 0, failed: 0 });
  },

  async 'what is no job is refused, and all that came with it'({ jobs }) {
    const bad: unknown[] = ['', 'a\nb', 'a\0', '\ud800', 'x'.repeat(513), undefined, null, 7, ['a']];
    for (const id of bad) await refuses(jobs.enqueue('q', [...numbered(2), { id: id as string, payload: 1 }]));
    for (const queue of bad) await refuses(jobs.enqueue(queue as string, numbered(1)));
    for (const payload of [undefined, Number.NaN, 1n, () => 1, { a: [Number.POSITIVE_INFINITY] }])
      await refuses(jobs.enqueue('q', [...numbered(1), { id: 'x', payload: payload as Json }]));
    deepStrictEqual(await jobs.list('q'), []);
    await jobs.enqueue('q', numbered(1));
    for (const worker of bad) await refuses(jobs.lease('q', worker as string, 1, LEASE));
    for (const count of [-1, 0.5, Number.NaN]) await refuses(jobs.lease('q', 'w', count, LEASE));
    for (const ms of [0, -1, 0.5, Number.NaN]) {
      await refuses(jobs.lease('q', 'w', 1, ms));
      await refuses(jobs.heartbeat('q', [], ms));
    }
    const [job] = await jobs.lease('q', 'w', 1, LEASE);
    strictEqual(job?.attempt, 1);
    await refuses(jobs.finish('q', 'j0', 1, undefined as unknown as Json));
    await refuses(jobs.fail('q', 'j0', 1, Number.NaN));
    deepStrictEqual(await rowsOf(jobs), ['j0 leased 1']);
  },

  async 'the oldest are leased first, each to one worker'({ jobs }) {
    await jobs.enqueue('q', [...numbered(2, 5), ...numbered(3)]);
    deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 2, LEASE)), ['j5@1', 'j6@1']);
    deepStrictEqual(leasedIds(await jobs.lease('q', 'b', 0, LEASE)), []);
    deepStrictEqual(
      await jobs.lease('q', 'b', 9, LEASE),
      numbered(3).map((job) => ({ ...job, attempt: 1 })),
    );
    deepStrictEqual(await jobs.lease('q', 'b', 9, LEASE), []);
    deepStrictEqual(await jobs.counts('q'), { waiting: 0, leased: 5, done: 0, failed: 0 });
  },

  async 'a job is finished once'({ jobs }) {
    await jobs.enqueue('q', numbered(2));
    await jobs.lease('q', 'a', 2, LEASE);
    strictEqual(await jobs.finish('q', 'j0', 1, { ok: [1, null, 'ä\0\ud800'] }), 'done');
    strictEqual(await jobs.finish('q', 'j0', 1, 'another'), 'known');
    strictEqual(await jobs.fail('q', 'j0', 1, 'too late'), 'stale');
    for (const attempt of [0, 2, -1, Number.NaN]) strictEqual(await jobs.finish('q', 'j1', attempt, 1), 'stale');
    strictEqual(await jobs.finish('q', 'never', 1, 1), 'stale');
    strictEqual(await jobs.finish('other', 'j1', 1, 1), 'stale');
    deepStrictEqual((await jobs.list('q'))[0], {
      id: 'j0',
      payload: { n: 0 },
      state: 'done',
      attempt: 1,
      result: { ok: [1, null, 'ä\0\ud800'] },
    });
    deepStrictEqual(await rowsOf(jobs), ['j0 done 1', 'j1 leased 1']);
  },

  async 'a job whose lease ran out goes to the next, and who had it is told'({ jobs, advance }) {
    await jobs.enqueue('q', numbered(2));
    await jobs.lease('q', 'a', 1, LEASE);
    advance(LEASE);
    deepStrictEqual(leasedIds(await jobs.lease('q', 'b', 1, LEASE)), ['j1@1']);
    advance(1);
    deepStrictEqual(leasedIds(await jobs.lease('q', 'b', 2, LEASE)), ['j0@2']);
    strictEqual(await jobs.finish('q', 'j0', 1, 'of a'), 'stale');
    deepStrictEqual(await jobs.heartbeat('q', [{ id: 'j0', attempt: 1 }], LEASE), []);
    strictEqual(await jobs.fail('q', 'j0', 1, 'of a'), 'stale');
    strictEqual(await jobs.finish('q', 'j0', 2, 'of b'), 'done');
    strictEqual(await jobs.finish('q', 'j0', 1, 'of a'), 'stale');
    deepStrictEqual((await jobs.list('q'))[0]?.result, 'of b');
  },

  async 'who is late but not replaced may still finish'({ jobs, advance }) {
    await jobs.enqueue('q', numbered(1));
    await jobs.lease('q', 'a', 1, LEASE);
    advance(10 * LEASE);
    deepStrictEqual(await jobs.heartbeat('q', [{ id: 'j0', attempt: 1 }], LEASE), ['j0']);
    advance(LEASE);
    deepStrictEqual(await jobs.lease('q', 'b', 1, LEASE), []);
    advance(10 * LEASE);
    strictEqual(await jobs.finish('q', 'j0', 1, 1), 'done');
    deepStrictEqual(await jobs.lease('q', 'b', 1, LEASE), []);
  },

  async 'a heartbeat keeps what is still the worker’s'({ jobs, advance }) {
    await jobs.enqueue('q', numbered(3));
    await jobs.lease('q', 'a', 3, LEASE);
    await jobs.finish('q', 'j1', 1, 1);
    for (let i = 0; i < 5; i++) {
      advance(LEASE);
      const asked = ['j0', 'j1', 'j2', 'never'].map((id) => ({ id, attempt: 1 }));
      deepStrictEqual(await jobs.heartbeat('q', asked, LEASE), ['j0', 'j2']);
    }
    deepStrictEqual(await jobs.heartbeat('q', [], LEASE), []);
    deepStrictEqual(await jobs.lease('q', 'b', 3, LEASE), []);
  },

  async 'a failed try is tried again, until its tries are used up'({ jobs }) {
    await jobs.enqueue('q', numbered(2));
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 1, LEASE)), [`j0@${attempt}`]);
      strictEqual(await jobs.fail('q', 'j0', attempt, { no: attempt }), 'done');
      strictEqual(await jobs.fail('q', 'j0', attempt, { no: 'again' }), 'known');
      strictEqual(await jobs.finish('q', 'j0', attempt, 1), 'stale');
    }
    strictEqual(await jobs.fail('q', 'j1', 0, 'nobody had it'), 'stale');
    deepStrictEqual(await jobs.list('q'), [
      { id: 'j0', payload: { n: 0 }, state: 'failed', attempt: TRIES, result: { no: TRIES } },
      { id: 'j1', payload: { n: 1 }, state: 'waiting', attempt: 0 },
    ]);
    deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 9, LEASE)), ['j1@1']);
    strictEqual(await jobs.fail('q', 'j1', 1, 'for good', true), 'done');
    deepStrictEqual(await jobs.lease('q', 'a', 9, LEASE), []);
    deepStrictEqual(await jobs.counts('q'), { waiting: 0, leased: 0, done: 0, failed: 2 });
  },

  async 'a job that every worker dies of becomes failed, and says so'({ jobs, advance }) {
    await jobs.enqueue('q', numbered(1));
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 1, LEASE)), [`j0@${attempt}`]);
      advance(LEASE + 1);
    }
    deepStrictEqual(await jobs.lease('q', 'a', 1, LEASE), []);
    const [row] = await jobs.list('q');
    strictEqual(row?.state, 'failed');
    match(JSON.stringify(row.result), /"code":"worker_lost"/);
    strictEqual(await jobs.finish('q', 'j0', TRIES, 1), 'stale');
  },

  async 'what was not begun is given back, and no try is lost'({ jobs, advance }) {
    await jobs.enqueue('q', numbered(2));
    for (let attempt = 1; attempt <= 2 * TRIES; attempt++) {
      deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 1, LEASE)), [`j0@${attempt}`]);
      strictEqual(await jobs.giveBack('q', [{ id: 'j0', attempt }]), 1);
      strictEqual(await jobs.giveBack('q', [{ id: 'j0', attempt }]), 0);
      strictEqual(await jobs.finish('q', 'j0', attempt, 1), 'stale');
    }
    await jobs.lease('q', 'a', 1, LEASE);
    advance(LEASE + 1);
    const [job] = await jobs.lease('q', 'b', 1, LEASE);
    strictEqual(await jobs.giveBack('q', [{ id: 'j0', attempt: 2 * TRIES + 1 }]), 0);
    strictEqual(await jobs.finish('q', 'j0', job?.attempt ?? 0, 1), 'done');
    strictEqual(await jobs.giveBack('q', [{ id: 'j0', attempt: job?.attempt ?? 0 }]), 0);
    deepStrictEqual(await rowsOf(jobs), [`j0 done ${2 * TRIES + 2}`, 'j1 waiting 0']);
  },

  async 'a job is done again where that is asked for, under a later attempt and with all its tries'({ jobs }) {
    await jobs.enqueue('q', numbered(4));
    await jobs.lease('q', 'a', 3, LEASE);
    await jobs.finish('q', 'j0', 1, 'first');
    await jobs.fail('q', 'j1', 1, 'no', true);
    strictEqual(await jobs.again('q', ['j0', 'j1', 'j2', 'j3', 'never']), 4);
    deepStrictEqual(await rowsOf(jobs), ['j0 waiting 1', 'j1 waiting 1', 'j2 waiting 1', 'j3 waiting 0']);
    for (const id of ['j0', 'j1', 'j2']) strictEqual(await jobs.finish('q', id, 1, 'late'), 'stale');
    deepStrictEqual(await jobs.heartbeat('q', [{ id: 'j2', attempt: 1 }], LEASE), []);
    for (let attempt = 2; attempt <= TRIES + 1; attempt++) {
      deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 1, LEASE)), [`j0@${attempt}`]);
      await jobs.fail('q', 'j0', attempt, { no: attempt });
    }
    strictEqual((await jobs.list('q'))[0]?.state, 'failed');
    deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 9, LEASE)), ['j1@2', 'j2@2', 'j3@1']);
    strictEqual(await jobs.finish('q', 'j1', 2, 'second'), 'done');
    deepStrictEqual((await jobs.list('q'))[1]?.result, 'second');
  },

  async 'a queue is dropped by itself'({ jobs }) {
    await jobs.enqueue('q', numbered(2));
    await jobs.enqueue('other', numbered(1));
    await jobs.lease('q', 'a', 1, LEASE);
    await jobs.drop('q');
    await jobs.drop('q');
    deepStrictEqual(await jobs.list('q'), []);
    strictEqual((await jobs.list('other')).length, 1);
    strictEqual(await jobs.finish('q', 'j0', 1, 1), 'stale');
    strictEqual(await jobs.enqueue('q', numbered(3)), 3);
    deepStrictEqual(leasedIds(await jobs.lease('q', 'a', 1, LEASE)), ['j0@1']);
    await jobs.drop('q', ['j0', 'j2', 'never']);
    strictEqual(await jobs.finish('q', 'j0', 1, 1), 'stale');
    deepStrictEqual(await rowsOf(jobs), ['j1 waiting 0']);
  },

  async 'a queue is listed by the page'({ jobs }) {
    await jobs.enqueue('q', [...numbered(3, 4), ...numbered(4)]);
    const pages: string[][] = [];
    for (let after = ''; ; after = pages.at(-1)?.at(-1) ?? '') {
      const page = await jobs.list('q', { after, limit: 3 });
      if (page.length === 0) break;
      pages.push(page.map(({ id }) => id));
    }
    deepStrictEqual(pages, [['j0', 'j1', 'j2'], ['j3', 'j4', 'j5'], ['j6']]);
    strictEqual((await jobs.list('q', { after: 'j4' })).length, 2);
    strictEqual((await jobs.list('never', { limit: 2 })).length, 0);
    await jobs.lease('q', 'a', 2, LEASE);
    const ids = async (page: JobPage): Promise<string[]> => (await jobs.list('q', page)).map(({ id }) => id);
    deepStrictEqual(await ids({ state: 'leased' }), ['j4', 'j5']);
    deepStrictEqual(await ids({ state: 'waiting', after: 'j2', limit: 9 }), ['j3', 'j6']);
  },

  async 'a batch is as long as it is, and what was given is not what is kept'({ jobs }) {
    const many = numbered(1201);
    strictEqual(await jobs.enqueue('q', many), 1201);
    (many[0] as NewJob).payload = 'changed';
    const leased = await jobs.lease('q', 'a', 1100, LEASE);
    deepStrictEqual(
      leased.map(({ id }) => id),
      numbered(1100).map(({ id }) => id),
    );
    deepStrictEqual(leased[0]?.payload, { n: 0 });
    Object.assign((leased[0] as LeasedJob).payload as object, { n: 9 });
    deepStrictEqual((await jobs.list('q')).find(({ id }) => id === 'j0')?.payload, { n: 0 });
    deepStrictEqual((await jobs.heartbeat('q', leased, LEASE)).length, 1100);
    deepStrictEqual(await jobs.counts('q'), { waiting: 101, leased: 1100, done: 0, failed: 0 });
  },
};

/** `open` makes a bench for each case, which closes it. */
export const jobsContract = (open: () => Promise<JobsBench>): JobsCase[] =>
  Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => {
      const bench = await open();
      try {
        await run(bench);
      } finally {
        await bench.close();
      }
    },
  }));
