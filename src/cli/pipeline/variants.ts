/** Variants of a world's atomic tasks, beside them. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { Task } from '../../artifacts/task.js';
import type { Corpus } from '../../corpus/corpus.js';
import { rng } from '../../kit/rng.js';
import { isByHand } from '../../tasks/by-hand/task.js';
import { strayCall } from '../../tasks/generate.js';
import { prepareGround } from '../../tasks/ground/ground.js';
import { variantsOf } from '../../tasks/variants/variants.js';
import { loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';

/** Variants a world gets where no number is said (AgentMercury, task instantiation). */
export const VARIANTS = 10;

interface Wish {
  /** Variants a world. */
  count: number;
  /** The world's own where it is absent. */
  seed?: string;
  onMade?: (made: number) => void;
}

/**
 * Adds up to `count` variants, spread over the world's tasks as evenly as they allow; those of an earlier run are made anew.
 * Answers with how many there are.
 */
export const addVariants = (corpus: Corpus, engine: Engine, id: string, { count, seed, onMade }: Wish): number => {
  const files = corpus.readTasks(id);
  const own = files.tasks.filter(({ variant }) => variant === undefined);
  const templates = own.filter((task) => task.kind === 'atomic' && !isByHand(task));
  const world = loadWorld(engine, corpus.readWorld(id));
  const ground = prepareGround(world);
  const stray = strayCall(ground, rng(world.spec.seed, 'variants', 'stray'));
  const made: { task: Task; certificate: Certificate }[] = [];
  const full: { task: Task; share: number }[] = [];
  const ask = (task: Task, from: number, to: number): number => {
    const { tasks } = variantsOf(ground, task, { count: to, seed: seed ?? world.spec.seed, stray });
    made.push(...tasks.slice(from));
    onMade?.(made.length);
    return tasks.length;
  };
  for (const [i, task] of templates.entries()) {
    // What the tasks before could not give, the rest are asked for.
    const share = Math.ceil((count - made.length) / (templates.length - i));
    if (share > 0 && ask(task, 0, share) === share) full.push({ task, share });
  }
  // And what the last ones could not give, those that gave all they were asked for.
  for (const { task, share } of full) if (made.length < count) ask(task, share, share + count - made.length);
  unloadWorld(world);
  const kept = new Set(own.map((task) => task.id));
  corpus.writeTasks(id, {
    ...files,
    tasks: [...own, ...made.map(({ task }) => task)],
    certificates: {
      ...Object.fromEntries(Object.entries(files.certificates).filter(([name]) => kept.has(name))),
      ...Object.fromEntries(made.map(({ task, certificate }) => [task.id, certificate])),
    },
  });
  return made.length;
};
