/** One worker's hold on a queue: what it leased is kept while it works, and ended once. */
import type { Json } from '../../../kit/hash.js';
import type { Finished, Jobs, LeasedJob } from './jobs.js';

export interface JobWorkerOptions {
  /** `lease` where it takes jobs itself. */
  jobs: Pick<Jobs, 'heartbeat' | 'finish' | 'fail' | 'giveBack'> & Partial<Pick<Jobs, 'lease'>>;
  queue: string;
  /** Of this process alone, so that two lives of one worker are not taken for one another. */
  name: string;
  /** Milliseconds after which its jobs are another's, unless it is heard from. */
  leaseMs?: number;
}

export const JOB_LEASE_MS = 30_000;

type Held = Pick<LeasedJob, 'id' | 'attempt'>;

export class JobWorker {
  readonly #held = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #leaseMs: number;

  constructor(readonly options: JobWorkerOptions) {
    this.#leaseMs = options.leaseMs ?? JOB_LEASE_MS;
    this.#timer = setInterval(() => void this.beat(), Math.max(1, Math.floor(this.#leaseMs / 3)));
    this.#timer.unref();
  }

  /** Jobs that it has and has not ended. */
  get held(): Held[] {
    return [...this.#held].map(([id, attempt]) => ({ id, attempt }));
  }

  /** False where another has it by now: what it makes is not to be used, so it may stop. */
  has({ id, attempt }: Held): boolean {
    return this.#held.get(id) === attempt;
  }

  async take(count: number): Promise<LeasedJob[]> {
    const { jobs, queue, name } = this.options;
    const leased = (await jobs.lease?.(queue, name, count, this.#leaseMs)) ?? [];
    this.hold(leased);
    return leased;
  }

  /** What was leased for it otherwise. */
  hold(leased: readonly Held[]): void {
    for (const { id, attempt } of leased) this.#held.set(id, attempt);
  }

  /** What it no longer has is let go. A beat that fails is followed by the next; who ends a job is told whether it was still its own. */
  async beat(): Promise<void> {
    const asked = this.held;
    if (asked.length === 0) return;
    const { jobs, queue } = this.options;
    try {
      const kept = new Set(await jobs.heartbeat(queue, asked, this.#leaseMs));
      for (const job of asked) if (!kept.has(job.id) && this.has(job)) this.#held.delete(job.id);
    } catch {
      // Leases of a store that does not answer run on its own clock.
    }
  }

  #letGo(job: Held): void {
    if (this.has(job)) this.#held.delete(job.id);
  }

  async done(job: Held, result: Json): Promise<Finished> {
    const { jobs, queue } = this.options;
    const said = await jobs.finish(queue, job.id, job.attempt, result);
    this.#letGo(job);
    return said;
  }

  async failed(job: Held, error: Json, isFinal = false): Promise<Finished> {
    const { jobs, queue } = this.options;
    const said = await jobs.fail(queue, job.id, job.attempt, error, isFinal);
    this.#letGo(job);
    return said;
  }

  /** All that it has and did not begin. */
  async giveBack(): Promise<void> {
    const { jobs, queue } = this.options;
    const { held } = this;
    this.#held.clear();
    if (held.length > 0) await jobs.giveBack(queue, held);
  }

  /** No more beats. */
  close(): void {
    clearInterval(this.#timer);
  }
}
