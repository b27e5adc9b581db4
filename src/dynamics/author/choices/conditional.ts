/** Requests that already say what else is to be done in a case: news that brings the case about would set off what nobody solved. */
import type { Stage } from '../trial.js';

const CONDITION = /\b(if|unless|otherwise|in case)\b/i;

/** Whether a sentence of the request with a condition in it speaks of this. */
export const dependsOn = ({ task }: Pick<Stage, 'task'>, topic: RegExp): boolean =>
  task.brief.split(/(?<=[.!?])\s/).some((sentence) => CONDITION.test(sentence) && topic.test(sentence));
