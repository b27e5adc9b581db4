/** The stages of a task as sampling takes them: one after the other, each asked for, acted on and judged. */
import type { Task } from '../../artifacts/task.js';
import { TreadleError } from '../../errors.js';
import { callsByStage } from '../../tasks/stage-calls.js';

export interface SampledStage {
  node: string;
  /** As `View.stage`. */
  index: number;
  /** The stage whose milestone judges it, with all before; absent: the whole task is judged. */
  at?: string;
  /** Where no user asks: what stands below the brief while the stage is acted on, and is taken out of the history afterwards. */
  asks?: string;
  /** Its reply is the rollout's answer. */
  isLast: boolean;
  /** Turns that one attempt may take. */
  turns: number;
}

/** The node under which the last reply of an Agentic rollout is asked for, where the questions are of several stages. */
export const CLOSING = 'closing';

const numbered = (brief: string, n: number): boolean => new RegExp(`(?:^|\\n)\\s*${n}\\. `).test(brief);

/** Points at the stage without telling more than the brief does: by its number, where the brief has one. */
const pointer = ({ brief, disclosure, nodes }: Task, n: number, of: number): string => {
  const words = disclosure.stages[n]?.vague ?? nodes[n]?.intent ?? '';
  const which = numbered(brief, n + 1) || words === '' ? '' : ` It is this: ${words}`;
  return `Do part ${n + 1} of ${of} of the request now, and nothing beyond it.${which} When it is done, reply without calling a tool; where it asks something, with just the answer.`;
};

const CLOSING_WORDS =
  'Every part of the request is done. Give your final reply now, as the request asks for it, and call no tool.';

/** Turns of one attempt: enough for the reference's calls with as much again for looking around. */
const turnsFor = (calls: number, asked: number | undefined): number => asked ?? Math.max(16, 3 * calls + 8);

const unjudged = (task: Task, node: string): TreadleError =>
  new TreadleError({
    code: 'unjudged_stage',
    message: `Task ${task.id} has a stage without a milestone, so nothing tells whether an attempt at it passed`,
    value: node,
    next: 'Give every stage its milestone, or sample whole trajectories: --method whole.',
  });

/**
 * In the order of disclosure, a topological order of the task's nodes. Without a user the whole brief is there from the
 * beginning, and the teacher is told which part is next; where earlier parts ask something, a closing stage asks for the final
 * reply. Throws `unjudged_stage` for a task of several stages of which one has no milestone.
 */
export const stagesOf = (task: Task, hasUser: boolean, turns?: number): SampledStage[] => {
  const { disclosure, nodes, milestones, reference } = task;
  const named = disclosure.stages.map(({ node }) => node);
  // As `knownOf`: a task without stages is one stage.
  const order = named.length > 0 ? named : [nodes[0]?.id ?? 'a1'];
  if (order.length === 1)
    return [{ node: order[0] as string, index: 0, isLast: true, turns: turnsFor(reference.calls.length, turns) }];
  const missing = order.find((node) => !milestones.some((milestone) => milestone.node === node));
  if (missing !== undefined) throw unjudged(task, missing);
  const ends = callsByStage(task);
  const stages = order.map(
    (node, index): SampledStage => ({
      node,
      index,
      at: node,
      ...(hasUser ? {} : { asks: pointer(task, index, order.length) }),
      isLast: index === order.length - 1,
      turns: turnsFor((ends[index] ?? 0) - (index === 0 ? 0 : (ends[index - 1] ?? 0)), turns),
    }),
  );
  const last = order.at(-1);
  const asksBefore = milestones.some(
    ({ node, checks }) => node !== last && checks.some(({ kind }) => kind === 'answer'),
  );
  if (hasUser || !asksBefore) return stages;
  const closing: SampledStage = {
    node: CLOSING,
    index: order.length,
    asks: CLOSING_WORDS,
    isLast: true,
    turns: turnsFor(0, turns),
  };
  return [...stages.map((stage) => ({ ...stage, isLast: false })), closing];
};
