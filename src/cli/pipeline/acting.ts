/** Who acts in rollouts and who asks, from the options of the command line. */
import type { Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import type { Backend } from '../../models/backend.js';
import { endpoint } from '../../models/client.js';
import { isExact, tokenClient } from '../../models/exact/token-client.js';
import type { ModelClient, Sampling } from '../../models/types.js';
import { askingPolicy } from '../../rollout/agents/asking.js';
import { MISTAKES, type MistakeKind, type MistakeRates } from '../../rollout/agents/mistakes.js';
import { modelPolicy } from '../../rollout/agents/model.js';
import { nothingPolicy } from '../../rollout/agents/nothing.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { scriptedPolicy } from '../../rollout/agents/scripted.js';
import { stalePolicy } from '../../rollout/agents/stale.js';
import { sampleSeed } from '../../rollout/many.js';
import type { Policy } from '../../rollout/policy.js';
import { faultySpeaker } from '../../rollout/users/faulty.js';
import { briefedModel, wordingModel } from '../../rollout/users/model-speaker.js';
import type { Speaker } from '../../rollout/users/speaker.js';
import { faultRule } from '../../serve/faults/rule.js';
import type { Acting } from './roll/attempt.js';
import type { TaskView } from './rollouts.js';

export const POLICIES = ['reference', 'stale', 'asking', 'scripted', 'model', 'none'] as const;

export const BACKENDS = ['openai', 'vllm', 'sglang', 'llamacpp'] as const;

export interface ActingOptions {
  policy: (typeof POLICIES)[number];
  user: TaskView['user'];
  detail: TaskView['detail'];
  model?: string;
  baseUrl?: string;
  /** How exact tokens are asked for; absent or `openai`: not. */
  backend?: Backend['kind'];
  userModel?: string;
  userBaseUrl?: string;
  userTrust?: boolean;
  userMistakes?: number;
  temperature?: number;
  turnTokens?: number;
  mistakes?: MistakeRates;
  retries: number;
  timeout: number;
  seed: string;
  fault?: string[];
}

const clientOf = (options: ActingOptions, model: string, baseUrl: string, key: string | undefined): ModelClient =>
  endpoint({
    baseUrl,
    model,
    maxRetries: options.retries,
    timeoutMs: options.timeout * 1000,
    ...(key ? { apiKey: key } : {}),
  });

/** The policy's own model: over ids where the kind of its server is known. */
const policyClient = (options: ActingOptions, model: string, baseUrl: string): ModelClient => {
  const { backend: kind = 'openai', retries, timeout } = options;
  const key = process.env.TREADLE_API_KEY;
  if (!isExact(kind)) return clientOf(options, model, baseUrl, key);
  return tokenClient({ kind, baseUrl, model, ...(key ? { apiKey: key } : {}) }, { retries, timeoutMs: timeout * 1000 });
};

const modelOf = (options: ActingOptions): ((task: Task, sample: number) => Policy) => {
  if (!options.model || !options.baseUrl) {
    throw new TreadleError({
      code: 'no_model',
      message: 'The model policy needs an endpoint and a model',
      value: options.baseUrl ?? options.model ?? 'neither given',
      next: 'Add --base-url http://127.0.0.1:8000/v1 --model NAME; a key goes into TREADLE_API_KEY.',
    });
  }
  const client = policyClient(options, options.model, options.baseUrl);
  const { temperature, turnTokens } = options;
  const sampling: Sampling = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(turnTokens === undefined ? {} : { max_tokens: turnTokens }),
  };
  return (task, sample) => modelPolicy(client, sampling, sampleSeed(options.seed, task.id, sample));
};

const isKind = (name: string): name is MistakeKind => (MISTAKES as readonly string[]).includes(name);

