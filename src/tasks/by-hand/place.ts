/** Where a hand-written task goes: its world, and an id that no other task has. */
import type { Corpus } from '../../corpus/corpus.js';
import type { HandTask } from './form.js';
import { nearest } from './near.js';
import type { Page } from './page.js';

/** The world it names, or the only one. Throws `bad_task` with the line. */
export const worldFor = (corpus: Corpus, page: Page, { world }: HandTask): string => {
  const worlds = corpus.worlds();
  if (world !== undefined && worlds.includes(world)) return world;
  if (world !== undefined)
    throw page.refusal(['world'], 'the corpus has no such world', world, `Nearest: ${nearest(world, worlds)}.`);
  const [only] = worlds;
  if (worlds.length === 1 && only !== undefined) return only;
  throw page.refusal([], 'the task names no world', `${worlds.length} worlds`, `Add world: ${worlds[0]}, or another.`);
};

/**
 * The id as written, where no task of the corpus has it; else the next free one. Throws `bad_task` for an id that is taken and for
 * a brief that another task of the world has word for word.
 */
export const idFor = (corpus: Corpus, page: Page, world: string, { id, brief }: HandTask): string => {
  const { tasks } = corpus.listTasks(world);
  const holder = corpus.worlds().find((other) => corpus.listTasks(other).tasks.some((task) => task.id === id));
  if (id !== undefined && holder !== undefined) {
    const next = 'Choose another id, or leave it out.';
    throw page.refusal(['id'], `world ${holder} has a task of that id already`, id, next);
  }
  const twin = tasks.find((task) => task.brief === brief);
  if (twin) throw page.refusal(['brief'], 'the world has a task with this brief', twin.id, 'Ask for something else.');
  if (id !== undefined) return id;
  const known = new Set(tasks.map((task) => task.id));
  const stem = world.replaceAll('_', '-').toLowerCase().slice(0, 60);
  for (let n = 1; ; n++) {
    const free = `${stem}-by-hand-${String(n).padStart(3, '0')}`;
    if (!known.has(free)) return free;
  }
};
