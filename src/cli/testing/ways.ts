/** Where each failed run of a task left the reference and the runs that passed. */
import type { Task } from '../../artifacts/task.js';
import type { LedgerEntry, Trace } from '../../artifacts/trace.js';
import { asTreadleError } from '../../errors.js';
import { diverge, type Way } from '../../rollout/divergence/diverge.js';
import { madeStep, plannedStep, type Step, type ToolIndex } from '../../rollout/divergence/steps.js';
import { divergenceWords } from '../../rollout/divergence/words.js';
import { retrace } from '../../rollout/retrace/retrace.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { sessionFor } from '../pipeline/rollouts.js';

/** Runs that passed and are held against; more say little more. */
const MOST_WAYS = 4;

/** The ledger that the reference leaves. */
const referenceLedger = (world: LoadedWorld, task: Task): LedgerEntry[] => {
  const own = groundedWorld(world, task.grounding);
  const session = sessionFor(own, task, `${task.id}-reference`);
  try {
    for (const { tool, args } of task.reference.calls) session.call(tool, structuredClone(args));
    return [...session.ledger];
  } finally {
    session.drop();
    dropGrounded(world, own);
  }
};

const stepsOf = (world: LoadedWorld, task: Task, index: ToolIndex, ledger: readonly LedgerEntry[]): Step[] => {
  const { changes, differsAt = ledger.length } = retrace(world, task, ledger);
  return ledger.map((entry, i) => madeStep(index, entry, i < differsAt ? changes[i] : undefined));
};

export interface Finished {
  run: number;
  passed: boolean;
  trace: Trace;
}

/** One line a failed run, by its number. A task whose calls cannot be run again has none. */
export const divergences = (
  world: LoadedWorld,
  task: Task,
  index: ToolIndex,
  runs: readonly Finished[],
): ReadonlyMap<number, string> => {
  const failed = runs.filter(({ passed }) => !passed);
  const out = new Map<number, string>();
  if (failed.length === 0) return out;
  const ways: Way[] = [];
  try {
    ways.push({ name: 'the reference', steps: stepsOf(world, task, index, referenceLedger(world, task)) });
  } catch (thrown) {
    if (asTreadleError(thrown, 'world').code === 'unexpected') throw thrown;
    ways.push({ name: 'the reference', steps: task.reference.calls.map((call) => plannedStep(index, call)) });
  }
  for (const { run, trace } of runs.filter(({ passed }) => passed).slice(0, MOST_WAYS))
    ways.push({ name: `run ${run}`, steps: stepsOf(world, task, index, trace.ledger) });
  for (const { run, trace } of failed) {
    const found = diverge(stepsOf(world, task, index, trace.ledger), ways);
    // Who broke off at the end did not say something else.
    if (found.kind !== 'same_calls' || trace.finish === 'answered') out.set(run, divergenceWords(found));
  }
  return out;
};
