/** A kept rollout in a scenario as the figures take it: by the events that fired, whatever others the scenario has (dynamics.md). */
import type { Scenario } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { EventSource, LedgerEntry, Trace } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { TreadleError } from '../../errors.js';
import type { FaultProfile } from '../../serve/faults/rule.js';
import { firedIn, realisedIn } from '../logged.js';
import { solvedFor } from '../solve/solved.js';
import type { CostRun } from './costbench.js';
import { isInvalid } from './from-trace.js';
import type { FaultRun } from './toolmaze.js';

export interface RolledScenario {
  trace: Trace;
  verdict: Pick<Verdict, 'pass'>;
  task: Pick<Task, 'reference'>;
  scenario: Pick<Scenario, 'events' | 'reference'>;
}

/** The sources of the events that fired, each once; none where nothing did. */
export const firedSources = (trace: Pick<Trace, 'events'>): EventSource[] => [
  ...new Set(firedIn(trace).map(({ source }) => source)),
];

/** Events of a run as a name of the set: two runs in which the same fired have the same. */
export const firedSet = (trace: Pick<Trace, 'events'>): string =>
  firedIn(trace)
    .map(({ event }) => event)
    .sort()
    .join(' ');

/** The one profile of the fault events that fired; `mixed` where there were several, or others fired too; undefined where none did. */
export const firedProfile = ({
  scenario,
  trace,
}: Pick<RolledScenario, 'scenario' | 'trace'>): FaultProfile | 'mixed' | undefined => {
  const fired = realisedIn(scenario, trace).map(({ event }) => event);
  const profiles = new Set(fired.flatMap(({ effect }) => ('fault' in effect ? [effect.fault.profile] : [])));
  if (profiles.size === 0) return undefined;
  return profiles.size > 1 || fired.some(({ effect }) => !('fault' in effect)) ? 'mixed' : [...profiles][0];
};

/**
 * A run under the faults that fired; undefined where none or something else fired. The cost of recovery is over the reference of the
 * task as it stands still, as with faults of rules.
 */
export const scenarioFaultRun = (rolled: RolledScenario, mostCost: number): FaultRun | undefined => {
  const profile = firedProfile(rolled);
  if (profile === undefined || profile === 'mixed') return undefined;
  const { trace, verdict, task } = rolled;
  return {
    profile,
    passed: verdict.pass,
    wasStruck: trace.ledger.some(({ injected }) => injected !== undefined),
    cost: trace.ledger.length,
    referenceCost: task.reference.calls.length,
    mostCost,
  };
};

/** Where the optimum for the events as they fired is from: the scenario's own reference, or solved anew for others than its run met. */
export type OptimumFrom = 'reference' | 'solved_anew';

export interface Optimum {
  calls: number;
  from: OptimumFrom;
}

/** Calls of the plan for what fired, told of in time; what is no concern of the task needs none. Undefined where nothing solves it. */
const planned = ({ trace, task, scenario }: RolledScenario): number | undefined => {
  const events = realisedIn(scenario, trace).map(({ event }) => event);
  const bearing = events.filter(({ effect }) => !('publish' in effect) || effect.publish.authoritative);
  try {
    return solvedFor(task, bearing).calls.length;
  } catch (thrown) {
    if (thrown instanceof TreadleError) return undefined;
    throw thrown;
  }
};

/**
 * What the optimum for these events costs: never along the agent's own path. Where the same fired as in the scenario's reference run
 * (`reference`, a `firedSet`; all events where that is not known), it is the scenario's reference, or less where that looked at a
 * distractor. Undefined where nothing solves what fired.
 */
export const optimumFor = (rolled: RolledScenario, reference?: string): Optimum | undefined => {
  const { trace, scenario } = rolled;
  const all = scenario.events
    .map(({ id }) => id)
    .sort()
    .join(' ');
  const calls = planned(rolled);
  if (firedSet(trace) !== (reference ?? all)) return calls === undefined ? undefined : { calls, from: 'solved_anew' };
  const own = scenario.reference.calls.length;
  const hasDistractor = firedSources(trace).includes('distractor');
  return { calls: hasDistractor && calls !== undefined ? Math.min(own, calls) : own, from: 'reference' };
};

const isFailure = ({ ok, injected }: LedgerEntry): boolean => injected !== undefined && !ok;

/** Injected failures are calls that cost; they are none of the calls whose share was invalid. */
export const scenarioCostRun = ({ trace, verdict }: RolledScenario, { calls }: Optimum): CostRun => ({
  passed: verdict.pass,
  cost: trace.ledger.length,
  optimum: calls,
  calls: trace.ledger.filter((entry) => !isFailure(entry)).length,
  invalidCalls: trace.ledger.filter(isInvalid).length,
});
