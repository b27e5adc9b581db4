/** Work left with a server: done once by whoever takes it, whatever dies, and its results read back. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { memoryBlobs } from '../blobs/memory.js';
import { processClock } from '../durable/clock.js';
import { manualClock } from '../durable/drill.fixture.js';
import type { LeasedJob } from '../durable/jobs/jobs.js';
import { memoryJobs } from '../durable/jobs/memory.js';
import { type RpcPair, rpcPair } from '../workers/rpc/rpc.fixture.js';
import { blobsOf, JobDesk, queueOf } from './desk.js';
import { remoteDesk, serveJobs } from './link.js';
import type { JobRequest } from './request.js';
import { workOnJobs } from './worker.js';

const GATE: JobRequest = { kind: 'gate' };
const ITEMS = 20;
const ids = Array.from({ length: ITEMS }, (_, n) => `${String(n).padStart(3, '0')} w/t${n}`);

const pairs: RpcPair[] = [];
const overs: (() => void)[] = [];
afterEach(async () => {
  for (const over of overs.splice(0)) over();
  for (const pair of pairs.splice(0)) pair.end();
});

const deskOf = async (
  options: { jobs?: ReturnType<typeof memoryJobs>; blobs?: ReturnType<typeof memoryBlobs> } = {},
) => {
  const { jobs = memoryJobs(processClock, { attempts: 3 }), blobs = memoryBlobs() } = options;
  const plan = ({ limit = ITEMS }: JobRequest) => ids.slice(0, limit).map((id) => ({ id, payload: { of: id } }));
  return { desk: await JobDesk.open({ jobs, blobs, plan }), jobs, blobs };
};

type Make = (request: JobRequest, item: LeasedJob) => Promise<Json>;
const makes: Make = async (_, { id }) => ({ made: id });

/** A worker at the other end of a socket. */
const worker = async (desk: JobDesk, blobs: ReturnType<typeof memoryBlobs>, make: Make = makes, name = 'w') => {
  const pair = await rpcPair();
  pairs.push(pair);
  serveJobs(pair.far, desk);
  let isOver = false;
  overs.push(() => {
    isOver = true;
  });
  const ended = workOnJobs({
    name,
    desk: remoteDesk(pair.near),
    blobs,
    work: { make, rest: () => undefined },
    isOver: () => isOver,
    isBusy: () => false,
  });
  return {
    pair,
    end: async () => {
      isOver = true;
      await ended;
    },
  };
};

const until = (desk: JobDesk, id: string) =>
  vi.waitFor(async () => expect((await desk.job(id)).isOver).toBe(true), { timeout: 30_000, interval: 20 });
const made = async (desk: JobDesk, id: string): Promise<unknown[]> =>
  (await desk.results(id)).map(({ result }) => (result as { made: string } | undefined)?.made);

