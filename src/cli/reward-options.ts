/** What a rollout earns, as options. */
import { Option } from 'commander';
import { penaltyOf, REWARD_SHAPES } from '../verify/reward.js';

export const rewardOption = (): Option =>
  new Option('--reward <shape>', 'what a rollout earns: 1 or 0 for all of it, or the share of its milestones')
    .choices([...REWARD_SHAPES])
    .default('all');
export const penaltyOption = (): Option =>
  new Option('--penalty <flag=amount>', 'what a behaviour costs, once a rollout; may be given several times')
    .default({}, 'none')
    .argParser((text: string, before: Record<string, number>) => {
      const [flag, amount] = penaltyOf(text);
      return { ...before, [flag]: amount };
    });
