/** Whole-trajectory rejection sampling: what prefix-preserving sampling is measured against (weft.txt, Figure 7). */
import type { Trace } from '../../artifacts/trace.js';
import { rolloutTask } from '../rollout.js';
import { brokenBy } from './attempt.js';
import { addCost, type Cost, metered, noCost, sumOf } from './cost.js';
import { mustFork, type SamplingHost } from './host.js';
import {
  type Attempt,
  attemptLimits,
  attemptSeed,
  type Ended,
  type Judged,
  keepBudget,
  producerOf,
  type Ready,
  ready,
  type SamplingPlan,
  sampledId,
} from './plan.js';
import type { Sampled } from './prefix.js';
import { stagesOf } from './stages.js';

interface Tried extends Judged {
  passed: boolean;
  broken?: Ended['why'];
  cost: Cost;
}

/** Turns of a whole trajectory: those of its stages together, as prefix-preserving sampling gives them. */
const turnsOf = ({ task, user, limits }: Ready): number => {
  const hasUser = user !== undefined;
  const own = task.disclosure.stages.every(({ node }) => task.milestones.some((milestone) => milestone.node === node));
  const judged = own ? task : { ...task, disclosure: { ...task.disclosure, stages: [] } };
  return stagesOf(judged, hasUser, limits.stageTurns).reduce((sum, { turns }) => sum + turns, 0);
};

const idOf = (plan: Ready, attempt: number): string => sampledId(plan, producerOf(plan), { method: 'whole', attempt });

/** The ids that its trajectories will have, as far as they are made. */
export const wholeIds = (plan: SamplingPlan): string[] => {
  const own = ready(plan);
  return Array.from({ length: own.retries + 1 }, (_, n) => idOf(own, n + 1));
};

const tryWhole = async (
  plan: Ready,
  attempt: Attempt,
  id: string,
  spent: Cost,
  onEnd?: (host: SamplingHost) => void | Promise<void>,
): Promise<Tried> => {
  const host = mustFork(await plan.open());
  try {
    let calls = 0;
    const counted = {
      tools: () => host.tools(),
      call: (...call: Parameters<SamplingHost['call']>) => {
        calls++;
        return host.call(...call);
      },
    };
    const meter = metered(plan.policyFor(attempt), (now) => keepBudget(plan, spent, now, calls));
    const answers: Record<string, string> = {};
    const rolled = await rolloutTask(
      {
        host: counted,
        task: plan.task,
        policy: meter.policy,
        limits: attemptLimits(plan, turnsOf(plan)),
        ...(plan.prompt ? { prompt: plan.prompt } : {}),
        ...(plan.user ? { user: plan.user() } : {}),
        onStage: ({ node, reply }) => {
          answers[node] = reply;
        },
        ...(plan.signal ? { signal: plan.signal } : {}),
      },
      plan.hash,
    );
    const trace: Trace = { ...rolled, id, producer: producerOf(plan) };
    const verdict = await host.judge({ answer: trace.answer, ...(plan.user ? { answers } : {}) });
    await onEnd?.(host);
    const broken = brokenBy(trace, verdict);
    return {
      trace,
      verdict: { ...verdict, trace: id },
      passed: verdict.pass && broken === undefined,
      ...(broken ? { broken } : {}),
      cost: meter.cost(trace.usage.calls),
    };
  } finally {
    await host.drop();
  }
};

/**
 * Rolls the whole task out until a trajectory passes, at most `retries` times more. Trajectories that were rejected are in
 * `dropped`, but for the last where none passed: that one is `kept`. Throws as `samplePrefix`.
 */
export const sampleWhole = async (
  plan: SamplingPlan,
  onEnd?: (host: SamplingHost) => void | Promise<void>,
): Promise<Sampled> => {
  const own = ready(plan);
  const cost = { kept: noCost(), dropped: noCost() };
  const dropped: Judged[] = [];
  let last: Judged | undefined;
  let ended: Ended | undefined;
  for (let n = 1; n <= own.retries + 1 && !ended; n++) {
    const attempt: Attempt = { attempt: n, seed: attemptSeed(own, 'whole', n) };
    const id = idOf(own, n);
    let tried = await tryWhole(own, attempt, id, sumOf([cost.kept, cost.dropped]), onEnd);
    if (tried.broken === 'infrastructure' || tried.broken === 'user') {
      addCost(cost.dropped, tried.cost);
      tried = await tryWhole(own, attempt, id, sumOf([cost.kept, cost.dropped]), onEnd);
    }
    const { passed, broken, cost: spentOn, ...judged } = tried;
    own.onAttempt?.(attempt, passed);
    addCost(passed ? cost.kept : cost.dropped, spentOn);
    if (last) dropped.push(last);
    last = judged;
    if (passed) return { accepted: true, kept: judged, dropped, cost };
    if (broken) ended = { why: broken, attempts: n, message: judged.trace.problem?.message ?? judged.trace.finish };
  }
  const tries = own.retries + 1;
  ended ??= { why: 'never_passed', attempts: tries, message: `None of ${tries} whole trajectories passed` };
  return { accepted: false, kept: last as Judged, dropped, cost, ended };
};
