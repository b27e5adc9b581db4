/**
 * Writing a world's tasks takes its list away first: killed in between, the world counts as without tasks, and the atomic ones beside
 * the composed would be lost. So their list is kept in the queue before anything is composed, and put back by the run that goes on.
 */
import type { Corpus } from '../../../corpus/corpus.js';
import { writeJson } from '../../../corpus/files.js';
import type { Queue } from '../queue/open.js';

/** As text: what comes back from a queue has its keys sorted. */
const listOf = (corpus: Corpus, world: string): string => {
  const { tasks, dropped } = corpus.listTasks(world);
  return JSON.stringify({
    tasks: tasks.filter(({ kind }) => kind !== 'composed'),
    dropped: dropped.filter(({ family }) => family !== 'composed'),
  });
};

const lists = (queue: Queue) => queue.fill({ settings: 'lists', items: [], isMade: () => false });

/** Lists that are lost are put back as an earlier run found them. */
export const restoreLists = async (queue: Queue, corpus: Corpus): Promise<void> => {
  const { jobs, queue: name } = await lists(queue);
  for (const { id, payload } of await jobs.list(name)) {
    if (!corpus.hasWorld(id)) continue;
    // What is there now is the truth; what is not is as it was.
    if (corpus.hasTasks(id)) await jobs.drop(name, [id]);
    else writeJson(corpus.path('worlds', id, 'tasks', 'index.json'), JSON.parse(payload as string));
  }
};

/** Before anything is composed. */
export const keepLists = async (queue: Queue, corpus: Corpus, worlds: readonly string[]): Promise<void> => {
  const { jobs, queue: name } = await lists(queue);
  const there = worlds.filter((id) => corpus.hasTasks(id));
  await jobs.enqueue(
    name,
    there.map((id) => ({ id, payload: listOf(corpus, id) })),
  );
};
