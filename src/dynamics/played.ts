/** A scenario as it is played and judged: the task with its re-solved reference, and the checks as the fired events revise them. */
import type { Scenario } from '../artifacts/scenario.js';
import type { Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import { TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import type { Evidence } from '../verify/evidence.js';
import { verify } from '../verify/verdict.js';
import type { EventEngine } from './engine/engine.js';
import { type Realised, revise } from './verifier/revise.js';

/** The events that fired with the rows they changed, in their order. */
export const realisedOf = (engine: EventEngine): Realised[] =>
  engine.log.flatMap(({ event, fate, touched }) => {
    const own = engine.graph.events.get(event);
    return fate === 'fired' && own ? [{ event: own, touched }] : [];
  });

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
  engine: EventEngine,
  evidence: Evidence,
  { trace, hash, at }: { trace: string; hash: string; at?: string },
): Verdict => {
  const realised = realisedOf(engine);
  const { judged, retired, replaced, added } = revise(task, realised);
  const verdict = verify(judged, evidence, trace, hash, at);
  if (realised.length === 0) return verdict;
  return { ...verdict, revised: { events: realised.map(({ event }) => event.id), retired, replaced, added } };
};
