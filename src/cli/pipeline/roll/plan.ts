/** What `treadle rollout` is asked for, as its options say: plain data, so that worker processes can be told the same. */
import { TreadleError } from '../../../errors.js';
import { checkLimits, DEFAULT_LIMITS, type Limits } from '../../../rollout/limits.js';
import type { RewardShape } from '../../../verify/reward.js';
import { type ActingOptions, policyOf, viewOf } from '../acting.js';
import type { HarnessActing, HarnessOptions } from '../harness.js';
import type { Acting } from './attempt.js';
import type { Again } from './open-world.js';
import type { Filter } from './pick.js';

export interface RolloutOptions extends Omit<ActingOptions, 'policy'>, HarnessOptions {
  policy: ActingOptions['policy'] | 'harness';
  world?: string[];
  task?: string[];
  profile?: string[];
  kind?: string[];
  scenarios?: string[] | true;
  limit?: number;
  n: number;
  samples?: number;
  concurrency: number;
  jobs?: number;
  memory: number;
  turns?: number;
  deadline?: number;
  maxTokens?: number;
  maxCost?: number;
  pricePrompt?: number;
  priceCompletion?: number;
  budgetCost?: number;
  again?: Again | true;
  reward: RewardShape;
  penalty: Record<string, number>;
  json?: boolean;
}

export interface CorpusPlan {
  filter: Partial<Filter>;
  acting: Acting;
  samples: number;
  again: Again;
  /** Rollouts in flight, in each process. */
  concurrency: number;
  /** Bytes of loaded worlds, in each process. */
  memory: number;
  /** Worker processes, and what they are told; absent: everything runs in this one. */
  crew?: { jobs: number; options: RolloutOptions };
}

/** Limits of each rollout. Throws `bad_budget` for money without prices. */
const limitsOf = (options: RolloutOptions): Partial<Limits> => {
  const { turns, deadline, maxTokens, maxCost, pricePrompt, priceCompletion, budgetCost } = options;
  const hasPrices = pricePrompt !== undefined || priceCompletion !== undefined;
  const limits: Partial<Limits> = {
    ...(turns === undefined ? {} : { turns }),
    ...(deadline === undefined ? {} : { deadlineMs: deadline * 1000 }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    ...(maxCost === undefined ? {} : { cost: maxCost }),
    ...(hasPrices ? { prices: { prompt: pricePrompt ?? 0, completion: priceCompletion ?? 0 } } : {}),
    ...(budgetCost === undefined ? {} : { purse: { limit: budgetCost, spent: 0 } }),
  };
  checkLimits({ ...DEFAULT_LIMITS, ...limits });
  return limits;
};

/** Throws `bad_option` where several processes would share an endpoint, a budget or a house of harnesses. */
const crewOf = (options: RolloutOptions): CorpusPlan['crew'] => {
  const { jobs = 1, policy, userModel } = options;
  if (jobs === 1) return undefined;
  if (policy === 'model' || policy === 'harness' || userModel !== undefined) {
    throw new TreadleError({
      code: 'bad_option',
      message: 'Several processes are for policies and users without a model',
      value: `--jobs ${jobs}`,
      next: 'Leave --jobs out and raise --concurrency: waiting for a model takes no processor.',
    });
  }
  return { jobs, options };
};

/** Throws what the options' readers do. */
export const planOf = (options: RolloutOptions, harness?: HarnessActing): CorpusPlan => {
  const { n, samples = n, again, memory, reward, penalty, policy } = options;
  const acting: ActingOptions = { ...options, policy: policy === 'harness' ? 'none' : policy };
  const crew = crewOf(options);
  return {
    filter: {
      ...(options.world ? { worlds: options.world } : {}),
      ...(options.task ? { tasks: options.task } : {}),
      ...(options.profile ? { profiles: options.profile } : {}),
      ...(options.kind ? { kinds: options.kind } : {}),
      ...(options.scenarios ? { scenarios: options.scenarios === true ? 'all' : options.scenarios } : {}),
      ...(options.limit === undefined ? {} : { limit: options.limit }),
    },
    acting: {
      seed: options.seed,
      policyFor: harness?.policyFor ?? policyOf(acting),
      ...(harness ? { perform: harness.perform } : {}),
      view: viewOf(acting),
      limits: limitsOf(options),
      reward: { shape: reward, penalties: penalty },
      attempts: 2,
    },
    samples,
    again: again === true ? 'all' : (again ?? 'unfinished'),
    concurrency: options.concurrency,
    memory: memory * 2 ** 20,
    ...(crew ? { crew } : {}),
  };
};
