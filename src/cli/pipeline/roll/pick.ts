/** Which tasks of which worlds are rolled out, and in which order. */
import type { Corpus } from '../../../corpus/corpus.js';
import { TreadleError } from '../../../errors.js';
import { rng } from '../../../kit/rng.js';

/** Tasks must fit every filter that is given, and one value of it. */
export interface Filter {
  worlds: readonly string[];
  tasks?: readonly string[];
  profiles?: readonly string[];
  kinds?: readonly string[];
  /** At most so many tasks, the first of the order. */
  limit?: number;
}

export interface Picked {
  world: string;
  /** Ids, in the order of the world's list. */
  tasks: string[];
}

const fits = (wanted: readonly string[] | undefined, value: string | undefined): boolean =>
  wanted === undefined || (value !== undefined && wanted.includes(value));

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
      .map(({ id }) => id)
      .slice(0, limit - count);
    if (ids.length > 0) picked.push({ world, tasks: ids });
    count += ids.length;
  }
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
