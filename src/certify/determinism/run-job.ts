/** Runs one job of a determinism script: the same code in every process, so that only the process differs. */

import type { Corpus } from '../../corpus/corpus.js';
import { sha256 } from '../../kit/hash.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { dropSnapshot, Session } from '../../serve/sessions/session.js';
import { gather } from '../../verify/evidence.js';
import { verify } from '../../verify/verdict.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';
import type { Job, JobResult } from './script.js';

const ME = { id: 'determinism', name: 'Determinism', email: 'determinism@treadle.example' };

const replayTasks = (corpus: Corpus, world: LoadedWorld, wanted: readonly string[]): Record<string, string> => {
  if (wanted.length === 0) return {};
  const { tasks } = corpus.readTasks(world.spec.id);
  const out: Record<string, string> = {};
  for (const task of tasks.filter(({ id }) => wanted.includes(id))) {
    const session = Session.open(world, {
      id: task.id,
      me: callerOf(task.actor),
    });
    for (const call of task.reference.calls) session.call(call.tool, call.args);
    const { pass } = verify(task, gather(session, task.reference.answer), task.id);
    out[task.id] = `${pass ? 'pass' : 'fail'} ${session.hash()}`;
    session.drop();
  }
  return out;
};

export const runJob = (engine: Engine, corpus: Corpus, job: Job): JobResult => {
  const world = loadWorld(engine, corpus.readWorld(job.world));
  const session = Session.open(world, { id: 'determinism', me: ME });
  const outcomes = job.calls.map(({ tool, args }) => session.call(tool, args));
  const observations = outcomes.map(({ result }) => result);
  const state = session.hash();
  const snapshot = session.snapshot();
  // Only what writes can leave something behind that a restore has to undo.
  for (const [i, { tool, args }] of job.calls.entries())
    if (outcomes[i]?.entry.touched.length) session.call(tool, args);
  session.restore(snapshot);
  const restored = session.hash();
  dropSnapshot(snapshot);
  session.drop();
  const tasks = replayTasks(corpus, world, job.tasks);
  unloadWorld(world);
  return { world: job.world, observations: sha256(JSON.stringify(observations)), state, restored, tasks };
};
