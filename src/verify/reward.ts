/**
 * Rewards from a verdict. A reward always lists what it is made of: the base that the checks give, and each penalty that was
 * asked for. Behaviour never changes a base, and no penalty applies that nobody named.
 */
import { z } from 'zod';
import type { Verdict } from '../artifacts/verdict.js';
import { TreadleError } from '../errors.js';
import { type Behaviour, FLAG_IDS } from './behaviour/registry.js';

export const REWARD_SHAPES = ['all', 'milestones'] as const;
export type RewardShape = (typeof REWARD_SHAPES)[number];

/** What a flag costs, by its id: once a rollout, however often it was seen. */
export type Penalties = Readonly<Record<string, number>>;

export const Reward = z.strictObject({
  shape: z.enum(REWARD_SHAPES),
  /** In [0, 1]; null where the verifier itself broke: then there is nothing to learn from. */
  base: z.number().nullable(),
  /** Penalties that applied, in the order of the flags' registry. */
  penalties: z.array(z.strictObject({ flag: z.string(), amount: z.number() })),
  /** `base` less all penalties, not clipped: it may be negative. */
  total: z.number().nullable(),
});
export type Reward = z.infer<typeof Reward>;

/** `all`: 1 when the verdict passes, else 0. `milestones`: the share of milestones that pass. */
export const baseReward = ({ pass, fault, milestones }: Verdict, shape: RewardShape): number | null => {
  if (fault === 'verifier') return null;
  if (shape === 'all') return pass ? 1 : 0;
  return milestones.filter((milestone) => milestone.pass).length / Math.max(1, milestones.length);
};

/** The reward of one rollout, from its verdict and what its trace shows. */
export const rewardOf = (verdict: Verdict, behaviour: Behaviour, shape: RewardShape, penalties: Penalties): Reward => {
  const base = baseReward(verdict, shape);
  const applied = FLAG_IDS.flatMap((flag) => {
    const amount = Object.hasOwn(penalties, flag) ? (penalties[flag] ?? 0) : 0;
    return amount > 0 && behaviour[flag] ? [{ flag, amount }] : [];
  });
  const total = base === null ? null : applied.reduce((left, { amount }) => left - amount, base);
  return { shape, base, penalties: applied, total };
};

/** Reads `flag=amount`, amounts from 0 to 10; throws `bad_option`. */
export const penaltyOf = (text: string): [flag: string, amount: number] => {
  const [flag = '', given = '', ...rest] = text.split('=');
  const amount = Number(given);
  if (FLAG_IDS.includes(flag) && rest.length === 0 && given.trim() !== '' && amount >= 0 && amount <= 10)
    return [flag, amount];
  throw new TreadleError({
    code: 'bad_option',
    message: '--penalty takes a flag and a number from 0 to 10',
    value: text.slice(0, 60),
    next: `Give for example --penalty ${FLAG_IDS[0]}=0.1; the flags are ${FLAG_IDS.join(', ')}.`,
  });
};
