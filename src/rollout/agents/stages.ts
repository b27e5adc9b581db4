/** Which reference calls belong to which stage, for policies that know the reference. */
import type { Task } from '../../artifacts/task.js';
import type { View } from '../policy.js';

/**
 * Reference calls made once each stage has ended, in the order of disclosure; the last is all of them. Calls follow the nodes'
 * chains; a reference that is not their sequence is done in the first stage.
 */
export const callsByStage = ({ nodes, disclosure, reference }: Task): number[] => {
  const chains = new Map(nodes.map(({ id, chain }) => [id, chain.length]));
  const total = reference.calls.length;
  const sum = nodes.reduce((all, { chain }) => all + chain.length, 0);
  let done = sum === total ? 0 : total;
  const ends = disclosure.stages.map(({ node }) => {
    done = Math.min(total, done + (chains.get(node) ?? 0));
    return done;
  });
  return ends.length > 0 ? [...ends.slice(0, -1), total] : [total];
};

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
