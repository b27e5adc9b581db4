/** Requests that already say what else is to be done where something cannot be: news of that kind would set off what nobody solved. */
import type { Stage } from '../trial.js';

export const isConditional = ({ task }: Pick<Stage, 'task'>): boolean => /\b(if|unless|otherwise)\b/i.test(task.brief);
