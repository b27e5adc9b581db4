/** The shotgun answer: the right value among all the others. A verifier that accepts it is worthless. */
import type { Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { majorText, minorDigits } from '../../world/surface/money.js';

/** Lists the reference's answer and every distractor in random order; amounts as a person writes them. */
export const shotgun = (task: Task, random: Rng): string => {
  const { answer, reference } = task;
  if (!answer) return reference.answer;
  const { kind, currency, distractors } = answer;
  const said = (value: string | number): string =>
    kind === 'amount' && typeof value === 'number'
      ? `${currency ?? ''} ${majorText(value, minorDigits(currency))}`.trim()
      : String(value);
  return random.shuffle([reference.answer, ...distractors.map(said)]).join(', ');
};
