/**
 * Work that is done exactly once by (id, attempt), whatever dies meanwhile (serving.md, seams): corpus builds, task gates, rollouts.
 */
import type { Json } from '../../../kit/hash.js';

export interface NewJob {
  /** Unique in its queue; enqueueing it again changes nothing. */
  id: string;
  payload: Json;
}

export interface LeasedJob extends NewJob {
  /** 1, 2, 3 ...: grows each time it is leased. */
  attempt: number;
}

export interface JobRow extends NewJob {
  state: 'waiting' | 'leased' | 'done' | 'failed';
  attempt: number;
  /** Of a finished one; of a failed one the last error. */
  result?: Json;
}

/** At most `limit`, behind the id `after`, of one state, where they are given. */
export interface JobPage {
  after?: string;
  limit?: number;
  state?: JobRow['state'];
}

/** `done`: this attempt finished it. `known`: it had already, its answer was lost. `stale`: it was leased again since, or somebody else
 * finished it; what this attempt made is not to be used. */
export type Finished = 'done' | 'known' | 'stale';

export interface Jobs {
  /** How many were new. Throws `bad_job`. */
  enqueue(queue: string, jobs: readonly NewJob[]): Promise<number>;
  /** At most `count`, the oldest first: those that wait, and those whose lease ran out. Beyond `attempts` tries a job becomes failed. */
  lease(queue: string, worker: string, count: number, ms: number): Promise<LeasedJob[]>;
  /** Prolongs; answers with the ids that are still this worker's at this attempt. */
  heartbeat(queue: string, jobs: readonly { id: string; attempt: number }[], ms: number): Promise<string[]>;
  finish(queue: string, id: string, attempt: number, result: Json): Promise<Finished>;
  /** Back to waiting, or failed for good where `isFinal` or its tries are used up. */
  fail(queue: string, id: string, attempt: number, error: Json, isFinal?: boolean): Promise<Finished>;
  /** Leased and not begun: each waits again, and the try is not counted. How many were still this attempt's. */
  giveBack(queue: string, jobs: readonly { id: string; attempt: number }[]): Promise<number>;
  /** Whatever became of them, they wait again with all their tries; who has one is told `stale`. How many there are. */
  again(queue: string, ids: readonly string[]): Promise<number>;
  /** By id. */
  list(queue: string, page?: JobPage): Promise<JobRow[]>;
  counts(queue: string): Promise<Record<JobRow['state'], number>>;
  /** All of a queue's jobs, or these. */
  drop(queue: string, ids?: readonly string[]): Promise<void>;
}
