/**
 * One rollout of a task: a session of its own, judged at each stage's end and at its own. Where the infrastructure breaks it, it
 * is made once more from the beginning (weft.txt, table 4: at most two physical attempts a logical rollout).
 */
import type { Detail } from '../../../artifacts/disclosure.js';
import type { Task } from '../../../artifacts/task.js';
import type { Trace } from '../../../artifacts/trace.js';
import type { Verdict } from '../../../artifacts/verdict.js';
import { type Attempt, shownBy, type TraceLine } from '../../../corpus/traces/line.js';
import { asTreadleError } from '../../../errors.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import type { Policy } from '../../../rollout/policy.js';
import {
  DEFAULT_LIMITS,
  type Disclosed,
  type Limits,
  type Rollout,
  rolloutTask,
  traceId,
} from '../../../rollout/rollout.js';
import type { Speaker } from '../../../rollout/users/speaker.js';
import { type SimulatedUser, speakerName, spokenUser } from '../../../rollout/users/user.js';
import { FaultPlan } from '../../../serve/faults/plan.js';
import { faultRule } from '../../../serve/faults/rule.js';
import { callerOf } from '../../../serve/sessions/caller.js';
import { Session } from '../../../serve/sessions/session.js';
import type { Woven } from '../../../serve/sessions/woven.js';
import { gather } from '../../../verify/evidence.js';
import { type Penalties, type RewardShape, rewardOf } from '../../../verify/reward.js';
import { verify } from '../../../verify/verdict.js';
import type { LoadedWorld } from '../../../world/loaded.js';

/** One of a task's views (weft.txt 3.1.3, "Task views"). */
export interface TaskView {
  user: 'none' | 'simulated';
  detail: Detail;
  /** Words what a simulated user says; the rules do where it is absent. */
  speaker?: Speaker;
  /** The speaker's mistakes are let through and marked; without, its words are taken only where they say what is to be said. */
  isTrusted?: boolean;
  /** Faults injected into its calls: each rollout's are drawn from the seed, the task and its number. */
  faults?: NonNullable<Trace['faults']>;
}

/** A view as a trace's id tells it from others. */
const disclosed = ({ user, detail, faults, speaker, isTrusted = false }: TaskView): Disclosed => ({
  user,
  detail,
  faults,
  speaker: speaker && speakerName({ model: speaker.name, isTrusted }),
});

/** How rollouts are made. */
export interface Acting {
  seed: string;
  /** Without turns: enough for each task (`turnsFor`). */
  limits?: Partial<Limits>;
  policyFor: (task: Task, sample: number) => Policy;
  /** Our own loop (`rolloutTask`) when absent. The trace must have the id that `traceId` gives for the policy's producer. */
  perform?: (rollout: Rollout, taskHash: string) => Promise<Trace>;
  /** How the task is told; the whole brief at once when absent. */
  view?: TaskView;
  /** What each rollout earns, where it is to be kept. */
  reward?: { shape: RewardShape; penalties: Penalties };
  /** Physical attempts at a rollout that the infrastructure breaks: 1 when absent. */
  attempts?: number;
  /** Calls every rollout off. */
  signal?: AbortSignal;
}

export interface Sample {
  /** As the task finds it. */
  world: LoadedWorld;
  task: Task;
  hash: string;
  index: number;
}

/** Turns that a task may take: what was asked for, else enough for its reference with as much again for looking around. */
export const turnsFor = ({ reference, disclosure }: Task, asked?: number): number =>
  asked ?? Math.max(DEFAULT_LIMITS.turns, 2 * reference.calls.length + 4 * disclosure.stages.length);

/** A session for a task, as its agent would have it. */
export const sessionFor = (world: LoadedWorld, task: Task, id: string, woven?: Woven): Session =>
  Session.open(world, { id, services: task.services, me: callerOf(task.actor), ...(woven ? { woven } : {}) });

const faultsFor = ({ faults }: TaskView, task: Task, index: number): FaultPlan | undefined =>
  faults && new FaultPlan(faults.rules.map(faultRule), `${faults.seed}/${task.id}/${index}`);

/** The id that a rollout will have: who acts says so before it starts. */
export const sampleId = (
  task: Task,
  hash: string,
  index: number,
  { policyFor, seed, view }: Pick<Acting, 'policyFor' | 'seed' | 'view'>,
): string => traceId(hash, policyFor(task, index).producer, seed, index, view && disclosed(view));

