/** Wrong answers: the shotgun, which lists every candidate, and the guess, which is one of the others. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import { majorText, minorDigits } from '../../world/surface/money.js';

/** A candidate as a person writes it. */
const said = ({ kind, currency }: AnswerSpec, value: string | number): string =>
  kind === 'amount' && typeof value === 'number'
    ? `${currency ?? ''} ${majorText(value, minorDigits(currency))}`.trim()
    : String(value);

/** The reference's answer and every distractor in random order. A verifier that accepts it is worthless. */
export const shotgun = ({ answer, reference }: Task, random: Rng): string =>
  answer
    ? random.shuffle([reference.answer, ...answer.distractors.map((value) => said(answer, value))]).join(', ')
    : reference.answer;

/** What somebody answers who looked at the wrong thing, or did not look: one of the distractors. */
export const guess = ({ answer, reference }: Task, random: Rng): string =>
  answer && answer.distractors.length > 0 ? said(answer, random.pick(answer.distractors)) : reference.answer;