describe('a job', () => {
  it('is done by two workers, told of as it gets on, and read by the page', async () => {
    const { desk, blobs } = await deskOf();
    await worker(desk, blobs, makes, 'a');
    await worker(desk, blobs, makes, 'b');
    const { id, items, isOver } = await desk.submit(GATE);
    expect([items.waiting + items.leased + items.done, isOver]).toEqual([ITEMS, false]);
    await until(desk, id);
    expect(await desk.job(id)).toEqual({
      id,
      request: GATE,
      items: { waiting: 0, leased: 0, done: ITEMS, failed: 0 },
      isOver: true,
    });
    expect(await made(desk, id)).toEqual(ids);
    const page = await desk.results(id, { after: ids[4] as string, limit: 2 });
    expect(page.map((item) => item.id)).toEqual(ids.slice(5, 7));
    expect((await blobs.list(blobsOf(id))).length).toBe(ITEMS);
  });

  it('goes on with another worker when one ends in the middle of an item', async () => {
    const { desk, blobs } = await deskOf();
    let hangs: (() => void) | undefined;
    const hung = new Promise<void>((resolve) => {
      hangs = resolve;
    });
    const dying = await worker(desk, blobs, async (_, { id }) => {
      if (id === ids[3]) {
        hangs?.();
        await new Promise(() => undefined);
      }
      return { made: id };
    });
    const { id } = await desk.submit(GATE);
    await hung;
    dying.pair.end();
    await worker(desk, blobs);
    await until(desk, id);
    expect(await made(desk, id)).toEqual(ids);
    const attempts = (await desk.results(id)).map(({ attempt }) => attempt);
    expect([attempts[2], attempts[3], attempts[9]]).toEqual([1, 2, 1]);
  });

  it('is not failed by a worker that stops: what it had not begun is given back', async () => {
    const { desk, blobs, jobs } = await deskOf();
    let count = 0;
    let first: Awaited<ReturnType<typeof worker>> | undefined;
    let ended: Promise<void> | undefined;
    first = await worker(desk, blobs, async (_, { id }) => {
      if (++count === 3) ended = first?.end();
      return { made: id };
    });
    const { id } = await desk.submit(GATE);
    await vi.waitFor(() => expect(ended).toBeDefined());
    await ended;
    expect(await jobs.counts(queueOf(id))).toEqual({ waiting: ITEMS - 3, leased: 0, done: 3, failed: 0 });
  });

  it('keeps the last error of an item that fails again and again, and does not repeat what the input is to blame for', async () => {
    const { desk, blobs } = await deskOf();
    const tries = new Map<string, number>();
    await worker(desk, blobs, async (_, { id }) => {
      tries.set(id, (tries.get(id) ?? 0) + 1);
      if (id === ids[1]) throw new Error('a defect');
      if (id === ids[2]) throw new TreadleError({ code: 'corpus_changed', message: 'gone', fault: 'input' });
      return { made: id };
    });
    const { id } = await desk.submit(GATE);
    await until(desk, id);
    const [, second, third] = await desk.results(id);
    expect(second).toMatchObject({ state: 'failed', attempt: 3, error: { code: 'unexpected', message: 'a defect' } });
    expect(third).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'corpus_changed' } });
    expect([tries.get(ids[1] as string), tries.get(ids[2] as string)]).toEqual([3, 1]);
    expect((await desk.job(id)).items).toEqual({ waiting: 0, leased: 0, done: ITEMS - 2, failed: 2 });
  });

  it('makes a result again that was lost', async () => {
    const { desk, blobs } = await deskOf();
    await worker(desk, blobs);
    const { id } = await desk.submit({ ...GATE, limit: 3 });
    await until(desk, id);
    const [lost = ''] = await blobs.list(blobsOf(id));
    await blobs.delete(lost);
    expect((await desk.results(id)).map(({ state }) => state).sort()).toEqual(['done', 'done', 'waiting']);
    await until(desk, id);
    expect(await made(desk, id)).toEqual(ids.slice(0, 3));
    expect((await desk.results(id)).map(({ attempt }) => attempt).sort()).toEqual([1, 1, 2]);
  });

  it('outlives the server: what was under way waits at once, and the same key is the same job', async () => {
    const before = await deskOf();
    const { id } = await before.desk.submit(GATE, { key: 'k' });
    expect((await before.desk.take('w', 5))?.items).toHaveLength(5);
    const { desk, blobs } = await deskOf(before);
    expect((await desk.submit(GATE, { key: 'k' })).id).toBe(id);
    expect((await desk.jobs()).map((job) => [job.id, job.items.waiting])).toEqual([[id, ITEMS]]);
    await expect(desk.submit({ ...GATE, limit: 2 }, { key: 'k' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    await worker(desk, blobs);
    await until(desk, id);
    expect(await made(desk, id)).toEqual(ids);
  });

  it('is forgotten with all that it made, and what is under way is not used', async () => {
    const { desk, blobs } = await deskOf();
    let go: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const begun: string[] = [];
    const { end } = await worker(desk, blobs, async (_, { id }) => {
      begun.push(id);
      if (id === ids[2]) await gate;
      return { made: id };
    });
    const { id } = await desk.submit(GATE);
    await vi.waitFor(() => expect(begun).toContain(ids[2]));
    await desk.cancel(id);
    go?.();
    await end();
    expect(await blobs.list('jobs/')).toEqual([]);
    expect(await desk.jobs()).toEqual([]);
    await expect(desk.job(id)).rejects.toMatchObject({ code: 'unknown_job' });
    await expect(desk.cancel(id)).rejects.toMatchObject({ code: 'unknown_job' });
  });

  it('has its turn after those before it', async () => {
    const { desk } = await deskOf({ jobs: memoryJobs(manualClock()) });
    const first = await desk.submit({ ...GATE, limit: 3 });
    const second = await desk.submit({ ...GATE, limit: 2 });
    const taken = [await desk.take('a', 2), await desk.take('b', 2), await desk.take('a', 2), await desk.take('a', 2)];
    expect(taken.map((one) => one && [one.job, one.items.length])).toEqual([
      [first.id, 2],
      [first.id, 1],
      [second.id, 2],
      undefined,
    ]);
  });
});

it('says what it does not take', async () => {
  const pair = await rpcPair();
  pairs.push(pair);
  serveJobs(pair.far, (await deskOf()).desk);
  for (const method of ['take', 'heartbeat', 'finish', 'fail', 'giveBack'])
    await expect(pair.near.request(`jobs.${method}`, 'nonsense')).rejects.toMatchObject({ code: 'bad_request' });
});
