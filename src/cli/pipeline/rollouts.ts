/** Rollouts of a world's tasks by one policy, judged and kept: traces/<world>.jsonl and a summary beside it. */
import { parseArtifact } from '../../artifacts/registry.js';
import type { Task } from '../../artifacts/task.js';
import type { Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import type { Corpus } from '../../corpus/corpus.js';
import { exists, readBytes, writeJson, writeWhole } from '../../corpus/files.js';
import type { Tally, TraceCounts } from '../../corpus/listings.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { rolloutMany } from '../../rollout/many.js';
import type { Policy } from '../../rollout/policy.js';
import type { Limits, Rollout } from '../../rollout/rollout.js';
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
  /** As the run asked for it; what a trace shows of behaviour is in its line, and follows from the trace. */
  reward?: Reward;
}

export interface RolloutPlan {
  samples: number;
  seed: string;
  concurrency: number;
  limits?: Limits;
  policyFor: (task: Task, sample: number) => Policy;
  onDone?: (done: number, passed: number) => void;
}

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

/** Rolls every task out `samples` times; results in the order of tasks and samples. A rollout that breaks is kept with its problem. */
export const rollWorld = async (world: LoadedWorld, tasks: readonly Task[], plan: RolloutPlan): Promise<Rolled[]> => {
  let [done, passed] = [0, 0];
  const policies = world.spec.policies.map(({ text }) => text);
  const grounded: LoadedWorld[] = [];
  const jobs = tasks.flatMap((task) => {
    const hash = addressOf(task);
    const own = groundedWorld(world, task.grounding);
    if (own !== world) grounded.push(own);
    return Array.from({ length: plan.samples }, (_, index) => ({
      open: () => ({
        host: sessionFor(own, task, `${task.id}-${index}`),
        task,
        policy: plan.policyFor(task, index),
        ...(plan.limits ? { limits: plan.limits } : {}),
        prompt: { policies, company: world.spec.company.name },
        sample: { seed: plan.seed, index },
      }),
      close: (trace: Trace, rollout: Rollout): Rolled => {
        const session = rollout.host as Session;
        const verdict = verify(task, gather(session, trace.answer), trace.id, hash);
        session.drop();
        done++;
        if (verdict.pass) passed++;
        plan.onDone?.(done, passed);
        return { trace, verdict };
      },
    }));
  });
  const rolled: Rolled[] = [];
  for await (const outcome of rolloutMany(jobs, plan.concurrency)) {
    if (!outcome.ok) throw outcome.error;
    rolled.push(outcome.value);
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
      const parsed = JSON.parse(line) as { trace: unknown; verdict: unknown; reward?: unknown };
      const reward = Reward.safeParse(parsed.reward);
      return [
        {
          trace: parseArtifact('trace', parsed.trace, `${file} line ${index + 1}`),
          verdict: parseArtifact('verdict', parsed.verdict, `${file} line ${index + 1}`),
          ...(reward.success ? { reward: reward.data } : {}),
        },
      ];
    } catch (thrown) {
      if (index === lines.length - 1 && !(thrown instanceof TreadleError)) return [];
      throw thrown;
    }
  });
};
