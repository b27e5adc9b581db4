/**
 * Two fresh processes beside a build, which run every world again while the next one is made. The second gets its jobs in
 * another order, so that what one world leaves behind for the next shows as well.
 */
import type { Finding } from '../../artifacts/certificate.js';
import { FreshProcess } from './fresh-process.js';
import { judgeDeterminism } from './judge.js';
import type { Job, JobResult } from './script.js';

/** Worlds under way at a time: their images are held until both processes have answered. */
const MOST_WAITING = 8;

interface Held {
  job: Job;
  answer(result: Promise<JobResult>): void;
}

export class FreshPair {
  readonly #program: string | undefined;
  #processes: readonly [FreshProcess, FreshProcess] | undefined;
  #findings: { world: string; finding: Promise<Finding> }[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** Waits for the next job, which the second process gets first. */
  #held: Held | undefined;

  /** The processes start with the first job; `program` replaces the child in tests. */
  constructor(program?: string) {
    this.#program = program;
  }

  /** Whether nothing was given since findings were last asked for. */
  get isIdle(): boolean {
    return this.#findings.length === 0;
  }

  /** Takes a job over; resolves when there is room for another. Failures show in `findings`. */
  async give(job: Job): Promise<void> {
    this.#processes ??= [new FreshProcess(this.#program), new FreshProcess(this.#program)];
    const [first, second] = this.#processes;
    const one = first.ask(job);
    const two = new Promise<JobResult>((answer) => {
      if (this.#held) {
        answer(second.ask(job));
        this.#release();
      } else this.#held = { job, answer };
    });
    const finding = Promise.all([one, two]).then(([a, b]) => judgeDeterminism(a, b, job.calls.length));
    const settled = finding.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    this.#findings.push({ world: job.parts.world.id, finding });
    while (this.#running.size >= MOST_WAITING) await Promise.race(this.#running);
  }

  /** The finding on every world given since the last time, by world id. Throws `child_failed`. */
  async findings(): Promise<Map<string, Finding>> {
    this.#release();
    const taken = this.#findings;
    this.#findings = [];
    const found = await Promise.all(taken.map(({ finding }) => finding));
    return new Map(taken.map(({ world }, i) => [world, found[i] as Finding]));
  }

  close(): void {
    for (const each of this.#processes ?? []) each.close();
    this.#processes = undefined;
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held && this.#processes) held.answer(this.#processes[1].ask(held.job));
  }
}

/** Runs all jobs in two fresh processes; one finding a world, by world id. Throws `child_failed`. */
export const checkDeterminism = async (jobs: Iterable<Job>, program?: string): Promise<Map<string, Finding>> => {
  const pair = new FreshPair(program);
  try {
    for (const job of jobs) await pair.give(job);
    return await pair.findings();
  } finally {
    pair.close();
  }
};
