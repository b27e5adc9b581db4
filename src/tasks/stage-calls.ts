/** Which of a reference's calls belong to which stage of its task. */
import type { Task } from '../artifacts/task.js';

/**
 * Reference calls made once each stage has ended, in the order of disclosure; the last is all of them. Calls follow the nodes'
 * chains; a reference that is not their sequence is done in the first stage.
 */
export const callsByStage = ({
  nodes,
  disclosure,
  reference,
}: Pick<Task, 'nodes' | 'disclosure' | 'reference'>): number[] => {
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
