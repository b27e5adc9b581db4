/** A built world and one of its tasks, for harnesses run for real. */

import type { Task } from '../../src/artifacts/task.js';
import type { Trace } from '../../src/artifacts/trace.js';
import type { Verdict } from '../../src/artifacts/verdict.js';
import { Corpus } from '../../src/corpus/corpus.js';
import { addressOf } from '../../src/kit/hash.js';
import { startGateway } from '../../src/rollout/gateway/gateway.js';
import type { Backend } from '../../src/rollout/gateway/types.js';
import { findJail } from '../../src/rollout/harness/jail.js';
import { harnessProducer, rolloutHarness } from '../../src/rollout/harness/run.js';
import { openToolDoor } from '../../src/rollout/harness/tools-door.js';
import type { Found, HarnessKind } from '../../src/rollout/harness/types.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { gather } from '../../src/verify/evidence.js';
import { verify } from '../../src/verify/verdict.js';
import { groundedWorld } from '../../src/world/grounded.js';
import { type LoadedWorld, loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import { fakeModel, replaying, type WireRequest } from './fake-model.js';

export interface Played {
  trace: Trace;
  verdict: Verdict;
  task: Task;
  requests: readonly WireRequest[];
  jailed: boolean;
}

/** The task of a corpus's first world that asks for a change and an answer, with the most calls up to six. */
const chosen = (tasks: readonly Task[]): Task => {
  const fits = tasks.filter(({ reference, answer }) => reference.calls.length <= 6 && answer !== undefined);
  return [...(fits.length > 0 ? fits : tasks)].sort(
    (a, b) => b.reference.calls.length - a.reference.calls.length,
  )[0] as Task;
};

const sessionOf = (world: LoadedWorld, task: Task): Session =>
  Session.open(world, { id: 'real', services: task.services, me: callerOf(task.actor) });

/** Runs the harness on that task, its model being the reference behind the gateway. */
export const playReference = async (
  corpusDir: string,
  root: string,
  { kind, found }: { kind: HarnessKind; found: Found },
): Promise<Played> => {
  const corpus = Corpus.open(corpusDir);
  const id = corpus.worlds()[0] as string;
  const engine = await Engine.start();
  const { tasks } = corpus.readTasks(id);
  const task = chosen(tasks);
  const world = groundedWorld(loadWorld(engine, corpus.readWorld(id)), task.grounding);
  const host = sessionOf(world, task);
  const model = await fakeModel(replaying(task, host.tools()));
  const [gateway, tools] = [await startGateway(), await openToolDoor()];
  const { jail } = await findJail();
  const harness = kind.harness(found);
  const backend: Backend = { kind: 'openai', baseUrl: model.baseUrl, model: 'm1' };
  try {
    const trace = await rolloutHarness(
      { gateway, tools, jail, root },
      {
        harness,
        producer: harnessProducer(harness, { version: found.version, backend, seed: '0' }),
        host,
        task,
        backend,
        prompt: { company: world.spec.company.name, policies: world.spec.policies.map(({ text }) => text) },
        limits: { deadlineMs: 480_000 },
      },
    );
    const verdict = verify(task, gather(host, trace.answer), trace.id, addressOf(task));
    return { trace, verdict, task, requests: model.requests, jailed: jail !== undefined };
  } finally {
    host.drop();
    await Promise.all([gateway.close(), tools.close(), model.close()]);
    engine.close();
  }
};
