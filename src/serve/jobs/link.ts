/** Jobs over the link between a front and its worker: the front has the queues, the worker what it took. */
import { TreadleError } from '../../errors.js';
import type { Jobs, LeasedJob } from '../durable/jobs/jobs.js';
import type { Rpc } from '../workers/rpc/rpc.js';
import type { JobDesk, Taken } from './desk.js';

/** What a worker may do to what it took. */
export type TakenJobs = Pick<Jobs, 'heartbeat' | 'finish' | 'fail' | 'giveBack'>;

const METHODS = ['heartbeat', 'finish', 'fail', 'giveBack'] as const satisfies readonly (keyof TakenJobs)[];

const listOf = (method: string, params: unknown): unknown[] => {
  if (Array.isArray(params)) return params;
  throw new TreadleError({
    code: 'bad_request',
    message: 'A request about jobs comes with a list of arguments',
    value: `${method} ${typeof params}`,
    fault: 'infrastructure',
  });
};

/** Answers the other end from this desk, and tells it when there is work. */
export const serveJobs = (rpc: Rpc, desk: JobDesk): void => {
  const { jobs } = desk.options;
  /** What the other end took last: it takes more when it has ended those. */
  let has: { job: string; item: LeasedJob }[] = [];
  const lost = async (job: string, item: LeasedJob): Promise<void> => {
    // What the store does not hear now it hears when the lease has run out.
    await desk.lost(job, item).catch(() => undefined);
  };
  rpc.handle('jobs.take', async (params) => {
    const [worker, count] = listOf('take', params) as [string, number];
    const taken = await desk.take(worker, count);
    has = taken?.items.map((item) => ({ job: taken.job, item })) ?? [];
    // It closed meanwhile.
    if (rpc.isClosed) for (const { job, item } of has) await lost(job, item);
    return { value: taken ?? null };
  });
  rpc.onClosed(() => {
    for (const { job, item } of has) void lost(job, item);
  });
  for (const method of METHODS)
    rpc.handle(`jobs.${method}`, async (params) => {
      const ask = jobs[method].bind(jobs) as (...args: unknown[]) => Promise<unknown>;
      return { value: await ask(...listOf(method, params)) };
    });
  rpc.onClosed(desk.onWork(() => void rpc.notify('jobs.work', null)));
};

export interface RemoteDesk {
  jobs: TakenJobs;
  take(worker: string, count: number): Promise<Taken | undefined>;
  /** Called when there may be work. */
  onWork(heard: () => void): void;
}

export const remoteDesk = (rpc: Rpc): RemoteDesk => {
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> =>
    (await rpc.request(`jobs.${method}`, params)).value as T;
  return {
    jobs: {
      heartbeat: (queue, jobs, ms) => ask('heartbeat', queue, jobs, ms),
      finish: (queue, id, attempt, result) => ask('finish', queue, id, attempt, result),
      fail: (queue, id, attempt, error, isFinal = false) => ask('fail', queue, id, attempt, error, isFinal),
      giveBack: (queue, jobs) => ask('giveBack', queue, jobs),
    },
    take: async (worker, count) => (await ask<Taken | null>('take', worker, count)) ?? undefined,
    onWork: (heard) => rpc.onNotice('jobs.work', heard),
  };
};
