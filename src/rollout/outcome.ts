/** What became of a rollout: passed, failed, cut, or a fault that says nothing of who acted, and whose it is (rollout.md). */
import type { Trace } from '../artifacts/trace.js';
import type { Verdict } from '../artifacts/verdict.js';
import { GAVE_AWAY } from './users/fault.js';

export type RolloutOutcome = 'passed' | 'failed' | 'cut' | 'fault';

export interface Became {
  outcome: RolloutOutcome;
  /** With `fault`: whose (`infrastructure`, `model`, `world`, `verifier`, `user` ...). */
  fault?: string;
}

/** Faults in a trace's problem that are of the policy's own making: the verdict counts. */
const OWN = new Set(['policy', 'agent']);

/** A pass rate is `passed` of `passed + failed`; `cut` (called off, out of time or budget) and `fault` are counted apart. */
export const outcomeOf = (
  { finish, problem }: Pick<Trace, 'finish' | 'problem'>,
  verdict: Pick<Verdict, 'pass' | 'fault'>,
): Became => {
  if (verdict.fault === 'verifier') return { outcome: 'fault', fault: 'verifier' };
  // Events left it unsolvable: nobody could have passed from there.
  if (verdict.fault === 'scenario' && !verdict.pass) return { outcome: 'fault', fault: 'scenario' };
  // A pass in spite of a user who misled stands; what a user gave away, nobody has found.
  if (problem?.fault === 'user' && (problem.code === GAVE_AWAY || !verdict.pass))
    return { outcome: 'fault', fault: 'user' };
  if (finish === 'cut' || finish === 'budget') return { outcome: 'cut' };
  if (finish === 'error' && problem && !OWN.has(problem.fault)) return { outcome: 'fault', fault: problem.fault };
  return { outcome: verdict.pass ? 'passed' : 'failed' };
};
