/** One rollout: a policy acts on a tool host until it answers or runs out of turns. A failed rollout is a Trace, not a throw. */
import type { Task } from '../artifacts/task.js';
import type { Trace } from '../artifacts/trace.js';
import { addressOf } from '../kit/hash.js';
import type { ToolHost } from '../serve/tool-host.js';
import { checkLimits, DEFAULT_LIMITS, type Limits } from './limits.js';
import { act, type End, offeredTools } from './loop.js';
import type { Outside } from './outside.js';
import type { Policy } from './policy.js';
import type { Prompt } from './prompt.js';
import { beginRun, type Run, spentOf } from './run.js';
import type { EndedStage } from './users/conversation.js';
import { userProblem } from './users/fault.js';
import { type SimulatedUser, speakerName } from './users/user.js';

export { DEFAULT_LIMITS, type Limits } from './limits.js';

export interface Rollout {
  host: ToolHost;
  task: Task;
  policy: Policy;
  limits?: Limits;
  prompt?: Prompt;
  /** Asks for one stage after the other; absent: the whole brief is given at once. One of its own for each rollout. */
  user?: SimulatedUser;
  /** Called as each stage of a simulated user ends, before the next is asked for; the host stands as the stage left it. */
  onStage?: (stage: EndedStage) => void;
  /** Which of several rollouts of this task: it goes into the trace's id. */
  sample?: { seed: string; index: number };
  /** What happens outside, where the task does not stand still. */
  outside?: Outside;
  /** Calls the rollout off. */
  signal?: AbortSignal;
}

/** How the task was disclosed, where that is not the whole brief at once, and what was made to fail. */
export interface Disclosed extends Partial<Pick<Trace, 'user' | 'detail' | 'faults' | 'scenario'>> {
  /** Whoever words what a simulated user says, where that is not the rules (`speakerName`). */
  speaker?: string | undefined;
}

/** The id of the `index`-th rollout of a task by a producer; `disclosed` tells the task's views apart. */
export const traceId = (
  task: string,
  producer: Trace['producer'],
  seed: string,
  index: number,
  { user = 'none', detail = 'full', faults, scenario, speaker }: Disclosed = {},
): string =>
  addressOf({
    task,
    producer,
    seed,
    index,
    ...(user === 'none' && detail === 'full' ? {} : { user, detail }),
    ...(faults ? { faults } : {}),
    ...(scenario ? { scenario: scenario.hash } : {}),
    ...(speaker === undefined ? {} : { speaker }),
  });

/** What a trace says of where it comes from. */
export interface About {
  id: string;
  hash: string;
  task: Task;
  producer: Trace['producer'];
  user: Trace['user'];
  detail: Trace['detail'];
  outside?: Outside | undefined;
  /** For `usage.cost`. */
  limits?: Pick<Limits, 'prices'> | undefined;
}

/** Whose problem a rollout has: a user's mistake goes before the policy's, since it may be the cause, and after everything else. */
const problemOf = ({ problem }: End, dialogue: Trace['dialogue']): Trace['problem'] =>
  problem && problem.fault !== 'policy' ? problem : (userProblem(dialogue) ?? problem);

/** A run that has ended, as it is kept. */
export const traceOf = (
  run: Run,
  end: End,
  { id, hash, task, producer, user, detail, outside, limits }: About,
): Trace => {
  const dialogue = run.conversation?.dialogue(run.ledger.length);
  const problem = problemOf(end, dialogue);
  return {
    treadle: 'trace/1',
    id,
    task: hash,
    taskId: task.id,
    world: task.world,
    snapshot: task.snapshot,
    producer,
    user,
    detail,
    ...(dialogue ? { dialogue } : {}),
    messages: run.messages,
    ledger: run.ledger,
    ...(outside ? { scenario: outside.scenario } : {}),
    events: [...(outside?.events() ?? []), ...run.notices],
    ...end,
    ...(problem ? { problem } : {}),
    ...spentOf(run, limits),
  };
};

/**
 * Rolls a task out. Never throws for what a policy, a model or an endpoint does wrong: that is the trace's `finish` and `problem`.
 * `taskHash` spares hashing the task again. Throws `bad_limits` for limits that allow nothing.
 */
export const rolloutTask = async (rollout: Rollout, taskHash = addressOf(rollout.task)): Promise<Trace> => {
  const { task, policy, prompt = {}, sample = { seed: '0', index: 0 }, limits = DEFAULT_LIMITS } = rollout;
  checkLimits(limits);
  const { detail = 'full' } = prompt;
  const user = rollout.user ? 'simulated' : 'none';
  const run = beginRun(task, prompt, rollout.user);
  const halt = await act(run, { ...rollout, limits, tools: offeredTools(rollout) });
  const { producer } = policy;
  const id = traceId(taskHash, producer, sample.seed, sample.index, {
    user,
    detail,
    scenario: rollout.outside?.scenario,
    speaker: rollout.user && speakerName(rollout.user),
  });
  // Nothing stops it before its end.
  return traceOf(run, halt.end as End, {
    id,
    hash: taskHash,
    task,
    producer,
    user,
    detail,
    outside: rollout.outside,
    limits,
  });
};
