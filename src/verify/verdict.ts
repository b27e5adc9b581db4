/** The verdict on a rollout, from evidence alone. */
import type { Task } from '../artifacts/task.js';
import type { Verdict } from '../artifacts/verdict.js';
import { addressOf } from '../kit/hash.js';
import { evaluate } from './checks.js';
import type { Evidence } from './evidence.js';

/** Runs every milestone's checks. Passes when all hold; `fault` says whether the verifier itself broke. */
export const verify = (task: Task, evidence: Evidence, trace: string, taskHash = addressOf(task)): Verdict => {
  const milestones = task.milestones.map((milestone) => {
    const checks = milestone.checks.map((check) => evaluate(check, evidence, task.answer));
    return { id: milestone.id, pass: checks.every((check) => check.pass), checks };
  });
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
