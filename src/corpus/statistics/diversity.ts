/** How alike the tasks of a corpus are: AgentMercury's figures over the raw text, and stricter ones over what the tasks ask for. */
import { rng } from '../../kit/rng.js';
import { signatureOf } from './masked.js';
import { neighboursOf } from './neighbours.js';
import { meanPairwise, vectorsOf } from './vectors.js';

/** A task as its listing has it. */
export interface ListedTask {
  world: string;
  brief: string;
  masked: string;
  chain: readonly string[];
  tables: readonly string[];
}

export interface TextDiversity {
  /** Cosine over all pairs; exact. */
  mean_pairwise: number;
  /** Median over tasks of the cosine to the nearest other task. */
  median_nearest: number;
  /** Share of tasks with another one above `NEAR_TWIN`. */
  near_twin_share: number;
  near_twin_pairs: number;
  /** Of those pairs, the share within one world. */
  pairs_within_a_world: number;
  /** Tasks whose nearest was looked for, each among all tasks; fewer than there are in very large corpora. */
  nearest_of: number;
}

export interface ToolDiversity {
  /** Tasks of three calls or more. */
  tasks: number;
  /** Share of them with another one of the same tools in the same order and the same tables. */
  same_chain_share: number;
  /** Share of them with another one above `NEAR_TWIN` once names, numbers and dates are masked. */
  masked_share: number;
  /** Share of them with both in one other task. */
  both_share: number;
}

export const NEAR_TWIN = 0.99;
/** Above this many tasks, nearest neighbours of a seeded sample of so many. */
const MOST_ASKED = 50_000;
export const LONG_CHAIN = 3;

const round = (value: number): number => Number(value.toFixed(4));

const median = (values: Float32Array): number => {
  const sorted = values.slice().sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
};

const askedOf = (n: number): number[] | undefined =>
  n <= MOST_ASKED
    ? undefined
    : rng('statistics', 'asked')
        .sample(
          Array.from({ length: n }, (_, i) => i),
          MOST_ASKED,
        )
        .sort((a, b) => a - b);

/** Raw TF-IDF figures over all tasks. */
export const textDiversity = (tasks: readonly ListedTask[]): TextDiversity => {
  const vectors = vectorsOf(tasks.map(({ brief }) => brief));
  const asked = askedOf(tasks.length);
  const { nearest, twins } = neighboursOf(vectors, NEAR_TWIN, asked);
  const within = twins.filter(([a, b]) => tasks[a]?.world === tasks[b]?.world).length;
  return {
    mean_pairwise: round(meanPairwise(vectors)),
    median_nearest: round(median(nearest)),
    near_twin_share: round(nearest.filter((near) => near > NEAR_TWIN).length / Math.max(1, nearest.length)),
    near_twin_pairs: twins.length,
    pairs_within_a_world: round(within / Math.max(1, twins.length)),
    nearest_of: nearest.length,
  };
};

/** How many of the keys another item has as well. */
const shared = (keys: readonly string[]): number => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return keys.filter((key) => (counts.get(key) ?? 0) > 1).length;
};

/** Stricter figures, over tasks of three calls or more. */
export const toolDiversity = (all: readonly ListedTask[]): ToolDiversity => {
  const tasks = all.filter(({ chain }) => chain.length >= LONG_CHAIN);
  const of = (n: number): number => round(n / Math.max(1, tasks.length));
  const { nearest } = neighboursOf(vectorsOf(tasks.map(({ masked }) => masked)), NEAR_TWIN, askedOf(tasks.length));
  return {
    tasks: tasks.length,
    same_chain_share: of(shared(tasks.map(signatureOf))),
    masked_share: round(nearest.filter((near) => near > NEAR_TWIN).length / Math.max(1, nearest.length)),
    both_share: of(shared(tasks.map((task) => `${signatureOf(task)} ${task.masked}`))),
  };
};
