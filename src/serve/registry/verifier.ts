/** A verifier as a record of its own: the part of a task that says what passes, so that it can get versions without the task. */
import { z } from 'zod';
import { AnswerSpec } from '../../artifacts/check.js';
import { Milestone, type Task } from '../../artifacts/task.js';
import { deepFreeze } from '../../kit/hash.js';

export const Verifier = z.strictObject({
  treadle: z.literal('verifier/1'),
  milestones: z.array(Milestone).min(1),
  answer: AnswerSpec.optional(),
});

export type Verifier = z.infer<typeof Verifier>;

/** The verifier that a task brings with it; the same task gives the same content address. */
export const verifierOf = ({ milestones, answer }: Task): Verifier =>
  deepFreeze({ treadle: 'verifier/1', milestones, ...(answer === undefined ? {} : { answer }) });

/** The task judged by another verifier than its own. */
export const judgedBy = (task: Task, { milestones, answer }: Verifier): Task => {
  const { answer: _own, ...rest } = task;
  return { ...rest, milestones, ...(answer === undefined ? {} : { answer }) };
};
