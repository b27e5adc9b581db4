/** Who acts when tasks are sampled: policies that go on from any history, a fresh one for each attempt. */
import { referencePolicy } from '../../../rollout/agents/reference.js';
import { slippingPolicy, slippingProducer } from '../../../rollout/agents/slipping.js';
import { type ActingOptions, policyOf } from '../acting.js';
import type { Settings } from './jobs.js';

/** Of scripted policies, each attempt has slips of its own. Throws `no_model` where the model policy has none. */
export const samplingPolicy = (options: ActingOptions, errorRate: number): Settings['policyFor'] => {
  const { policy, user, seed } = options;
  const slipping = { rate: errorRate };
  if (policy === 'scripted')
    return (task, _, attempt) => slippingPolicy(task, attempt.seed, slipping, slippingProducer(slipping, seed));
  // Who is told everything at once has nobody to ask.
  if (policy === 'asking' && user === 'none') return (task) => referencePolicy(task);
  const plain = policyOf(options);
  return (task, sample) => plain(task, sample);
};
