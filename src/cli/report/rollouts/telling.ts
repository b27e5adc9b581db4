/** The failures that tell most: near misses first, of as many kinds as there are. A bounded number is held, whatever there is. */
import type { TraceLine } from '../../../corpus/traces/line.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import { actorOf, isByConstruction, viewOf } from './figures.js';

export interface Failure {
  world: string;
  trace: string;
  task: string;
  actor: string;
  /** Share of the checks that held. */
  near: number;
  /** What sort of failure it is: failures of one sort say the same. */
  sort: string;
  /** Of the first check that did not hold. */
  kind: string;
}

/** Sorts of failures that are held. */
const MOST_SORTS = 400;

/** What failed first, how the rollout ended, and who acted in which view: alike in all of it, the nearest miss is held. */
const failureOf = ({ trace, verdict }: TraceLine, world: string, family: string): Failure | undefined => {
  if (trace.origin?.kind === 'negative' || isByConstruction(trace)) return undefined;
  if (outcomeOf(trace, verdict).outcome !== 'failed') return undefined;
  const checks = verdict.milestones.flatMap((milestone) => milestone.checks);
  const failed = checks.filter(({ pass }) => !pass);
  const kind = failed[0]?.kind ?? trace.finish;
  const actor = actorOf({ producer: trace.producer, ...(trace.origin ? { origin: trace.origin.kind } : {}) });
  return {
    world,
    trace: trace.id,
    task: trace.taskId,
    actor,
    near: checks.length === 0 ? 0 : 1 - failed.length / checks.length,
    sort: [kind, trace.finish, family, actor, viewOf(trace)].join('|'),
    kind,
  };
};

const isBefore = (a: Failure, b: Failure): boolean => a.near > b.near || (a.near === b.near && a.trace < b.trace);

export class TellingFailures {
  readonly #held = new Map<string, Failure>();

  /** `family`: the sort of task. */
  add(line: TraceLine, world: string, family: string): void {
    const failure = failureOf(line, world, family);
    if (!failure) return;
    const known = this.#held.get(failure.sort);
    if (known ? isBefore(failure, known) : this.#hasRoomFor(failure)) this.#held.set(failure.sort, failure);
  }

  #hasRoomFor(failure: Failure): boolean {
    if (this.#held.size < MOST_SORTS) return true;
    const last = [...this.#held.values()].reduce((worst, one) => (isBefore(worst, one) ? one : worst));
    if (!isBefore(failure, last)) return false;
    this.#held.delete(last.sort);
    return true;
  }

  /** One after the other the nearest miss, each the less the more it has in common with those that were taken. */
  chosen(most = 10): Failure[] {
    const left = [...this.#held.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1));
    const taken: Failure[] = [];
    const common = (one: Failure): number =>
      taken.reduce(
        (sum, other) =>
          sum +
          (one.kind === other.kind ? 0.25 : 0) +
          (one.task === other.task ? 0.5 : 0) +
          (one.world === other.world ? 0.02 : 0) +
          (one.actor === other.actor ? 0.05 : 0),
        0,
      );
    while (taken.length < most && left.length > 0) {
      let best = 0;
      let value = Number.NEGATIVE_INFINITY;
      for (const [i, one] of left.entries()) {
        const own = one.near - common(one);
        if (own > value) [best, value] = [i, own];
      }
      taken.push(...left.splice(best, 1));
    }
    return taken;
  }
}
