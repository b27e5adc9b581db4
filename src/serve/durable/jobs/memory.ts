/** Jobs of a server without a data folder: the same rules, gone with the process. */
import type { Json } from '../../../kit/hash.js';
import type { Clock } from '../clock.js';
import type { Finished, JobPage, JobRow, Jobs, LeasedJob, NewJob } from './jobs.js';
import { ATTEMPTS, checkedJobs, checkLease, checkName, type JobsOptions, resultText, workerLost } from './rules.js';

/** `payload` and `result` as text, so that nobody changes them from outside. */
interface Job {
  payload: string;
  state: JobRow['state'];
  attempt: number;
  /** Attempts that do not count as tries. */
  forgiven: number;
  until: number;
  result: string | undefined;
}

const parsed = (text: string): Json => JSON.parse(text) as Json;

class MemoryJobs implements Jobs {
  /** Each queue in the order in which its jobs came. */
  readonly #queues = new Map<string, Map<string, Job>>();

  constructor(
    readonly clock: Clock,
    readonly attempts: number,
  ) {}

  #jobs(queue: string): Map<string, Job> {
    return this.#queues.get(queue) ?? new Map<string, Job>();
  }

  async enqueue(queue: string, jobs: readonly NewJob[]): Promise<number> {
    const checked = checkedJobs(queue, jobs);
    const known = this.#jobs(queue);
    const before = known.size;
    for (const [id, payload] of checked)
      if (!known.has(id))
        known.set(id, { payload, state: 'waiting', attempt: 0, forgiven: 0, until: 0, result: undefined });
    if (known.size > 0) this.#queues.set(queue, known);
    return known.size - before;
  }

  async lease(queue: string, worker: string, count: number, ms: number): Promise<LeasedJob[]> {
    checkName(worker, "A worker's name");
    checkLease(count, ms);
    const now = this.clock.now();
    const leased: LeasedJob[] = [];
    for (const [id, job] of this.#jobs(queue)) {
      const isLate = job.state === 'leased' && job.until < now;
      if (job.state !== 'waiting' && !isLate) continue;
      if (job.attempt - job.forgiven >= this.attempts) {
        const lost = resultText(id, workerLost(this.attempts));
        Object.assign(job, { state: 'failed', result: isLate ? lost : (job.result ?? lost) });
      } else if (leased.length < count) {
        Object.assign(job, { state: 'leased', attempt: job.attempt + 1, until: now + ms });
        leased.push({ id, payload: parsed(job.payload), attempt: job.attempt });
      }
    }
    return leased;
  }

  async heartbeat(queue: string, jobs: readonly { id: string; attempt: number }[], ms: number): Promise<string[]> {
    checkLease(0, ms);
    const until = this.clock.now() + ms;
    return jobs.flatMap(({ id, attempt }) => {
      const job = this.#jobs(queue).get(id);
      if (job?.state !== 'leased' || job.attempt !== attempt) return [];
      job.until = until;
      return [id];
    });
  }

  #end(job: Job | undefined, attempt: number, state: JobRow['state'], result: string, already: string[]): Finished {
    if (job?.attempt !== attempt || attempt === 0) return 'stale';
    if (job.state !== 'leased') return already.includes(job.state) ? 'known' : 'stale';
    Object.assign(job, { state, result });
    return 'done';
  }

  async finish(queue: string, id: string, attempt: number, result: Json): Promise<Finished> {
    return this.#end(this.#jobs(queue).get(id), attempt, 'done', resultText(id, result), ['done']);
  }

  async fail(queue: string, id: string, attempt: number, error: Json, isFinal = false): Promise<Finished> {
    const job = this.#jobs(queue).get(id);
    const isOver = isFinal || attempt - (job?.forgiven ?? 0) >= this.attempts;
    return this.#end(job, attempt, isOver ? 'failed' : 'waiting', resultText(id, error), ['waiting', 'failed']);
  }

  async giveBack(queue: string, jobs: readonly { id: string; attempt: number }[]): Promise<number> {
    let changed = 0;
    for (const { id, attempt } of jobs) {
      const job = this.#jobs(queue).get(id);
      if (job?.state !== 'leased' || job.attempt !== attempt) continue;
      Object.assign(job, { state: 'waiting', forgiven: job.forgiven + 1 });
      changed++;
    }
    return changed;
  }

  async again(queue: string, ids: readonly string[]): Promise<number> {
    let changed = 0;
    for (const id of ids) {
      const job = this.#jobs(queue).get(id);
      if (!job) continue;
      Object.assign(job, { state: 'waiting', forgiven: job.attempt, result: undefined });
      changed++;
    }
    return changed;
  }

  async list(queue: string, page: JobPage = {}): Promise<JobRow[]> {
    const { after = '', limit = Number.POSITIVE_INFINITY, state: only } = page;
    return [...this.#jobs(queue)]
      .map(([id, { payload, state, attempt, result }]) => {
        const isOver = state === 'done' || state === 'failed';
        return { id, payload: parsed(payload), state, attempt, ...(isOver && { result: parsed(String(result)) }) };
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .filter(({ id, state }) => id > after && (only ?? state) === state)
      .slice(0, limit);
  }

  async counts(queue: string): Promise<Record<JobRow['state'], number>> {
    const counts = { waiting: 0, leased: 0, done: 0, failed: 0 };
    for (const { state } of this.#jobs(queue).values()) counts[state]++;
    return counts;
  }

  async drop(queue: string, ids?: readonly string[]): Promise<void> {
    if (ids === undefined) this.#queues.delete(queue);
    else for (const id of ids) this.#jobs(queue).delete(id);
  }
}

export const memoryJobs = (clock: Clock, { attempts = ATTEMPTS }: JobsOptions = {}): Jobs =>
  new MemoryJobs(clock, attempts);
