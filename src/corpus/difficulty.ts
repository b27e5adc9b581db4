/** difficulty.json beside a world's tasks: what each takes, and how often a careless agent meets it. */
import { z } from 'zod';
import { Hash } from '../artifacts/world.js';
import type { Corpus } from './corpus.js';
import { exists, writeJson } from './files.js';
import { readListing } from './listings.js';

const count = z.number().int().min(0);

export const TaskDifficulty = z.object({
  /** Of the task that was measured: another one of the same id has not been. */
  hash: Hash,
  calls: count,
  lookups: count,
  services: count,
  distractors: count,
  wrongAnswers: count,
  /** By the chance of a slip at each step: seeded runs, and those that the verifier passed. */
  success: z.array(z.object({ rate: z.number(), runs: count, passed: count })),
});

const WorldDifficulty = z.object({
  treadle: z.literal('difficulty/1'),
  seed: z.string(),
  tasks: z.record(z.string(), TaskDifficulty),
});

export type TaskDifficulty = z.infer<typeof TaskDifficulty>;
export type WorldDifficulty = z.infer<typeof WorldDifficulty>;

const fileOf = (corpus: Corpus, world: string): string => corpus.path('worlds', world, 'tasks', 'difficulty.json');

export const writeDifficulty = (corpus: Corpus, world: string, measured: Omit<WorldDifficulty, 'treadle'>): void =>
  writeJson(fileOf(corpus, world), { treadle: 'difficulty/1', ...measured });

/** What was measured of the world's tasks as they are now, by id; of changed ones nothing. */
export const readDifficulty = (corpus: Corpus, world: string): Record<string, TaskDifficulty> => {
  const file = fileOf(corpus, world);
  if (!exists(file)) return {};
  const { tasks } = readListing(WorldDifficulty, file);
  const current = corpus.listTasks(world).tasks;
  return Object.fromEntries(
    current.flatMap(({ id, hash }) => {
      const own = Object.hasOwn(tasks, id) ? tasks[id] : undefined;
      return own?.hash === hash ? [[id, own]] : [];
    }),
  );
};
