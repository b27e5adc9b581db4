/** The answer under events: what each that fired makes of it, line by line where several questions are answered. */
import { TreadleError } from '../../errors.js';
import { numberedAnswers } from '../../verify/stage-answer.js';
import type { Fired } from './edits.js';

const conflict = (events: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'answer_conflict',
    message: `Events ${events.join(' and ')} make another answer of the same question`,
    value: events,
    fault: 'task',
    next: 'Let one exclude the other.',
  });

/** Lines that differ from the task's own. */
const changedLines = (own: ReadonlyMap<number, string>, other: string): [number, string][] =>
  [...numberedAnswers(other)].filter(([n, line]) => own.get(n) !== line);

/** `own`: the task's. Throws `answer_conflict` where two events answer one question differently. */
export const answerAfter = (own: string, fired: readonly Fired[]): string => {
  const said = fired.flatMap(({ event: { id, reference } }) =>
    reference.answer === undefined || reference.answer === own ? [] : [{ id, answer: reference.answer }],
  );
  const [first, ...others] = said;
  if (!first) return own;
  if (others.every(({ answer }) => answer === first.answer)) return first.answer;
  const lines = numberedAnswers(own);
  if (lines.size < 2) throw conflict(said.map(({ id }) => id));
  const by = new Map<number, { id: string; line: string }>();
  for (const { id, answer } of said)
    for (const [n, line] of changedLines(lines, answer)) {
      const taken = by.get(n);
      if (taken && taken.line !== line) throw conflict([taken.id, id]);
      by.set(n, { id, line });
    }
  return [...lines].map(([n, line]) => `${n}. ${by.get(n)?.line ?? line}`).join('\n');
};
