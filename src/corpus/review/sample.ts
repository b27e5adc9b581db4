/**
 * Which tasks a person is asked to read. The tasks are laid out by kind and family, profile, then world, and points are taken from
 * this line in the order of a van der Corput sequence with a seeded start: every beginning of the walk is spread over all strata in
 * proportion, each task comes up with the same chance, and a longer sample holds the shorter ones.
 */
import { rng } from '../../kit/rng.js';
import type { Corpus } from '../corpus.js';

export interface SampleTask {
  id: string;
  hash: string;
  world: string;
  /** `atomic/<family>`, or `composed`. */
  kind: string;
  /** `none` for a task without one. */
  profile: string;
}

/** Every task of some worlds, as their lists name them. */
export const tasksOfWorlds = (corpus: Corpus, worlds: readonly string[]): SampleTask[] =>
  worlds.flatMap((world) =>
    corpus.listTasks(world).tasks.map(({ id, hash, family, kind = 'atomic', profile = 'none' }) => ({
      id,
      hash,
      world,
      kind: kind === 'composed' ? 'composed' : `atomic/${family}`,
      profile,
    })),
  );

/** The n-th number of the van der Corput sequence in base 2, in [0, 1). */
const spread = (n: number): number => {
  let [value, weight] = [0, 0.5];
  for (let left = n; left > 0; left = Math.floor(left / 2), weight /= 2) if (left % 2 === 1) value += weight;
  return value;
};

const lineUp = (tasks: readonly SampleTask[], seed: string): SampleTask[] => {
  const draws = new Map<string, number>();
  const draw = (...names: string[]): number => {
    const key = names.join('\u0000');
    const drawn = draws.get(key) ?? rng(seed, 'review', ...names).unit();
    draws.set(key, drawn);
    return drawn;
  };
  const keyed = tasks.map((task) => {
    const stratum = `${task.kind} ${task.profile}`;
    return { task, keys: [draw('stratum', stratum), draw('world', stratum, task.world), draw('task', task.hash)] };
  });
  keyed.sort((a, b) => a.keys.map((key, i) => key - (b.keys[i] as number)).find((by) => by !== 0) ?? 0);
  return keyed.map(({ task }) => task);
};

/** All tasks in the order in which they are to be read. */
export const walkOrder = (tasks: readonly SampleTask[], seed: string): SampleTask[] => {
  const line = lineUp(tasks, seed);
  const start = rng(seed, 'review', 'start').unit();
  const taken = new Set<number>();
  const out: SampleTask[] = [];
  for (let n = 0; out.length < line.length; n++) {
    const at = Math.floor(((spread(n) + start) % 1) * line.length);
    if (taken.has(at)) continue;
    taken.add(at);
    out.push(line[at] as SampleTask);
  }
  return out;
};

export interface Sample {
  /** In proportion: what the bound over all tasks rests on. */
  drawn: SampleTask[];
  /** More of strata that would have fewer than was asked for: they count for their strata alone. */
  added: SampleTask[];
}

export const STRATA = ['kind', 'profile', 'world'] as const;
export type StratumOf = (typeof STRATA)[number];

/** `size` tasks in proportion; then as many more as give each kind and each profile `each` of them, where it has so many. */
export const drawSample = (tasks: readonly SampleTask[], size: number, each: number, seed: string): Sample => {
  const order = walkOrder(tasks, seed);
  const drawn = order.slice(0, size);
  const counts = new Map<string, number>();
  const names = ({ kind, profile }: SampleTask): string[] => [`kind ${kind}`, `profile ${profile}`];
  const note = (task: SampleTask): void => {
    for (const name of names(task)) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const task of drawn) note(task);
  const added = order.slice(size).filter((task) => {
    if (names(task).every((name) => (counts.get(name) ?? 0) >= each)) return false;
    note(task);
    return true;
  });
  return { drawn, added };
};
