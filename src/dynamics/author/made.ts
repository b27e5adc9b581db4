/** An accepted scenario as it is kept: the frozen artifact, and the certificate of what was executed to accept it. */
import type { Certificate, Finding } from '../../artifacts/certificate.js';
import type { Scenario } from '../../artifacts/scenario.js';
import type { Reference } from '../../artifacts/task.js';
import { addressOf } from '../../kit/hash.js';
import type { Woven } from './accept.js';
import type { Stage } from './trial.js';

export interface Made {
  scenario: Woven;
  /** The task's, solved again for the events that fire while it is carried out. */
  reference: Reference;
  /** One for each rule, under its name. */
  findings: Finding[];
}

/** The artifact; `nth` counts the scenarios of one task. */
export const madeScenario = ({ task }: Pick<Stage, 'task'>, { scenario, reference }: Made, nth: number): Scenario => ({
  treadle: 'scenario/1',
  id: `${task.id}-e${nth}`,
  task: addressOf(task),
  taskId: task.id,
  world: task.world,
  worldId: task.worldId,
  seed: scenario.seed,
  ...(scenario.offersWait ? { offersWait: true } : {}),
  events: scenario.events,
  reference,
});

export const certificateOf = (scenario: Scenario, { findings }: Pick<Made, 'findings'>): Certificate => ({
  treadle: 'certificate/1',
  kind: 'scenario',
  subject: addressOf(scenario),
  name: scenario.id,
  pass: findings.every(({ pass }) => pass),
  findings,
});
