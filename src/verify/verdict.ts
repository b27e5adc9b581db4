/** The verdict on a rollout, from evidence alone. */
import type { Check } from '../artifacts/check.js';
import type { Milestone, Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import { TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import { evaluate } from './checks.js';
import type { Evidence } from './evidence.js';
import { stageAnswer } from './stage-answer.js';

/** The part of a task that judging needs. */
export type Judged = Pick<Task, 'milestones' | 'answer'>;

type Stage = Verdict['milestones'][number];

/** Where a stage stands in the order of disclosure; the whole task where none is named. */
const lastStage = ({ milestones }: Judged, at: string | undefined): number => {
  if (at === undefined) return milestones.length - 1;
  return milestones.findLastIndex(({ node }) => node === at);
};

/** What a later stage has changed by then is no longer asked. */
const stillAsked = (task: Judged, { checks }: Milestone, stage: number): Check[] =>
  checks.filter(({ until }) => {
    const overtaken = until === undefined ? -1 : lastStage(task, until);
    // What no stage of the task overtakes is asked to the end.
    return overtaken < 0 || overtaken > stage;
  });

const judged = (task: Judged, milestone: Milestone, evidence: Evidence, stage: number, isAtStage: boolean): Stage => {
  const { node, id, answer } = milestone;
  const isEarlier = task.milestones[stage]?.node !== node;
  const asked = stillAsked(task, milestone, stage).filter(
    // At a stage's end a reply of an earlier one can be judged only where it was kept.
    ({ kind }) => kind !== 'answer' || !answer || !isEarlier || evidence.answers?.[node] !== undefined || !isAtStage,
  );
  // At the end of a stage the answer is its reply.
  const told = answer && (isEarlier || !isAtStage) ? stageAnswer(task, node, evidence) : evidence.answer;
  const own = told === evidence.answer ? evidence : { ...evidence, answer: told };
  // Judgements that are kept are those of the task's own answer.
  const kept = answer && own.judged ? { ...own, judged: new Map() } : own;
  const checks = asked.map((check) => evaluate(check, kept, answer ?? task.answer));
  return { id, pass: checks.every((check) => check.pass), checks };
};

/**
 * Runs every milestone's checks. Passes when all hold; `fault` says whether the verifier itself broke. `at`: only the stages up
 * to and with this node have been done, and only they are judged. A milestone all of whose checks a later stage has overtaken
 * stands or falls with that stage. Throws `unknown_stage`.
 */
export const verify = (
  task: Judged,
  evidence: Evidence,
  trace: string,
  taskHash = addressOf(task),
  at?: string,
): Verdict => {
  const stage = lastStage(task, at);
  // Nothing judged would be everything passed.
  if (stage < 0)
    throw new TreadleError({
      code: 'unknown_stage',
      message: 'The task has no such stage',
      value: at,
      next: `Its stages are ${task.milestones.map(({ node }) => node).join(', ')}.`,
    });
  const due = task.milestones.slice(0, stage + 1);
  const milestones = due.map((milestone) => judged(task, milestone, evidence, stage, at !== undefined));
  for (let i = due.length - 1; i >= 0; i--) {
    const own = milestones[i] as Stage;
    if (own.checks.length > 0) continue;
    const overtakers = new Set(due[i]?.checks.map(({ until }) => until));
    own.pass = due.every(({ node }, later) => later === i || !overtakers.has(node) || milestones[later]?.pass === true);
  }
  const pass = milestones.every((milestone) => milestone.pass);
  const brokenCheck = milestones.some((milestone) => milestone.checks.some((check) => check.broken));
  return {
    treadle: 'verdict/1',
    task: taskHash,
    trace,
    pass,
    milestones,
    broken: [],
    fault: brokenCheck ? 'verifier' : pass ? 'none' : 'policy',
  };
};
