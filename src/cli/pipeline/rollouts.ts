/** Rollouts of a world's tasks by one policy, judged and kept: traces/<world>.jsonl and a summary beside it. */

import type { Detail } from '../../artifacts/disclosure.js';
import { parseArtifact } from '../../artifacts/registry.js';
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import type { Corpus } from '../../corpus/corpus.js';
import { exists, readBytes, writeJson, writeWhole } from '../../corpus/files.js';
import type { Tally, TraceCounts } from '../../corpus/listings.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import type { ModelClient } from '../../models/types.js';
import { type RolloutJob, rolloutMany } from '../../rollout/many.js';
import type { Policy } from '../../rollout/policy.js';
import { DEFAULT_LIMITS, type Limits, type Rollout, traceId } from '../../rollout/rollout.js';
import { type SimulatedUser, simulatedUser } from '../../rollout/users/user.js';
import { callerOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import { behaviourOf, FLAG_IDS } from '../../verify/behaviour/registry.js';
import { gather } from '../../verify/evidence.js';
import { Reward } from '../../verify/reward.js';
import { verify } from '../../verify/verdict.js';
import { dropGrounded, groundedWorld } from '../../world/grounded.js';
import type { LoadedWorld } from '../../world/loaded.js';

export interface Rolled {
  trace: Trace;
  verdict: Verdict;
  /** With a simulated user: the verdict at each stage's end, in their order, from the evidence of that moment. */
  stages?: Verdict[];
  /** As the run asked for it; what a trace shows of behaviour is in its line, and follows from the trace. */
  reward?: Reward;
}

export interface RolloutPlan {
  samples: number;
  seed: string;
  concurrency: number;
  /** Without turns: enough for each task (`turnsFor`). */
  limits?: Partial<Limits>;
  policyFor: (task: Task, sample: number) => Policy;
  /** How the task is told; the whole brief at once when absent. */
  view?: TaskView;
  onDone?: (done: number, passed: number) => void;
}

/** One of a task's views (weft.txt 3.1.3, "Task views"). */
export interface TaskView {
  user: 'none' | 'simulated';
  detail: Detail;
  /** Words what a simulated user says. */
  userModel?: ModelClient;
}

/** Turns that a task may take: what was asked for, else enough for its reference with as much again for looking around. */
export const turnsFor = ({ reference, disclosure }: Task, asked?: number): number =>
  asked ?? Math.max(DEFAULT_LIMITS.turns, 2 * reference.calls.length + 4 * disclosure.stages.length);

/** A session for a task, as its agent would have it. */
export const sessionFor = (world: LoadedWorld, task: Task, id: string): Session =>
  Session.open(world, { id, services: task.services, me: callerOf(task.actor) });

/** Whether disk, network or endpoint ended the rollout: it says nothing of who acted, so no pass rate counts it. */
export const isUnfinished = ({ finish, problem }: Trace): boolean =>
  (finish === 'error' || finish === 'cut') && problem?.fault === 'infrastructure';

/** Counts of rollouts; a rate is `passed` of `rollouts - unfinished`. Behaviour is counted apart and changes neither. */
export const tallyOf = (rolled: readonly Rolled[]): Tally => {
  const finished = rolled.filter(({ trace }) => !isUnfinished(trace));
  const shown = finished.map(({ trace }) => behaviourOf(trace));
  const behaviour = FLAG_IDS.flatMap((flag) => {
    const n = shown.filter((seen) => seen[flag]).length;
    return n > 0 ? [[flag, n] as const] : [];
  });
  return {
    rollouts: rolled.length,
    unfinished: rolled.length - finished.length,
    passed: finished.filter(({ verdict }) => verdict.pass).length,
    ...(behaviour.length > 0 ? { behaviour: Object.fromEntries(behaviour) } : {}),
  };
};

/** One rollout of a task on a session of its own, judged at each stage's end and at its own. */
const jobOf = (world: LoadedWorld, task: Task, hash: string, index: number, plan: RolloutPlan): RolloutJob<Rolled> => {
  const { view = { user: 'none', detail: 'full' }, limits } = plan;
  const stages: Verdict[] = [];
  const answers: Record<string, string> = {};
  return {
    open: () => {
      const host = sessionFor(world, task, `${task.id}-${index}`);
      const policy = plan.policyFor(task, index);
      const id = traceId(hash, policy.producer, plan.seed, index, view);
      const user: SimulatedUser | undefined =
        view.user === 'simulated' ? simulatedUser(task, view.detail, view.userModel) : undefined;
      return {
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
        sample: { seed: plan.seed, index },
      };
    },
    close: (trace: Trace, rollout: Rollout): Rolled => {
      const session = rollout.host as Session;
      const evidence = gather(session, trace.answer);
      const verdict = verify(task, trace.dialogue ? { ...evidence, answers } : evidence, trace.id, hash);
      session.drop();
      return { trace, verdict, ...(trace.dialogue ? { stages } : {}) };
    },
  };
};

/** Rolls every task out `samples` times; results in the order of tasks and samples. A rollout that breaks is kept with its problem. */
export const rollWorld = async (world: LoadedWorld, tasks: readonly Task[], plan: RolloutPlan): Promise<Rolled[]> => {
  const grounded: LoadedWorld[] = [];
  const jobs = tasks.flatMap((task) => {
    const hash = addressOf(task);
    const own = groundedWorld(world, task.grounding);
    if (own !== world) grounded.push(own);
    return Array.from({ length: plan.samples }, (_, index) => jobOf(own, task, hash, index, plan));
  });
  const rolled: Rolled[] = [];
  let passed = 0;
  for await (const outcome of rolloutMany(jobs, plan.concurrency)) {
    if (!outcome.ok) throw outcome.error;
    rolled.push(outcome.value);
    if (outcome.value.verdict.pass) passed++;
    plan.onDone?.(rolled.length, passed);
  }
  for (const own of grounded) dropGrounded(world, own);
  return rolled;
};

const fileOf = (corpus: Corpus, world: string): string => corpus.path('traces', `${world}.jsonl`);

const producerOf = ({ producer: { policy, name } }: Trace): string => (policy === 'model' ? name : policy);

const countsOf = (rolled: readonly Rolled[]): TraceCounts => {
  const names = [...new Set(rolled.map(({ trace }) => producerOf(trace)))].sort();
  const of = (name: string): Rolled[] => rolled.filter(({ trace }) => producerOf(trace) === name);
  return { ...tallyOf(rolled), producers: Object.fromEntries(names.map((name) => [name, tallyOf(of(name))])) };
};

const writeTraces = (corpus: Corpus, world: string, traces: readonly Rolled[]): void => {
  const lines = traces.map((line) => `${JSON.stringify({ ...line, behaviour: behaviourOf(line.trace) })}\n`);
  writeWhole(fileOf(corpus, world), lines.join(''));
  writeJson(corpus.path('traces', `${world}.summary.json`), countsOf(traces));
};

/** Writes a world's traces: those with the same id are replaced, the others kept. */
export const keepTraces = (corpus: Corpus, world: string, rolled: readonly Rolled[]): void => {
  const ids = new Set(rolled.map(({ trace }) => trace.id));
  const kept = [...readTraces(corpus, world).filter(({ trace }) => !ids.has(trace.id)), ...rolled];
  writeTraces(corpus, world, kept);
};

/** Takes the traces of some tasks out. */
export const dropTraces = (corpus: Corpus, world: string, tasks: ReadonlySet<string>): void => {
  const all = readTraces(corpus, world);
  const kept = all.filter(({ trace }) => !tasks.has(trace.taskId));
  if (kept.length < all.length) writeTraces(corpus, world, kept);
};

/** A world's kept traces with their verdicts; a line cut off by a crash is left out. */
export const readTraces = (corpus: Corpus, world: string): Rolled[] => {
  const file = fileOf(corpus, world);
  if (!exists(file)) return [];
  const lines = Buffer.from(readBytes(file)).toString('utf8').split('\n').filter(Boolean);
  return lines.flatMap((line, index) => {
    try {
      const parsed = JSON.parse(line) as { trace: unknown; verdict: unknown; stages?: unknown[]; reward?: unknown };
      const at = `${file} line ${index + 1}`;
      const reward = Reward.safeParse(parsed.reward);
      return [
        {
          trace: parseArtifact('trace', parsed.trace, at),
          verdict: parseArtifact('verdict', parsed.verdict, at),
          ...(Array.isArray(parsed.stages)
            ? { stages: parsed.stages.map((stage) => parseArtifact('verdict', stage, at)) }
            : {}),
          ...(reward.success ? { reward: reward.data } : {}),
        },
      ];
    } catch (thrown) {
      if (index === lines.length - 1 && !(thrown instanceof TreadleError)) return [];
      throw thrown;
    }
  });
};
