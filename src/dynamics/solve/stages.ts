/** Where the stages of a task end in a reference that events have edited, and the task with that reference. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import { callsByStage } from '../../tasks/stage-calls.js';
import { askingNodes, numberedAnswers } from '../../verify/stage-answer.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { type Fired, isLate, type Step } from './edits.js';
import { solve } from './solved.js';

/** Whether an event revises what a stage is judged by. */
const isAbout = ({ checks: { retire, replace, answer } }: ScenarioEvent, task: Task, stage: number): boolean => {
  const node = task.disclosure.stages[stage]?.node;
  const milestone = task.milestones.find((one) => one.node === node);
  if (!milestone) return false;
  const revised = new Set([...retire, ...replace.map(({ id }) => id)]);
  return answer?.milestone === milestone.id || milestone.checks.some(({ id }) => revised.has(id));
};

/** The stage of what is put in before own call `from`: at a boundary that of the stage it is about, else of the later one. */
const stageOfEdit = (task: Task, ends: readonly number[], one: Fired): number => {
  const last = ends.length - 1;
  const late = isLate(one);
  const from = late ? (one.at as number) : one.event.reference.from;
  // What makes up for a call belongs to the stage in whose course the event came.
  const before = ends.findIndex((end) => from <= end);
  const after = ends.findIndex((end) => from < end);
  if (after < 0 || before < 0) return last;
  if (before === after) return after;
  if (late) return before;
  return one.event.reference.drop === 0 && isAbout(one.event, task, before) ? before : after;
};

/** By stage in the order of disclosure: steps of the plan that are done at its end. The last is all of them. */
export const stageEnds = (
  task: Task,
  fired: readonly Fired[],
  steps: readonly Step[] = solve(task, fired).steps,
): number[] => {
  const ends = callsByStage(task);
  const byEvent = new Map(fired.map((one) => [one.event.id, stageOfEdit(task, ends, one)]));
  const stageOf = ({ own, by = '' }: Step): number =>
    own === undefined ? (byEvent.get(by) ?? 0) : ends.findIndex((end) => own < end);
  return ends.map((_, stage) =>
    stage === ends.length - 1 ? steps.length : steps.filter((step) => stageOf(step) <= stage).length,
  );
};

/** What the reference says at each stage's end, where the answers are other ones. */
export const withWords = (task: Task, answer: string): Task['milestones'] => {
  if (answer === task.reference.answer) return task.milestones;
  const asking = askingNodes(task);
  const lines = asking.length > 1 ? numberedAnswers(answer) : new Map([[1, answer]]);
  return task.milestones.map((milestone) => {
    const said = lines.get(asking.indexOf(milestone.node) + 1);
    return milestone.answer && said !== undefined ? { ...milestone, says: said } : milestone;
  });
};

/**
 * The task as a policy that knows the reference carries it out under these events: calls, answer, what is said at each stage's end,
 * and chains whose lengths are the stages' (`callsByStage`). Checks are not revised here (verifier/revise.ts). Throws as `solvedFor`.
 */
export const solvedTask = ({ world, task }: { world: LoadedWorld; task: Task }, fired: readonly Fired[]): Task => {
  if (fired.length === 0) return task;
  const { steps, reference } = solve(task, fired);
  const ends = stageEnds(task, fired, steps);
  const chains = new Map(
    task.disclosure.stages.map(({ node }, stage) => [
      node,
      steps
        .slice(stage === 0 ? 0 : ends[stage - 1], ends[stage])
        .map(({ call }) => world.tools.get(call.tool)?.tool.tool.id ?? call.tool),
    ]),
  );
  return {
    ...task,
    nodes: task.nodes.map((node) => ({ ...node, chain: chains.get(node.id) ?? node.chain })),
    milestones: withWords(task, reference.answer),
    reference,
  };
};
