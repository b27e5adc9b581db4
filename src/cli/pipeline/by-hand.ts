/** Tasks that people wrote outlive the making of others. */
import type { Corpus, TaskFiles } from '../../corpus/corpus.js';
import { BY_HAND_FAMILY, isByHand } from '../../tasks/by-hand/task.js';

/** `made` and the world's hand-written tasks, as long as the world is the one they were gated on. */
export const withByHand = (corpus: Corpus, world: string, hash: string, made: TaskFiles): TaskFiles => {
  // Without one there is nothing to read, and nothing that an edited file could stop.
  if (!corpus.listTasks(world).tasks.some(({ family }) => family === BY_HAND_FAMILY)) return made;
  const old = corpus.readTasks(world);
  const own = old.tasks.filter((task) => isByHand(task) && task.world === hash);
  return {
    ...made,
    tasks: [...made.tasks, ...own],
    certificates: {
      ...made.certificates,
      ...Object.fromEntries(own.flatMap(({ id }) => (old.certificates[id] ? [[id, old.certificates[id]]] : []))),
    },
  };
};
