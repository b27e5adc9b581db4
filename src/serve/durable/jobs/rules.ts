/** What may be a job, and what becomes of one that nobody finished. */
import { TreadleError } from '../../../errors.js';
import { canonicalJson, type Json } from '../../../kit/hash.js';
import type { NewJob } from './jobs.js';

export interface JobsOptions {
  /** Beyond so many tries a job is failed; 5. */
  attempts?: number;
}

export const ATTEMPTS = 5;

const LONGEST = 512;
/** Printable, and what every store keeps as it is. */
const NAME = /^[^\p{Cc}\p{Cs}]+$/u;

const badJob = (message: string, value: unknown, cause?: unknown): TreadleError =>
  new TreadleError({ code: 'bad_job', message, value, next: 'Mend the job; nothing of this call was kept.', cause });

/** Throws `bad_job`. */
export const checkName = (name: unknown, what: string): void => {
  if (typeof name !== 'string' || name.length > LONGEST || !NAME.test(name))
    throw badJob(`${what} is 1 to ${LONGEST} characters, none of them a control`, name);
};

/** The payload's canonical JSON. Throws `bad_job`. */
const payloadOf = (job: NewJob): string => {
  try {
    return canonicalJson(job.payload);
  } catch (thrown) {
    throw badJob(`The payload of job ${job.id} is not JSON`, job.id, thrown);
  }
};

/** Ids with payloads as text, the first of each id. Throws `bad_job`. */
export const checkedJobs = (queue: string, jobs: readonly NewJob[]): Map<string, string> => {
  checkName(queue, "A queue's name");
  const checked = new Map<string, string>();
  for (const job of jobs) {
    checkName(job.id, "A job's id");
    if (!checked.has(job.id)) checked.set(job.id, payloadOf(job));
  }
  return checked;
};

/** Throws `bad_job`. */
export const checkLease = (count: number, ms: number): void => {
  if (!Number.isSafeInteger(count) || count < 0) throw badJob('A number of jobs is whole and not negative', count);
  if (!Number.isSafeInteger(ms) || ms < 1) throw badJob('A lease is a whole number of milliseconds, at least 1', ms);
};

/** Undefined would not come back from a store. Throws `bad_job`. */
export const resultText = (id: string, result: Json): string => {
  try {
    return canonicalJson(result);
  } catch (thrown) {
    throw badJob(`The result of job ${id} is not JSON`, id, thrown);
  }
};

/** The error of a job whose workers all went without a word. */
export const workerLost = (attempts: number): Json => ({
  code: 'worker_lost',
  message: `Its lease ran out in each of its last tries, up to ${attempts}: its worker died, hung, or took longer than its lease`,
});
