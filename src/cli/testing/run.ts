/** Runs every task so many times, each in a fresh session, judges, and says where failed runs left the way. */
import type { Task } from '../../artifacts/task.js';
import type { Corpus } from '../../corpus/corpus.js';
import type { TraceLine } from '../../corpus/traces/line.js';
import { elapsedMs } from '../../kit/clock.js';
import { addressOf } from '../../kit/hash.js';
import { toolIndex } from '../../rollout/divergence/steps.js';
import { slots } from '../../rollout/slots.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';
import { type Acting, brokenLine, rollOut } from '../pipeline/roll/attempt.js';
import type { Picked } from '../pipeline/roll/pick.js';
import { judge } from './judge.js';
import type { TestedTask, TestRun } from './result.js';
import { divergences } from './ways.js';

export interface TestPlan {
  corpus: Corpus;
  engine: Engine;
  picked: readonly Picked[];
  acting: Acting;
  repeat: number;
  concurrency: number;
  /** What the agent wrote on its error output in the run of this trace. */
  stderrOf(trace: string): string | undefined;
  /** A run has ended. */
  onRun(run: TestRun): void;
  /** All runs of a task have ended. */
  onTask(tested: TestedTask, lines: readonly TraceLine[]): void;
}

interface Ran {
  run: TestRun;
  line: TraceLine;
}

const isCutOff = ({ trace }: TraceLine): boolean => trace.finish === 'cut' && trace.problem?.code === 'cut';

/** One run; undefined where the test was called off meanwhile. */
const ranOnce = async (
  plan: TestPlan,
  world: LoadedWorld,
  { task, hash }: { task: Task; hash: string },
  index: number,
): Promise<Ran | undefined> => {
  const from = elapsedMs();
  let line: TraceLine;
  try {
    line = await rollOut({ world, task, hash, index }, plan.acting);
  } catch (thrown) {
    line = brokenLine({ task, hash, index }, plan.acting, thrown);
  }
  if (isCutOff(line)) return undefined;
  const { trace } = line;
  const services = [...world.services.values()].map(({ spec }) => spec);
  const stderr = plan.stderrOf(trace.id);
  const run: TestRun = {
    run: index + 1,
    ...judge(line, task, services),
    trace: trace.id,
    seconds: (elapsedMs() - from) / 1000,
    calls: trace.usage.calls,
    ...(stderr === undefined ? {} : { stderr }),
  };
  plan.onRun(run);
  return { run, line };
};

const finished = (plan: TestPlan, world: LoadedWorld, task: Task, hash: string, ran: readonly Ran[]): TestedTask => {
  const services = [...world.services.values()].map(({ spec }) => spec);
  const where = divergences(
    world,
    task,
    toolIndex(world.spec, services),
    ran
      .filter(({ run }) => run.outcome !== 'error')
      .map(({ run, line }) => ({ run: run.run, passed: run.outcome === 'passed', trace: line.trace })),
  );
  const runs = ran.map(({ run }): TestRun => {
    const divergence = where.get(run.run);
    return divergence === undefined ? run : { ...run, divergence };
  });
  const tested: TestedTask = { task: task.id, hash, world: task.worldId, kind: task.kind, runs };
  plan.onTask(
    tested,
    ran.map(({ line }) => line),
  );
  return tested;
};

/** Tasks in the order of the corpus; those that were called off in the middle have fewer runs or are not there. */
export const runTests = async (plan: TestPlan): Promise<TestedTask[]> => {
  const { corpus, engine, picked, repeat, acting } = plan;
  const free = slots(plan.concurrency);
  const results: TestedTask[] = [];
  const worlds: Promise<void>[] = [];
  let failure: unknown;

  const task = async (world: LoadedWorld, of: Task): Promise<TestedTask | undefined> => {
    const hash = addressOf(of);
    const own = groundedWorld(world, of.grounding);
    try {
      const started: Promise<Ran | undefined>[] = [];
      for (let index = 0; index < repeat && !acting.signal?.aborted && failure === undefined; index++) {
        await free.take();
        started.push(ranOnce(plan, own, { task: of, hash }, index).finally(free.give));
      }
      const ran = (await Promise.all(started)).filter((one) => one !== undefined);
      return ran.length === 0 ? undefined : finished(plan, world, of, hash, ran);
    } finally {
      dropGrounded(world, own);
    }
  };
  const world = async (loaded: LoadedWorld, tasks: readonly Task[]): Promise<void> => {
    const ended = await Promise.allSettled(tasks.map((of) => task(loaded, of)));
    for (const one of ended) {
      if (one.status === 'rejected') failure ??= one.reason;
      else if (one.value) results.push(one.value);
    }
    unloadWorld(loaded);
  };

  for (const { world: id, tasks } of picked) {
    // The next world is loaded when there is room for a run of it.
    await free.take();
    free.give();
    if (acting.signal?.aborted || failure !== undefined) break;
    const wanted = corpus.readTasks(id).tasks.filter((of) => tasks.includes(of.id));
    worlds.push(world(loadWorld(engine, corpus.readWorld(id), { lazy: true }), wanted));
  }
  await Promise.all(worlds);
  if (failure !== undefined) throw failure;
  const order = new Map(picked.map(({ world: id }, i) => [id, i]));
  return results.sort((a, b) => (order.get(a.world) ?? 0) - (order.get(b.world) ?? 0));
};
