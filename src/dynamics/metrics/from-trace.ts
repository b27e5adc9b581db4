/** A kept rollout as the figures take it. */
import type { Task } from '../../artifacts/task.js';
import type { LedgerEntry, Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { type FaultProfile, faultRule } from '../../serve/faults/rule.js';
import type { CostRun } from './costbench.js';
import type { FaultRun } from './toolmaze.js';

/** Codes of calls that no tool took. */
const INVALID = new Set([
  'unknown_tool',
  'invalid_argument',
  'malformed_arguments',
  'missing_argument',
  'unknown_argument',
]);

/** Injected failures are none. */
export const isInvalid = ({ error }: LedgerEntry): boolean => error?.fault === 'agent' && INVALID.has(error.code);

type Rolled = { trace: Trace; verdict: Pick<Verdict, 'pass'>; task: Pick<Task, 'reference'> };

/** The one profile that a rollout ran under; `mixed` where there were several. */
export const profileOf = ({ faults }: Pick<Trace, 'faults'>): FaultProfile | 'mixed' | undefined => {
  const profiles = new Set(faults?.rules.map((rule) => faultRule(rule).profile));
  return profiles.size > 1 ? 'mixed' : [...profiles][0];
};

/** `mostCost`: the calls at which a recovery counts as dear as can be. */
export const faultRun = ({ trace, verdict, task }: Rolled, mostCost: number): FaultRun | undefined => {
  const profile = profileOf(trace);
  if (profile === 'mixed') return undefined;
  return {
    ...(profile ? { profile } : {}),
    passed: verdict.pass,
    wasStruck: trace.ledger.some(({ injected }) => injected !== undefined),
    cost: trace.ledger.length,
    referenceCost: task.reference.calls.length,
    mostCost,
  };
};

export const costRun = ({ trace, verdict, task }: Rolled): CostRun => ({
  passed: verdict.pass,
  cost: trace.ledger.length,
  optimum: task.reference.calls.length,
  calls: trace.ledger.length,
  invalidCalls: trace.ledger.filter(isInvalid).length,
});
