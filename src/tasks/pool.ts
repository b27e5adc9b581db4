/** Parts that wait to become tasks of their own or, two by two, errands; each is used once. */
import { signatureOf } from '../corpus/statistics/masked.js';
import type { LoadedWorld } from '../world/loaded.js';
import type { Candidate } from './atomic/candidate.js';
import { fitTogether, jointCalls } from './atomic/errand.js';
import { dropPlan, type Plan } from './ground/plan.js';

/** Calls from which on a task is long: whoever compares corpora looks at those (AgentMercury's facts, "Diversity"). */
export const LONG = 3;

export interface Part {
  candidate: Candidate;
  /** Tables that the part's objects and changes lie in. */
  tables: readonly string[];
}

export interface Pair {
  first: Part;
  second: Part;
  /** The higher, the more the two belong together. */
  worth: number;
}

const tablesOf = ({ bindings, plan }: Candidate): string[] => [
  ...bindings.map(({ service, table }) => `${service}.${table}`),
  ...Object.entries(plan.session.diff()).flatMap(([service, changes]) =>
    changes.map(({ table }) => `${service}.${table}`),
  ),
];

/** The same work wherever it comes up: which tools in which order, on which tables. */
const workOf = (world: LoadedWorld, calls: Plan['calls'], tables: readonly string[]): string =>
  signatureOf({
    chain: calls.map(({ service, tool }) => `${service}.${world.tools.get(tool)?.tool.tool.id ?? tool}`),
    tables: [...new Set(tables)].sort(),
  });

export const isLongChain = (chain: readonly unknown[]): boolean => chain.length >= LONG;

export const isLong = ({ candidate }: Part): boolean => isLongChain(candidate.plan.calls);

export class Pool {
  readonly #world: LoadedWorld;
  /** Services that a link or a process of the world ties together. */
  readonly #tied = new Set<string>();
  readonly #waiting: Part[] = [];
  #pairs: Pair[] = [];
  /** Work that the world has a task of. */
  readonly #taken = new Set<string>();

  constructor(world: LoadedWorld) {
    this.#world = world;
    for (const { from, to } of world.spec.links) {
      this.#tied.add(`${from.service} ${to.service}`);
      this.#tied.add(`${to.service} ${from.service}`);
    }
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Whether a part may be a task of its own: nothing the world has a task of already. */
  isFree({ candidate, tables }: Part): boolean {
    return !this.#taken.has(workOf(this.#world, candidate.plan.calls, tables));
  }

  /** The two in the order in which the reference does them: what changes comes first. */
  #isFreePair({ first, second }: Omit<Pair, 'worth'>): boolean {
    const calls = jointCalls(first.candidate.plan, second.candidate.plan);
    return !this.#taken.has(workOf(this.#world, calls, [...first.tables, ...second.tables]));
  }

  #worth(first: Part, second: Part): number {
    const [one, other] = [first.candidate.service, second.candidate.service];
    const isTrade = one.role === 'domain' && other.role === 'domain';
    return (this.#tied.has(`${one.id} ${other.id}`) ? 1 : 0) + (isTrade ? 2 : 0);
  }

  part(candidate: Candidate): Part {
    return { candidate, tables: tablesOf(candidate) };
  }

  /** A part waits for others; the pairs that it makes with them are looked at at once. */
  add(part: Part): void {
    for (const other of this.#waiting) {
      if (!fitTogether(other.candidate, part.candidate)) continue;
      const orders: [Part, Part][] =
        'asks' in part.candidate.plain
          ? [[other, part]]
          : 'asks' in other.candidate.plain
            ? [[part, other]]
            : [
                [other, part],
                [part, other],
              ];
      for (const [first, second] of orders) {
        if (this.#isFreePair({ first, second })) this.#pairs.push({ first, second, worth: this.#worth(first, second) });
      }
    }
    this.#waiting.push(part);
  }

  /** The pair that belongs together most; among equals the earliest. It leaves the pool with all other pairs of its parts. */
  takePair(): Pair | undefined {
    this.#pairs = this.#pairs.filter((pair) => this.#isFreePair(pair));
    const best = this.#pairs.reduce<Pair | undefined>(
      (most, pair) => (most === undefined || pair.worth > most.worth ? pair : most),
      undefined,
    );
    if (best) for (const part of [best.first, best.second]) this.#remove(part);
    return best;
  }

  /** The first part that `fits`. */
  takePart(fits: (part: Part) => boolean): Part | undefined {
    const found = this.#waiting.find(fits);
    if (found) this.#remove(found);
    return found;
  }

  #remove(part: Part): void {
    this.#waiting.splice(this.#waiting.indexOf(part), 1);
    this.#pairs = this.#pairs.filter(({ first, second }) => first !== part && second !== part);
  }

  /** From now on the world has a task of this work. */
  note(calls: Plan['calls'], tables: readonly string[]): void {
    this.#taken.add(workOf(this.#world, calls, tables));
  }

  drop(): void {
    for (const { candidate } of this.#waiting) release(candidate);
    this.#waiting.length = 0;
    this.#pairs = [];
  }
}

export const release = (candidate: Candidate): void => {
  dropPlan(candidate.plan);
  if (candidate.otherPath) dropPlan(candidate.otherPath);
  candidate.grounded?.drop();
};
