/** The task as a policy that knows the reference plays it in a scenario, with the stages' ends where the events move them. */
import type { Scenario } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import { openOn, type Stage } from '../author/trial.js';
import { EventEngine } from '../engine/engine.js';
import { Course } from './course.js';
import { solvedTask } from './stages.js';

/**
 * Carries the reference out in the scenario once. Calls, answer, what is said at each stage's end, and chains whose lengths are the
 * stages' (`callsByStage`) are those of the run; checks are the task's own.
 */
export const scenarioTask = (stage: Stage, scenario: Pick<Scenario, 'events' | 'seed' | 'offersWait'>): Task => {
  const session = openOn(stage, new EventEngine(scenario));
  try {
    const course = Course.of(stage);
    course.finish(session);
    return { ...solvedTask(stage, course.fired), reference: course.reference };
  } finally {
    session.drop();
  }
};
