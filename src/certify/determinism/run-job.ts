/** Runs one job: the same code in every process, so that only the process differs. */
import type { Task } from '../../artifacts/task.js';
import { sha256 } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { dropSnapshot, Session } from '../../serve/sessions/session.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';
import type { Job, JobResult } from './script.js';

const ME = { id: 'determinism', name: 'Determinism', email: 'determinism@treadle.example' };

/** Writes done a second time before the restore. */
const MOST_AGAIN = 24;

const replayTask = (base: LoadedWorld, task: Task): string => {
  const world = groundedWorld(base, task.grounding);
  const session = Session.open(world, { id: task.id, me: callerOf(task.actor), isUnversioned: true });
  for (const call of task.reference.calls) session.call(call.tool, call.args);
  const { pass } = verify(task, gather(session, task.reference.answer), task.id);
  const end = `${pass ? 'pass' : 'fail'} ${session.hash()}`;
  session.drop();
  dropGrounded(base, world);
  return end;
};

const run = (world: LoadedWorld, { calls, tasks }: Job): Omit<JobResult, 'world' | 'error'> => {
  const session = Session.open(world, { id: 'determinism', me: ME, isUnversioned: true });
  const outcomes = calls.map(({ tool, args }) => session.call(tool, args));
  const observations = sha256(JSON.stringify(outcomes.map(({ result }) => result)));
  const state = session.hash();
  const snapshot = session.snapshot();
  // Only what writes can leave something behind that a restore has to undo.
  const writes = calls.filter((_, i) => outcomes[i]?.entry.touched.length);
  for (const { tool, args } of writes.slice(0, MOST_AGAIN)) session.call(tool, args);
  session.restore(snapshot);
  const restored = session.hash();
  dropSnapshot(snapshot);
  session.drop();
  const ends = Object.fromEntries(tasks.map((task) => [task.id, replayTask(world, task)]));
  return { observations, state, restored, tasks: ends };
};

/** Never throws: what keeps a job from running is in its result. */
export const runJob = (engine: Engine, job: Job): JobResult => {
  const { id } = job.parts.world;
  let world: LoadedWorld | undefined;
  try {
    world = loadWorld(engine, job.parts);
    return { world: id, ...run(world, job) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    return { world: id, observations: '', state: '', restored: '', tasks: {}, error };
  } finally {
    if (world) unloadWorld(world);
  }
};