const physical = async ({ world, task, hash, index }: Sample, acting: Acting): Promise<TraceLine> => {
  const { view = { user: 'none', detail: 'full' }, limits, seed, signal, perform = rolloutTask } = acting;
  const stages: Verdict[] = [];
  const answers: Record<string, string> = {};
  const host = sessionFor(world, task, `${task.id}-${index}`, faultsFor(view, task, index));
  try {
    const policy = acting.policyFor(task, index);
    const id = traceId(hash, policy.producer, seed, index, disclosed(view));
    const user: SimulatedUser | undefined =
      view.user === 'simulated' ? spokenUser(task, view.detail, view.speaker, view.isTrusted) : undefined;
    const performed = await perform(
      {
        host,
        task,
        policy,
        limits: { ...DEFAULT_LIMITS, ...limits, turns: turnsFor(task, limits?.turns) },
        prompt: {
          policies: world.spec.policies.map(({ text }) => text),
          company: world.spec.company.name,
          detail: view.detail,
          ...(user ? { hasUser: true } : {}),
        },
        ...(user
          ? {
              user,
              onStage: ({ node, reply }) => {
                answers[node] = reply;
                stages.push(verify(task, { ...gather(host, reply), answers: { ...answers } }, id, hash, node));
              },
            }
          : {}),
        sample: { seed, index },
        ...(signal ? { signal } : {}),
      },
      hash,
    );
    // Who acts knows nothing of faults.
    const trace = view.faults ? { ...performed, id, faults: view.faults } : performed;
    const evidence = gather(host, trace.answer);
    const verdict = verify(task, trace.dialogue ? { ...evidence, answers } : evidence, trace.id, hash);
    return { trace, verdict, ...(trace.dialogue ? { stages } : {}) };
  } finally {
    host.drop();
  }
};

/** A rollout of which nothing came: what threw stands outside the policy, in opening, judging or the loop itself. */
export const brokenLine = (
  { task, hash, index }: Omit<Sample, 'world'>,
  { policyFor, seed, view = { user: 'none', detail: 'full' } }: Acting,
  thrown: unknown,
): TraceLine => {
  const { producer } = policyFor(task, index);
  const id = traceId(hash, producer, seed, index, disclosed(view));
  const error = asTreadleError(thrown, 'verifier', 'rollout_failed');
  const fault = error.fault === 'policy' || error.fault === 'agent' ? 'verifier' : error.fault;
  return {
    trace: {
      treadle: 'trace/1',
      id,
      task: hash,
      taskId: task.id,
      world: task.world,
      snapshot: task.snapshot,
      producer,
      user: view.user,
      detail: view.detail,
      ...(view.faults ? { faults: view.faults } : {}),
      messages: [],
      ledger: [],
      events: [],
      answer: '',
      finish: 'error',
      problem: { code: error.code, message: error.line(), fault },
      usage: { turns: 0, calls: 0 },
    },
    verdict: { treadle: 'verdict/1', task: hash, trace: id, pass: false, milestones: [], broken: [], fault: 'none' },
  };
};

const isBrokenFromOutside = ({ trace, verdict }: TraceLine): boolean => {
  const { outcome, fault } = outcomeOf(trace, verdict);
  return outcome === 'fault' && fault === 'infrastructure';
};

const attemptOf = ({ trace: { problem, usage } }: TraceLine): Attempt => ({
  problem: problem ?? { code: 'unknown', message: '', fault: 'infrastructure' },
  turns: usage.turns,
  calls: usage.calls,
});

/** Rolls a task out, again where the infrastructure broke it. Throws only for a defect of the world or the verifier. */
export const rollOut = async (sample: Sample, acting: Acting): Promise<TraceLine> => {
  const attempts: Attempt[] = [];
  let line = await physical(sample, acting);
  while (isBrokenFromOutside(line) && attempts.length + 1 < (acting.attempts ?? 1) && !acting.signal?.aborted) {
    attempts.push(attemptOf(line));
    line = await physical(sample, acting);
  }
  const { reward } = acting;
  return {
    ...line,
    ...(reward ? { reward: rewardOf(line.verdict, shownBy(line.trace), reward.shape, reward.penalties) } : {}),
    ...(attempts.length > 0 ? { attempts } : {}),
  };
};
