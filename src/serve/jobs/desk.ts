/**
 * Where a server takes work in and keeps what it made: each job a queue of items in the store, each result a blob. Workers take items of
 * the oldest job that has any.
 */
import { randomBytes } from 'node:crypto';
import { TreadleError } from '../../errors.js';
import { canonicalJson, type Json, sha256 } from '../../kit/hash.js';
import type { Blobs } from '../blobs/blobs.js';
import type { JobRow, Jobs, LeasedJob, NewJob } from '../durable/jobs/jobs.js';
import type { Once } from '../trainer.js';
import type { JobInfo, JobItem, JobRequest } from './request.js';

export interface ServedJobs {
  /** Throws what the plan of its items throws, and `idempotency_conflict`. */
  submit(request: JobRequest, once?: Once): Promise<JobInfo>;
  jobs(): Promise<JobInfo[]>;
  /** Throws `unknown_job`. */
  job(id: string): Promise<JobInfo>;
  /** Items by id, at most `limit`, behind `after`. Throws `unknown_job`. */
  results(id: string, page?: { after?: string; limit?: number }): Promise<JobItem[]>;
  /** Forgets it and what it made; what is under way is not used. */
  cancel(id: string): Promise<void>;
}

/** What a worker gets. */
export interface Taken {
  job: string;
  request: JobRequest;
  items: LeasedJob[];
}

export interface DeskOptions {
  jobs: Jobs;
  blobs: Blobs;
  /** Items of a job; ids sort in the order in which they are to be done. */
  plan(request: JobRequest): NewJob[];
}

/** Jobs themselves, by id. */
const SUBMITTED = 'submitted';
const LEASE_MS = 20_000;
const PAGE = 100;
const MOST_ITEMS = 200_000;
const CHUNK = 2_000;

const tooMany = (count: number): TreadleError =>
  new TreadleError({
    code: 'too_many_items',
    message: `A job has at most ${MOST_ITEMS} items`,
    value: count,
    next: 'Leave several jobs, each for some of the worlds.',
  });

export const queueOf = (job: string): string => `job/${job}`;
export const blobsOf = (job: string): string => `jobs/${job}/`;
export const blobOf = (job: string, item: string, attempt: number): string =>
  `${blobsOf(job)}${sha256(item).slice(0, 32)}-${attempt}`;

const unknownJob = (id: string): TreadleError =>
  new TreadleError({ code: 'unknown_job', message: 'The server has no such job', value: id });

const conflict = (key: string): TreadleError =>
  new TreadleError({
    code: 'idempotency_conflict',
    message: 'This key was used for another job',
    value: key,
    next: 'Give every job a key of its own.',
  });

/** Names of results in rows: `{ blob }`. */
const blobIn = ({ result }: JobRow): string => String((result as { blob?: unknown } | undefined)?.blob);

export class JobDesk implements ServedJobs {
  /** Jobs that may have something to do, in the order in which they came; those of an earlier life by id. */
  readonly #open = new Map<string, JobRequest>();
  readonly #listeners = new Set<() => void>();

  private constructor(readonly options: DeskOptions) {}

  /** Of a data folder that this process alone has open. */
  static async open(options: DeskOptions): Promise<JobDesk> {
    const desk = new JobDesk(options);
    const { jobs } = options;
    for (const { id, payload } of await jobs.list(SUBMITTED)) {
      desk.#open.set(id, payload as JobRequest);
      // Who had them was a process of the server before, and ended with it.
      await jobs.giveBack(queueOf(id), await jobs.list(queueOf(id), { state: 'leased' }));
    }
    return desk;
  }

  /** Hears that there is work. Answers with how to hear no more. */
  onWork(heard: () => void): () => void {
    this.#listeners.add(heard);
    return () => void this.#listeners.delete(heard);
  }

