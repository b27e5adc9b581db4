/**
 * Coverage-aware sampling (weft.txt 3.1.2, A.2): which services of which world the next task of a profile is made of. What has
 * been used least for what it can give comes first; a combination must have surplus, hold together, and not say the same twice.
 */
import type { Profile } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import type { Rng } from '../../kit/rng.js';
import type { ProfileRanges, Profiles } from './profiles.js';
import type { Supply, SupplyService } from './supply.js';

export interface Combination {
  world: string;
  services: readonly string[];
  domains: number;
  stages: number;
}

/** Decides whether services make sense for one objective; a model may be asked after the rules. A string says why not. */
export type Judge = (
  supply: Supply,
  services: readonly SupplyService[],
) => string | undefined | Promise<string | undefined>;

/** Draws for one combination before the profile is said to be out of reach. */
const MOST_DRAWS = 60;
/** Combinations of one world that are ranked against one another. */
const CANDIDATES = 10;

/** Rules: every service shares a key or a process with another of the combination, and all hang together. */
export const ruleJudge = (supply: Supply, services: readonly SupplyService[]): string | undefined => {
  const [first, ...rest] = services;
  if (!first) return 'no service';
  const reached = new Set([first.id]);
  let left = rest.map(({ id }) => id);
  for (let grows = true; grows && left.length > 0; ) {
    const joined = left.filter((id) =>
      [...reached].some((other) => supply.shared.has(`${id} ${other}`) || supply.complementary.has(`${id} ${other}`)),
    );
    for (const id of joined) reached.add(id);
    left = left.filter((id) => !reached.has(id));
    grows = joined.length > 0;
  }
  return left.length > 0 ? `nothing ties ${left.join(', ')} to the rest` : undefined;
};

const within = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high;

const pairs = (services: readonly SupplyService[]): [SupplyService, SupplyService][] =>
  services.flatMap((a, i) => services.slice(i + 1).map((b): [SupplyService, SupplyService] => [a, b]));

/** Shared entities and complementary operations speak for a combination, the same nouns twice against it. */
const rank = (supply: Supply, services: readonly SupplyService[]): number => {
  const all = pairs(services);
  if (all.length === 0) return 0;
  let sum = 0;
  for (const [a, b] of all) {
    if (supply.shared.has(`${a.id} ${b.id}`)) sum += 1;
    if (supply.complementary.has(`${a.id} ${b.id}`)) sum += 0.7;
    const same = [...a.nouns].filter((noun) => b.nouns.has(noun)).length;
    sum -= (0.8 * same) / Math.max(1, Math.min(a.nouns.size, b.nouns.size));
  }
  return sum / all.length;
};

export class Sampler {
  readonly #supplies: readonly Supply[];
  readonly #profiles: Profiles;
  readonly #random: Rng;
  readonly #judge: Judge;
  /** Stages drawn so far, by world and service, and by domain. */
  readonly #used = new Map<string, number>();
  readonly #usedDomains = new Map<string, number>();
  readonly #capacityOfDomain = new Map<string, number>();
  readonly rejected: Record<string, number> = {};

  constructor(supplies: readonly Supply[], profiles: Profiles, random: Rng, judge: Judge = ruleJudge) {
    this.#supplies = supplies;
    this.#profiles = profiles;
    this.#random = random;
    this.#judge = judge;
    for (const { services } of supplies)
      for (const { domain, capacity } of services)
        this.#capacityOfDomain.set(domain, (this.#capacityOfDomain.get(domain) ?? 0) + capacity);
  }

  /** How much of what it could give a service still has, more where its domain was used little. */
  #favour(world: string, { id, domain, capacity }: SupplyService): number {
    const own = capacity / (capacity + 4 * (this.#used.get(`${world} ${id}`) ?? 0));
    const all = this.#capacityOfDomain.get(domain) ?? 1;
    return own * (all / (all + 4 * (this.#usedDomains.get(domain) ?? 0)));
  }

  #reject(why: string): void {
    this.rejected[why] = (this.rejected[why] ?? 0) + 1;
  }

  /** Subsets of a world's services that the ranges allow, the best first. */
  #candidates(supply: Supply, ranges: ProfileRanges): SupplyService[][] {
    const most = Math.min(ranges.services[1], supply.services.length);
    if (most < ranges.services[0]) return [];
    const seen = new Map<string, SupplyService[]>();
    for (let i = 0; i < CANDIDATES; i++) {
      const size = this.#random.int(ranges.services[0], most);
      const chosen = this.#random.sample(supply.services, size);
      seen.set(
        chosen
          .map(({ id }) => id)
          .sort()
          .join(' '),
        chosen,
      );
    }
    const worth = (services: readonly SupplyService[]): number =>
      rank(supply, services) +
      services.reduce((sum, one) => sum + this.#favour(supply.world, one), 0) / services.length;
    return [...seen.values()]
      .map((services) => ({ services, worth: worth(services) }))
      .sort((a, b) => b.worth - a.worth)
      .map(({ services }) => services);
  }

  /**
   * The next combination of a profile; its use is counted at once. Throws `profile_out_of_reach` when no world has the services or
   * the capacity, with how much is missing.
   */
  async next(profile: Profile): Promise<Combination> {
    const ranges = this.#profiles.profiles[profile];
    const { surplus } = this.#profiles;
    if (!ranges)
      throw new TreadleError({
        code: 'bad_mix',
        message: 'The profile file has no such profile',
        value: profile,
        next: 'Add it, or leave it out of the mix.',
      });
    let best = 0;
    for (let draw = 0; draw < MOST_DRAWS && this.#supplies.length > 0; draw++) {
      const supply = this.#random.weighted(
        this.#supplies.map(
          (one) => [one, one.services.reduce((sum, service) => sum + this.#favour(one.world, service), 0.001)] as const,
        ),
      );
      const stages = this.#random.int(...ranges.stages);
      const open = this.#candidates(supply, ranges);
      if (open.length === 0) this.#reject('too few services');
      for (const services of open) {
        const domains = new Set(services.map(({ domain }) => domain)).size;
        const capacity = services.reduce((sum, one) => sum + one.capacity, 0);
        best = Math.max(best, capacity);
        const why = !within(domains, ranges.domains)
          ? 'too few or too many domains'
          : capacity < Math.ceil(surplus * stages)
            ? 'too little surplus'
            : (await this.#judge(supply, services)) && 'not coherent';
        if (why) {
          this.#reject(why);
          continue;
        }
        this.#count(supply.world, services, stages);
        return { world: supply.world, services: services.map(({ id }) => id), domains, stages };
      }
    }
    const most = Math.max(0, ...this.#supplies.map(({ services }) => services.length));
    const needed = Math.ceil(surplus * ranges.stages[0]);
    throw new TreadleError({
      code: 'profile_out_of_reach',
      message: `No world can carry a task of profile ${profile}: ${
        most < ranges.services[0]
          ? `it takes ${ranges.services[0]} trade services, the largest world has ${most}`
          : best < needed
            ? `it takes tools for ${needed} atomic tasks, the best combination has ${best}: ${needed - best} are missing`
            : 'no combination of services holds together within its ranges'
      }`,
      value: profile,
      next: 'Build worlds with more services, leave the profile out of --mix, or lower its ranges with --profiles FILE.',
    });
  }

  #count(world: string, services: readonly SupplyService[], stages: number): void {
    for (const { id, domain } of services) {
      const share = stages / services.length;
      this.#used.set(`${world} ${id}`, (this.#used.get(`${world} ${id}`) ?? 0) + share);
      this.#usedDomains.set(domain, (this.#usedDomains.get(domain) ?? 0) + share);
    }
  }
}