/** Reads `wrong_entity=0.2,skipped_step=0.1`: chances a rollout, 0 for kinds that are not named. Throws `bad_option`. */
export const mistakesOf = (text: string): MistakeRates => {
  const rates: MistakeRates = {};
  for (const part of text.split(',')) {
    const [kind = '', given = '', ...rest] = part.trim().split('=');
    const rate = Number(given);
    if (!isKind(kind) || rest.length > 0 || given.trim() === '' || !(rate >= 0 && rate <= 1) || kind in rates) {
      throw new TreadleError({
        code: 'bad_option',
        message: '--mistakes takes kinds with their chances from 0 to 1',
        value: part.slice(0, 60),
        next: `Give for example --mistakes wrong_entity=0.2,giving_up=0.1; the kinds are ${MISTAKES.join(', ')}.`,
      });
    }
    rates[kind] = rate;
  }
  return rates;
};

/** The policy for each sample of a task. Throws `no_model` where the model policy has none, `bad_option` for mistakes of others. */
export const policyOf = (options: ActingOptions): Acting['policyFor'] => {
  if (options.mistakes && options.policy !== 'scripted') {
    throw new TreadleError({
      code: 'bad_option',
      message: 'Only a scripted policy makes mistakes on purpose',
      value: options.policy,
      next: 'Add --policy scripted, or leave --mistakes out.',
    });
  }
  switch (options.policy) {
    case 'reference':
      return (task) => referencePolicy(task);
    case 'stale':
      return (task, _sample, still) => stalePolicy(still?.task ?? task, still?.world);
    case 'asking':
      return (task) => askingPolicy(task, options.detail);
    case 'scripted':
      return (task, sample) => scriptedPolicy(task, sampleSeed(options.seed, task.id, sample), options.mistakes);
    case 'none':
      return () => nothingPolicy();
    case 'model':
      return modelOf(options);
  }
};

const badUser = (message: string, value: string, next: string): TreadleError =>
  new TreadleError({ code: 'bad_option', message, value, next });

/** Who words what a simulated user says. Throws `bad_option`. */
const speakerOf = (options: ActingOptions): Speaker | undefined => {
  const { userModel, userBaseUrl = options.baseUrl, userTrust, userMistakes, seed } = options;
  if (userModel === undefined && options.userBaseUrl !== undefined)
    throw badUser('An endpoint for the user needs a model', options.userBaseUrl, 'Add --user-model NAME.');
  if (userMistakes !== undefined) {
    if (userModel !== undefined)
      throw badUser(
        'Drawn mistakes are of a user without a model',
        userModel,
        'Leave out --user-model or --user-mistakes.',
      );
    return faultySpeaker(seed, userMistakes);
  }
  if (userModel === undefined) {
    if (userTrust)
      throw badUser('There is nobody to trust', '--user-trust', 'Add --user-model NAME, or --user-mistakes RATE.');
    return undefined;
  }
  if (userBaseUrl === undefined)
    throw badUser("The user's model needs an endpoint", userModel, 'Add --user-base-url http://127.0.0.1:8000/v1.');
  const key = process.env.TREADLE_USER_API_KEY ?? process.env.TREADLE_API_KEY;
  const client = clientOf(options, userModel, userBaseUrl, key);
  return userTrust ? briefedModel(client) : wordingModel(client);
};

/** The view of the tasks. Throws `bad_option` for a user's model without a simulated user or without an endpoint. */
export const viewOf = (options: ActingOptions): TaskView => {
  const { user, detail, userTrust = false } = options;
  const own =
    options.userModel ?? options.userBaseUrl ?? options.userMistakes ?? (userTrust ? '--user-trust' : undefined);
  if (user === 'none' && own !== undefined)
    throw badUser('Nobody speaks without a simulated user', String(own), 'Add --user simulated.');
  const speaker = speakerOf(options);
  // Rules that are none are told before anything runs.
  const rules = (options.fault ?? []).map((text) => faultRule(text).text);
  return {
    user,
    detail,
    ...(rules.length > 0 ? { faults: { rules, seed: options.seed } } : {}),
    ...(speaker ? { speaker, isTrusted: userTrust } : {}),
  };
};
