/** The task of a scenario for a policy that knows the reference and is asked stage by stage: where each stage ends under the events. */
import type { Scenario } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { resolvedTask } from '../played.js';
import { scenarioTask } from './scenario-task.js';

/** `world`: as the task finds it. A task of one stage has no boundaries; nor has a reference that events do not explain. */
export const resolvedByStage = (task: Task, scenario: Scenario, hash: string, world: LoadedWorld): Task => {
  const whole = resolvedTask(task, scenario, hash);
  if (task.disclosure.stages.length < 2) return whole;
  const solved = scenarioTask({ world, task }, scenario);
  const isSame = canonicalJson(solved.reference as Json) === canonicalJson(scenario.reference as Json);
  return isSame ? solved : whole;
};
