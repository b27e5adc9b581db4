/** What the sampling methods have in common: a task, hosts to act on, a policy for each attempt, and bounds. */
import type { Detail } from '../../artifacts/disclosure.js';
import type { Task } from '../../artifacts/task.js';
import type { Producer, Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { addressOf, type Json } from '../../kit/hash.js';
import type { Prices, Purse } from '../budget.js';
import { checkLimits, DEFAULT_LIMITS, type Limits } from '../limits.js';
import type { Policy } from '../policy.js';
import type { Prompt } from '../prompt.js';
import { type SimulatedUser, speakerName } from '../users/user.js';
import { type Cost, dollarsOf, sumOf, tokensOf } from './cost.js';
import type { SamplingHost } from './host.js';

/** Weft's own: up to four attempts an atomic task (weft.txt Appendix B, "SFT sampling"). */
export const DEFAULT_RETRIES = 3;

/** Which attempt a policy is made for. Fresh mistakes, and fresh draws of a model, come from `seed`. */
export interface Attempt {
  /** The stage's node; absent: a whole trajectory. */
  node?: string;
  /** From 1. */
  attempt: number;
  /** Unlike that of any other attempt of the run. */
  seed: string;
}

/** Bounds; what is absent is not bounded. Kept and dropped attempts count alike. */
export interface SamplingLimits {
  /** Assistant messages of one attempt at a stage (default: enough for its reference, three times over). */
  stageTurns?: number;
  maxObservationChars?: number;
  /** Milliseconds for all of it. */
  deadlineMs?: number;
  /** Calls of tools. */
  calls?: number;
  /** Tokens as `tokensOf` counts them. */
  tokens?: number;
  /** US dollars; needs `prices`. */
  cost?: number;
  prices?: Prices;
  /** Shared by all of a run; needs `prices`. */
  purse?: Purse;
}

export interface SamplingPlan {
  /** A host on the task's initial state; sampling drops it. */
  open: () => SamplingHost | Promise<SamplingHost>;
  task: Task;
  hash?: string;
  /** Asks for one stage after the other, one user a rollout; absent: the whole brief at once (Agentic). */
  user?: () => SimulatedUser;
  /** A policy that goes on from whatever history it is shown. */
  policyFor: (attempt: Attempt) => Policy;
  prompt?: Prompt;
  retries?: number;
  limits?: SamplingLimits;
  /** Which of several samples of this task. */
  sample?: { seed: string; index: number };
  signal?: AbortSignal;
  onAttempt?: (attempt: Attempt, passed: boolean) => void;
}

export interface Judged {
  trace: Trace;
  verdict: Verdict;
  /** Verdicts at the ends of its stages. */
  stages?: Verdict[];
}

/** Why nothing was accepted. */
export interface Ended {
  /**
   * `never_passed`: all attempts failed, which is the policy's. `too_short`: a group's history ended before its branches could
   * part. Everything else says nothing of the policy.
   */
  why: 'never_passed' | 'too_short' | 'budget' | 'cut' | 'infrastructure' | 'verifier' | 'user';
  node?: string;
  attempts: number;
  message: string;
}

/** A plan with its defaults, and what has been spent of it. */
export interface Ready extends SamplingPlan {
  hash: string;
  retries: number;
  limits: SamplingLimits & { maxObservationChars: number };
  sample: { seed: string; index: number };
  detail: Detail;
  startedMs: number;
}

/** Fills in the defaults. Throws `bad_retries`, `bad_limits` and `bad_budget`. */
export const ready = (plan: SamplingPlan): Ready => {
  const { retries = DEFAULT_RETRIES, sample = { seed: '0', index: 0 }, limits = {}, prompt = {}, task } = plan;
  if (!Number.isInteger(retries) || retries < 0)
    throw new TreadleError({
      code: 'bad_retries',
      message: 'Retries are a whole number, 0 or more',
      value: retries,
      next: 'Take 3 for up to four attempts, 0 for one.',
    });
  const { tokens, cost, prices, purse, maxObservationChars = DEFAULT_LIMITS.maxObservationChars } = limits;
  checkLimits({
    turns: limits.stageTurns ?? 1,
    maxObservationChars,
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
    ...(prices ? { prices } : {}),
    ...(purse ? { purse } : {}),
  });
  return {
    ...plan,
    hash: plan.hash ?? addressOf(task),
    retries,
    sample,
    limits: { ...limits, maxObservationChars },
    prompt,
    detail: prompt.detail ?? 'full',
    startedMs: elapsedMs(),
  };
};

/** The limits of one attempt that may take so many turns; what bounds the whole is kept by `keepBudget`. */
export const attemptLimits = (plan: Ready, turns: number): Limits => {
  const { maxObservationChars, prices, purse } = plan.limits;
  return {
    turns,
    maxObservationChars,
    ...leftMs(plan),
    ...(prices ? { prices } : {}),
    ...(purse ? { purse } : {}),
  };
};

/** Milliseconds that are left; at least one, so that the next wait ends as a deadline does. */
export const leftMs = ({ limits, startedMs }: Ready): { deadlineMs?: number } =>
  limits.deadlineMs === undefined ? {} : { deadlineMs: Math.max(1, limits.deadlineMs - (elapsedMs() - startedMs)) };

export const attemptSeed = ({ sample, task }: Ready, ...where: (string | number)[]): string =>
  [sample.seed, task.id, sample.index, ...where].join('/');

/** The id of what a method makes of a task: another one for each producer, sample, view and setting. */
export const sampledId = (plan: Ready, producer: Producer, method: Record<string, Json>): string => {
  const { hash: task, sample, detail, user } = plan;
  const speaker = user && speakerName(user());
  const view = { user: user ? 'simulated' : 'none', detail, ...(speaker === undefined ? {} : { speaker }) };
  return addressOf({ task, producer: producer as unknown as Json, ...sample, ...view, ...method });
};

const spent = (code: string, message: string, value: number): TreadleError =>
  new TreadleError({ code, message, value, next: 'Raise the budget.', fault: 'infrastructure' });

/** Throws `call_budget`, `token_budget` or `cost_budget` once what has been spent, with the attempt under way, is all there is. */
export const keepBudget = ({ limits }: Ready, before: Cost, now: Cost, calls: number): void => {
  if (limits.calls !== undefined && before.calls + calls >= limits.calls)
    throw spent('call_budget', `All ${limits.calls} calls are spent`, limits.calls);
  const all = sumOf([before, now]);
  if (limits.tokens !== undefined && tokensOf(all) >= limits.tokens)
    throw spent('token_budget', `All ${limits.tokens} tokens are spent`, limits.tokens);
  if (limits.cost !== undefined && limits.prices && dollarsOf(all, limits.prices) >= limits.cost)
    throw spent('cost_budget', `All ${limits.cost} dollars are spent`, limits.cost);
};

/** Who acts, whichever attempt it is. */
export const producerOf = (plan: Ready): Producer =>
  plan.policyFor({ attempt: 1, seed: attemptSeed(plan, 'producer') }).producer;
