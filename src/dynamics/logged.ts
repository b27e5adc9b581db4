/** A kept rollout's log read against its scenario: which events fired, and what they made of the task's checks. */
import type { Scenario, ScenarioEvent } from '../artifacts/scenario.js';
import type { Task } from '../artifacts/task.js';
import type { Trace, TraceEvent } from '../artifacts/trace.js';
import { type Realised, type Revision, revise } from './verifier/revise.js';

type Fate = Extract<TraceEvent, { kind: 'fate' }>;
type Logged = Pick<Trace, 'events'>;

/** The firing log's entries of events that fired, in their order. */
export const firedIn = ({ events }: Logged): Fate[] =>
  events.flatMap((one) => (one.kind === 'fate' && one.fate === 'fired' ? [one] : []));

/** The events that fired with the rows they changed; one that the scenario lacks is left out. */
export const realisedIn = (scenario: Pick<Scenario, 'events'>, trace: Logged): Realised[] => {
  const byId = new Map(scenario.events.map((event) => [event.id, event] as const));
  return firedIn(trace).flatMap(({ event, touched }) => {
    const own: ScenarioEvent | undefined = byId.get(event);
    return own ? [{ event: own, touched }] : [];
  });
};

/** What the rollout was judged by. Throws `unknown_check` for a scenario of another task. */
export const revisionIn = (task: Task, scenario: Pick<Scenario, 'events'>, trace: Logged): Revision =>
  revise(task, realisedIn(scenario, trace));

/** The task as the rollout found it in the end: the reference solved again, checks and answer as the events that fired left them. */
export const taskIn = (task: Task, scenario: Pick<Scenario, 'events' | 'reference'>, trace: Logged): Task => ({
  ...task,
  reference: scenario.reference,
  ...revisionIn(task, scenario, trace).judged,
});
