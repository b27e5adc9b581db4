/** A verdict as trainers read it: one number, and what stands behind it. */
import type { Verdict } from '../api.js';

/** Characters of an answer that a verifier takes; what a model that cannot stop writes beyond them is no answer. */
export const LONGEST_ANSWER = 1_048_576;

export interface Reward {
  /** 1 where the task's verifier passed, else 0. */
  reward: 0 | 1;
  /** Share of the milestones that were reached, 0 to 1: the shaped reward, for those who want one. */
  milestones: number;
  reached: Record<string, boolean>;
  /** The verifier itself broke, so the reward measures nothing. */
  invalid: boolean;
}

/** Which milestones were reached is told; their checks and the evidence never are, for they hold the solution. */
export const rewardOf = (verdict: Verdict): Reward => {
  const { milestones } = verdict;
  const passed = milestones.filter(({ pass }) => pass).length;
  return {
    reward: verdict.pass ? 1 : 0,
    milestones: milestones.length === 0 ? 0 : passed / milestones.length,
    reached: Object.fromEntries(milestones.map(({ id, pass }) => [id, pass])),
    invalid: verdict.fault === 'verifier',
  };
};
