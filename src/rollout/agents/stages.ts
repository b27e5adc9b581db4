/** What is due at which stage, for policies that know the reference. */
import type { Task } from '../../artifacts/task.js';
import { callsByStage } from '../../tasks/stage-calls.js';
import type { View } from '../policy.js';

/** How many of the reference's calls are asked for by now. */
export const callsDue = (task: Task, { stage }: Pick<View, 'stage'>): number =>
  stage === undefined ? task.reference.calls.length : (callsByStage(task)[stage] ?? task.reference.calls.length);

/** Whether what is asked for now is the last of it. */
export const isLastStage = ({ disclosure }: Task, { stage }: Pick<View, 'stage'>): boolean =>
  stage === undefined || stage >= disclosure.stages.length - 1;

/** The reference's reply at the end of the stage that is asked for now. */
export const stageReply = (task: Task, view: Pick<View, 'stage'>): string => {
  const node = task.disclosure.stages[view.stage ?? -1]?.node;
  const own = task.milestones.find((milestone) => milestone.node === node)?.says;
  if (task.disclosure.stages.length > 1 && own !== undefined) return own;
  return isLastStage(task, view) ? task.reference.answer : 'Done.';
};
