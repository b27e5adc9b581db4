/** Rollouts of a world's tasks by one policy, judged and kept: traces/<world>.jsonl and a summary beside it. */
import type { Task } from '../../artifacts/task.js';
import type { Corpus } from '../../corpus/corpus.js';
import { exists } from '../../corpus/files.js';
import type { TraceHead, TraceLine } from '../../corpus/traces/line.js';
import { eachTrace, tracesFile } from '../../corpus/traces/read.js';
import { TraceWriter } from '../../corpus/traces/writer.js';
import { addressOf } from '../../kit/hash.js';
import { slots } from '../../rollout/slots.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { type Acting, rollOut } from './roll/attempt.js';
import { writeCounts } from './roll/tally.js';

export type Rolled = TraceLine;

export { sessionFor, type TaskView, turnsFor } from './roll/attempt.js';

export interface RolloutPlan extends Acting {
  samples: number;
  concurrency: number;
  onDone?: (done: number, passed: number) => void;
}

/** Rolls every task out `samples` times; results in the order of tasks and samples. A rollout that breaks is kept with its problem. */
export const rollWorld = async (world: LoadedWorld, tasks: readonly Task[], plan: RolloutPlan): Promise<Rolled[]> => {
  const grounded: LoadedWorld[] = [];
  const rolled: Rolled[] = [];
  const free = slots(plan.concurrency);
  let done = 0;
  let passed = 0;
  let failure: unknown;
  try {
    for (const task of tasks) {
      const hash = addressOf(task);
      const own = groundedWorld(world, task.grounding);
      if (own !== world) grounded.push(own);
      for (let index = 0; index < plan.samples && failure === undefined; index++) {
        await free.take();
        const place = rolled.length;
        rolled.length++;
        void rollOut({ world: own, task, hash, index }, plan)
          .then((line) => {
            rolled[place] = line;
            if (line.verdict.pass) passed++;
            plan.onDone?.(++done, passed);
          })
          .catch((thrown: unknown) => {
            failure ??= thrown;
          })
          .finally(free.give);
      }
    }
    await free.all();
  } finally {
    for (const own of grounded) dropGrounded(world, own);
  }
  if (failure !== undefined) throw failure;
  return rolled;
};

/** Writes a world's traces: those with the same id are replaced, the others kept. */
export const keepTraces = (corpus: Corpus, world: string, rolled: readonly Rolled[]): void => {
  const writer = TraceWriter.open(corpus, world);
  try {
    for (const line of rolled) writer.append(line);
    writer.settle(rolled.map(({ trace }) => trace.id));
    writeCounts(corpus, world, writer.heads());
  } finally {
    writer.close();
  }
};

/** Takes the traces of some tasks out. */
export const dropTraces = (corpus: Corpus, world: string, tasks: ReadonlySet<string>): void => {
  if (!exists(tracesFile(corpus, world))) return;
  const writer = TraceWriter.open(corpus, world);
  try {
    writer.settle([], ({ taskId }) => tasks.has(taskId));
    writeCounts(corpus, world, writer.heads());
  } finally {
    writer.close();
  }
};

/** A world's kept traces with their verdicts, all at once; `eachTrace` of corpus/traces/read gives one after the other. */
export const readTraces = (corpus: Corpus, world: string, where?: (head: TraceHead) => boolean): Rolled[] => [
  ...eachTrace(corpus, world, where),
];
