/** A scenario as it is played and judged: the task with its re-solved reference, and the checks as the fired events revise them. */
import type { Scenario } from '../artifacts/scenario.js';
import type { Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import { TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import type { Events } from '../serve/sessions/weaver.js';
import type { Evidence } from '../verify/evidence.js';
import { verify } from '../verify/verdict.js';
import { type Judged, type Realised, revise } from './verifier/revise.js';

/** The events that fired with the rows they changed, in their order. */
export const realisedOf = (events: Events): Realised[] => {
  const touched = new Map(events.log.map((fate) => [fate.event, fate.touched]));
  return events.fired().map((event) => ({ event, touched: touched.get(event.id) ?? [] }));
};

/** The task's checks as those events make them, with what a verdict says of it; `revised` is absent where nothing has fired. */
export const rewoven = (
  task: Judged,
  realised: readonly Realised[],
): { judged: Judged; revised?: NonNullable<Verdict['revised']> } => {
  const { judged, retired, replaced, added } = revise(task, realised);
  if (realised.length === 0) return { judged };
  return { judged, revised: { events: realised.map(({ event }) => event.id), retired, replaced, added } };
};

/** The task for those who may see its reference: solved again for the events. Throws `other_task` for a scenario of another one. */
export const resolvedTask = (task: Task, scenario: Scenario, hash = addressOf(task)): Task => {
  if (scenario.task !== hash)
    throw new TreadleError({
      code: 'other_task',
      message: `Scenario ${scenario.id} was made for another task, or for this one before it changed`,
      value: scenario.task.slice(0, 12),
      next: 'Make the scenarios again: treadle dynamics.',
      fault: 'task',
    });
  return { ...task, reference: scenario.reference };
};

/** A verdict on the task as the events that have fired make it (DynaWeave, Figure 1c). As `verify` otherwise. */
export const verifyRevised = (
  task: Task,
  events: Events,
  evidence: Evidence,
  { trace, hash, at }: { trace: string; hash: string; at?: string },
): Verdict => {
  const { judged, ...said } = rewoven(task, realisedOf(events));
  return { ...verify(judged, evidence, trace, hash, at), ...said };
};
