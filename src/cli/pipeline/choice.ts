/**
 * The end of a build of several worlds: each world has made some tasks more than were asked for, and keeps those whose work no
 * world before it has. Worlds choose in the order of their slots, so that nothing depends on which was made when or by whom.
 */
import type { Corpus } from '../../corpus/corpus.js';
import type { TaskListing } from '../../corpus/listings.js';
import { signatureOf } from '../../corpus/statistics/masked.js';
import { isLongChain } from '../../tasks/pool.js';
import type { BuildRecord } from './record.js';
import { dropTraces } from './rollouts.js';

/** One more for every so many that were asked for. */
const ONE_IN = 3;

/** Tasks that a world makes beyond those asked for; a world alone has no other to differ from. */
export const sparesOf = ({ worlds, tasks }: Pick<BuildRecord, 'worlds' | 'tasks'>): number =>
  worlds > 1 ? Math.ceil(tasks / ONE_IN) : 0;

export type Listed = TaskListing['tasks'][number];

const workOf = ({ chain = [], tables = [] }: Listed): string => signatureOf({ chain, tables });

/**
 * At most `count` of `tasks`, in their order: first those of new work, then short ones, which no corpus can do without
 * repeating, then whatever there is. What is kept is added to `seen`.
 */
export const chosenOf = (tasks: readonly Listed[], count: number, seen: Set<string>): Listed[] => {
  const fresh = new Set<Listed>();
  const works = new Set(seen);
  for (const task of tasks) {
    const work = workOf(task);
    if (!works.has(work)) fresh.add(task);
    works.add(work);
  }
  const rank = (task: Listed): number => (fresh.has(task) ? 0 : isLongChain(task.chain ?? []) ? 2 : 1);
  const best = [...tasks].sort((a, b) => rank(a) - rank(b)).slice(0, count);
  const kept = new Set(best);
  for (const task of kept) seen.add(workOf(task));
  return tasks.filter((task) => kept.has(task));
};

/** Leaves every world of the build with the tasks it is to keep. What has been chosen before stays, so it may be cut off anywhere. */
export const chooseTasks = async (
  corpus: Corpus,
  record: BuildRecord,
  onWorld: (index: number) => Promise<void>,
): Promise<void> => {
  const seen = new Set<string>();
  for (let index = 0; index < record.worlds; index++) {
    const id = record.slots[String(index)]?.world;
    if (id === undefined) continue;
    await onWorld(index);
    const { tasks: listed, isToChoose } = corpus.listTasks(id);
    if (!isToChoose) {
      for (const task of listed) seen.add(workOf(task));
      continue;
    }
    const kept = new Set(chosenOf(listed, record.tasks, seen).map((task) => task.id));
    // The list comes last: as long as it is whole, the choice is made again.
    dropTraces(corpus, id, new Set(listed.flatMap((task) => (kept.has(task.id) ? [] : [task.id]))));
    corpus.keepTasks(id, kept);
  }
};