  #begin(id: string, request: JobRequest): void {
    this.#open.set(id, request);
    this.#wake();
  }

  #wake(): void {
    for (const heard of this.#listeners) heard();
  }

  async submit(request: JobRequest, { key }: Once = {}): Promise<JobInfo> {
    const { jobs, plan } = this.options;
    // The same key names the same job, also after a restart.
    const id = key === undefined ? randomBytes(9).toString('hex') : sha256(`job ${key}`).slice(0, 18);
    const known = await this.#request(id);
    if (known && canonicalJson(known as Json) !== canonicalJson(request as Json)) throw conflict(key ?? id);
    if (!known) {
      const items = plan(request);
      if (items.length > MOST_ITEMS) throw tooMany(items.length);
      // Some at a time: others use the store meanwhile.
      for (let at = 0; at < items.length; at += CHUNK) await jobs.enqueue(queueOf(id), items.slice(at, at + CHUNK));
      await jobs.enqueue(SUBMITTED, [{ id, payload: request as Json }]);
      this.#begin(id, request);
    }
    return this.#info(id, request);
  }

  async #request(id: string): Promise<JobRequest | undefined> {
    const open = this.#open.get(id);
    if (open) return open;
    const rows = await this.options.jobs.list(SUBMITTED);
    return rows.find((row) => row.id === id)?.payload as JobRequest | undefined;
  }

  async #known(id: string): Promise<JobRequest> {
    const request = await this.#request(id);
    if (!request) throw unknownJob(id);
    return request;
  }

  async #info(id: string, request: JobRequest): Promise<JobInfo> {
    const items = await this.options.jobs.counts(queueOf(id));
    return { id, request, items, isOver: items.waiting + items.leased === 0 };
  }

  async jobs(): Promise<JobInfo[]> {
    const rows = await this.options.jobs.list(SUBMITTED);
    return Promise.all(rows.map(({ id, payload }) => this.#info(id, payload as JobRequest)));
  }

  async job(id: string): Promise<JobInfo> {
    return this.#info(id, await this.#known(id));
  }

  async results(id: string, page: { after?: string; limit?: number } = {}): Promise<JobItem[]> {
    const request = await this.#known(id);
    const rows = await this.options.jobs.list(queueOf(id), { limit: PAGE, ...page });
    const items: JobItem[] = [];
    for (const row of rows) items.push(await this.#item(id, request, row));
    return items;
  }

  async #item(job: string, request: JobRequest, row: JobRow): Promise<JobItem> {
    const { id, state, attempt, result } = row;
    if (state === 'failed') return { id, state, attempt, ...(result === undefined ? {} : { error: result as Json }) };
    if (state !== 'done') return { id, state, attempt };
    try {
      const bytes = await this.options.blobs.get(blobIn(row));
      return { id, state, attempt, result: JSON.parse(Buffer.from(bytes).toString('utf8')) as Json };
    } catch (thrown) {
      if (!(thrown instanceof TreadleError) || (thrown.code !== 'no_blob' && thrown.code !== 'bad_key')) throw thrown;
      // What was lost is made once more.
      await this.options.jobs.again(queueOf(job), [id]);
      this.#begin(job, request);
      return { id, state: 'waiting', attempt };
    }
  }

  async cancel(id: string): Promise<void> {
    await this.#known(id);
    const { jobs, blobs } = this.options;
    this.#open.delete(id);
    await jobs.drop(queueOf(id));
    for (const key of await blobs.list(blobsOf(id))) await blobs.delete(key);
    await jobs.drop(SUBMITTED, [id]);
  }

  /** A worker ended with this: it is tried again. */
  async lost(job: string, { id, attempt }: Pick<LeasedJob, 'id' | 'attempt'>): Promise<void> {
    const why: Json = { code: 'worker_lost', message: 'Its worker process ended', fault: 'infrastructure' };
    await this.options.jobs.fail(queueOf(job), id, attempt, why);
    this.#wake();
  }

  /** Items of the oldest job that has any, leased to the worker; undefined where nothing is to be done. */
  async take(worker: string, count: number): Promise<Taken | undefined> {
    const { jobs } = this.options;
    for (const [job, request] of this.#open) {
      const items = await jobs.lease(queueOf(job), worker, count, LEASE_MS);
      if (items.length > 0) return { job, request, items };
      const { waiting, leased } = await jobs.counts(queueOf(job));
      if (waiting + leased === 0) this.#open.delete(job);
    }
    return undefined;
  }
}

export { LEASE_MS as ITEM_LEASE_MS };
