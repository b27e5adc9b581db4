/** Which tasks of which worlds are rolled out, and in which order. */
import type { Corpus } from '../../../corpus/corpus.js';
import { listScenarios } from '../../../corpus/scenarios.js';
import { TreadleError } from '../../../errors.js';
import { rng } from '../../../kit/rng.js';

/** Tasks must fit every filter that is given, and one value of it. */
export interface Filter {
  worlds: readonly string[];
  tasks?: readonly string[];
  profiles?: readonly string[];
  kinds?: readonly string[];
  /** Scenarios in place of tasks that stand still: all of them, or by id. */
  scenarios?: readonly string[] | 'all';
  /** At most so many tasks (or scenarios), the first of the order. */
  limit?: number;
}

export interface Picked {
  world: string;
  /** Ids, in the order of the world's list. */
  tasks: string[];
  /** Ids of the scenarios to run, of those tasks; absent: the tasks stand still. */
  scenarios?: string[];
}

/** Rollouts of one sample each. */
export const unitsOf = ({ tasks, scenarios }: Picked): number => (scenarios ?? tasks).length;

const fits = (wanted: readonly string[] | undefined, value: string | undefined): boolean =>
  wanted === undefined || (value !== undefined && wanted.includes(value));

const inScenarios = (
  corpus: Corpus,
  world: string,
  tasks: readonly string[],
  wanted: readonly string[] | 'all',
  most: number,
): Picked => {
  const heads = (listScenarios(corpus, world)?.scenarios ?? [])
    .filter(({ id, task }) => tasks.includes(task) && (wanted === 'all' || wanted.includes(id)))
    .slice(0, most);
  return { world, tasks: [...new Set(heads.map(({ task }) => task))], scenarios: heads.map(({ id }) => id) };
};

const noScenario = ({ scenarios }: Filter): TreadleError =>
  new TreadleError({
    code: 'no_scenario',
    message: 'No scenario fits',
    ...(scenarios === 'all' ? {} : { value: scenarios }),
    next: 'Make some with treadle dynamics CORPUS, or leave a filter out.',
  });

/**
 * Worlds in an order that the seed draws, so that a run cut short has rolled out a fair sample; the tasks of one world stay
 * together, so that few worlds are open at a time. Throws `no_task` where nothing fits.
 */
export const pickTasks = (corpus: Corpus, filter: Filter, seed: string): Picked[] => {
  const { worlds, tasks, profiles, kinds, limit = Number.POSITIVE_INFINITY } = filter;
  const picked: Picked[] = [];
  let count = 0;
  for (const world of rng(seed, 'rollout', 'worlds').shuffle(worlds)) {
    if (count >= limit) break;
    const ids = corpus
      .listTasks(world)
      .tasks.filter(
        ({ id, kind, profile }) => fits(tasks, id) && fits(kinds, kind ?? 'atomic') && fits(profiles, profile),
      )
      .map(({ id }) => id);
    const own = filter.scenarios ? inScenarios(corpus, world, ids, filter.scenarios, limit - count) : undefined;
    const one: Picked = own ?? { world, tasks: ids.slice(0, limit - count) };
    if (unitsOf(one) > 0) picked.push(one);
    count += unitsOf(one);
  }
  if (filter.scenarios && count === 0) throw noScenario(filter);
  const missing = tasks?.find((id) => !picked.some((of) => of.tasks.includes(id)));
  if (count === 0 || (missing !== undefined && count < limit)) {
    throw new TreadleError({
      code: 'no_task',
      message: missing === undefined ? 'No task fits' : 'There is no such task among those that fit',
      value: missing ?? { tasks, profiles, kinds },
      next: 'See treadle show CORPUS for what is there, or leave a filter out.',
    });
  }
  return picked;
};
