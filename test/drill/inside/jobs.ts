/** Jobs of a drill: leased by workers that may be late, finished with answers that may be lost. */
import { canonicalJson } from '../../../src/kit/hash.js';
import type { Rng } from '../../../src/kit/rng.js';
import type { JobHistory } from '../history.js';
import type { Cluster } from './cluster.js';
import { LEASE_MS } from './member.js';

const QUEUE = 'drill';

interface Held {
  id: string;
  attempt: number;
}

export class DrillJobs {
  readonly #finishes = new Map<string, JobHistory['finishes'][number][]>();
  #held: Held[] = [];

  constructor(
    readonly cluster: Cluster,
    readonly random: Rng,
  ) {}

  async enqueue(count: number): Promise<void> {
    const jobs = Array.from({ length: count }, (_, i) => ({ id: `job-${i}`, payload: { i } }));
    await this.cluster.jobs.enqueue(QUEUE, jobs);
  }

  /** Leases some and finishes some, also those whose lease is over, and some of them twice. */
  async work(): Promise<void> {
    const { random, cluster } = this;
    this.#held.push(...(await cluster.jobs.lease(QUEUE, 'w', random.int(1, 3), LEASE_MS)));
    if (random.chance(0.3)) return;
    const now = random.sample(this.#held, random.int(0, 3));
    for (const held of now) await this.#finish(held);
    this.#held = this.#held.filter((one) => !now.includes(one) || random.chance(0.2));
  }

  async #finish({ id, attempt }: Held): Promise<void> {
    const result = { by: attempt };
    const said = await this.cluster.jobs.finish(QUEUE, id, attempt, result);
    const heard = this.random.chance(0.2) ? 'unknown' : said;
    const list = this.#finishes.get(id) ?? [];
    list.push({ attempt, result: canonicalJson(result), said: heard });
    this.#finishes.set(id, list);
  }

  /** Finishes what is left; every attempt that is still believed in is told so once more. */
  async end(): Promise<JobHistory[]> {
    const { cluster } = this;
    for (const held of this.#held) await this.#finish(held);
    for (let rounds = 0; rounds < 3; rounds++) {
      await cluster.pass(2 * LEASE_MS);
      for (const held of await cluster.jobs.lease(QUEUE, 'w', 1_000, LEASE_MS)) await this.#finish(held);
    }
    return (await cluster.jobs.list(QUEUE)).map(({ id, state, attempt, result }) => ({
      id,
      finishes: this.#finishes.get(id) ?? [],
      found: { state, attempt, ...(result === undefined ? {} : { result: canonicalJson(result) }) },
    }));
  }
}
