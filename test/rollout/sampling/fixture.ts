/** A world with a task of many stages, and what tests of sampling ask of both. */
import type { Task } from '../../../src/artifacts/task.js';
import type { Trace } from '../../../src/artifacts/trace.js';
import { addressOf, type Json } from '../../../src/kit/hash.js';
import { rng } from '../../../src/kit/rng.js';
import { referencePolicy } from '../../../src/rollout/agents/reference.js';
import { callId, madeCalls, referenceCall } from '../../../src/rollout/agents/replay.js';
import type { SlipKind } from '../../../src/rollout/agents/slipping.js';
import { slippingPolicy } from '../../../src/rollout/agents/slipping.js';
import type { Policy } from '../../../src/rollout/policy.js';
import { type SamplingHost, sessionHost } from '../../../src/rollout/sampling/host.js';
import type { Attempt, SamplingPlan } from '../../../src/rollout/sampling/plan.js';
import { simulatedUser } from '../../../src/rollout/users/user.js';
import { callerOf } from '../../../src/serve/sessions/caller.js';
import { Session } from '../../../src/serve/sessions/session.js';
import { composeTask } from '../../../src/tasks/compose/compose.js';
import { prepareGround } from '../../../src/tasks/ground/ground.js';
import { callsByStage } from '../../../src/tasks/stage-calls.js';
import { groundedWorld } from '../../../src/world/grounded.js';
import type { LoadedWorld } from '../../../src/world/loaded.js';
import { catalogueWorld } from '../../tasks/worlds.js';

export interface Bench {
  world: LoadedWorld;
  task: Task;
  nodes: string[];
  open(): Session;
}

/** A grounded task of `stages` stages that asks something at several of them. */
export const benchOf = async (stages: number): Promise<Bench> => {
  const world = await catalogueWorld('a kitchen supplies wholesaler in Leeds', 'sampling', ['billing', 'order_mgmt']);
  const ground = prepareGround(world);
  for (const seed of 'abcdefgh') {
    const services = new Set(world.services.keys());
    const wish = { stages, least: stages, services, leastServices: 2, stray: undefined, id: `t-${seed}` };
    const made = composeTask(ground, { ...wish, profile: 'standard', random: rng(seed, 'sampling') });
    if (typeof made === 'string') continue;
    const { task } = made;
    const asking = task.milestones.filter(({ answer }) => answer !== undefined);
    if (asking.length < 2 || !task.grounding) continue;
    const own = groundedWorld(world, task.grounding);
    const open = (): Session => Session.open(own, { id: 'sampled', services: task.services, me: callerOf(task.actor) });
    return { world: own, task, nodes: task.disclosure.stages.map(({ node }) => node), open };
  }
  throw new Error('no task could be composed');
};

/** In process; `watch` sees each copy as it is made: what attempts begin from. */
export const hostOf = (
  task: Task,
  session: Session,
  watch?: (session: Session) => void,
): SamplingHost & { session: Session } => {
  const host = sessionHost(session, task, addressOf(task));
  return {
    ...host,
    fork: () => {
      watch?.(session);
      return hostOf(task, session.fork(session.id), watch);
    },
  };
};

export const planOf = ({ task, open }: Bench, more: Partial<SamplingPlan> = {}): SamplingPlan => ({
  open: () => hostOf(task, open()),
  task,
  user: () => simulatedUser(task, 'full'),
  prompt: { hasUser: true },
  policyFor: () => referencePolicy(task),
  ...more,
});

/** As a user's task is told whole. */
export const agentic = (bench: Bench, more: Partial<SamplingPlan> = {}): SamplingPlan => {
  const { user: _, ...plan } = planOf(bench, { prompt: {}, ...more });
  return plan;
};

/** Everything but the last call of its stage, then calls of later stages, then no answer: a failure that changes much. */
const wreckingPolicy = (task: Task): Policy => ({
  producer: referencePolicy(task).producer,
  next: (view) => {
    const ends = callsByStage(task);
    const stage = view.stage ?? 0;
    const from = stage === 0 ? 0 : (ends[stage - 1] ?? 0);
    const to = ends[stage] ?? from;
    const wanted = task.reference.calls.map((_, n) => n).filter((n) => n >= from && n !== to - 1 && n < to + 4);
    const made = madeCalls(view.messages);
    const next = wanted.find((n) => !made.has(callId(n)));
    return next === undefined ? { text: 'I made a mess of it.', calls: [] } : referenceCall(task, next, view);
  },
});

export type Failing = SlipKind | 'wrecks';

/** The reference, but for the attempts of which `fails` names a slip. */
export const flaky =
  (task: Task, fails: (attempt: Attempt) => Failing | undefined) =>
  (attempt: Attempt): Policy => {
    const kind = fails(attempt);
    const { producer } = referencePolicy(task);
    if (kind === undefined) return referencePolicy(task);
    if (kind === 'wrecks') return wreckingPolicy(task);
    return slippingPolicy(task, attempt.seed, { rate: 1, kinds: [kind] }, producer);
  };

/** What a trace says of what happened, without who it was and how it came about. */
export const happened = ({ messages, ledger, dialogue, answer, finish, usage, tokens }: Trace): string =>
  addressOf({ messages, ledger, dialogue, answer, finish, usage, tokens } as unknown as Json);

export const stateOf = (session: Session): string =>
  addressOf({
    hash: session.hash(),
    clock: session.clock,
    ledger: session.ledger,
    files: [...session.workspace.files()],
    diff: session.diff(),
  } as unknown as Json);
