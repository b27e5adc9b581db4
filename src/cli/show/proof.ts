/** How a task is judged, in words, and what its gate ran and saw. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { AnswerSpec } from '../../artifacts/check.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Task } from '../../artifacts/task.js';
import { checkWords } from '../review/check-words.js';
import { type Section, wrapped } from './layout.js';

export const answerWords = ({ kind, asks, expected, currency, distractors }: AnswerSpec): string => {
  const right = Array.isArray(expected) ? expected.join(', ') : String(expected);
  const unit = currency ? ` (minor units, ${currency})` : '';
  const wrong = distractors.length > 0 ? `; naming one of ${distractors.length} others is wrong` : '';
  return `answer (${kind}): ${asks} = ${right}${unit}${wrong}`;
};

export const checkSection = (task: Task, services: readonly ServiceSpec[]): Section => {
  const { milestones, answer } = task;
  const isOne = milestones.length === 1;
  return {
    title: 'Checks',
    lines: [
      ...(answer ? wrapped(answerWords(answer), 2, 2) : []),
      ...milestones.flatMap((milestone) => [
        ...(isOne ? [] : [`  ${milestone.id}, at the end of ${milestone.node}`]),
        ...milestone.checks.flatMap((check) => wrapped(`- ${checkWords(check, services)}`, isOne ? 2 : 4, 2)),
        ...(milestone.answer ? wrapped(`- ${answerWords(milestone.answer)}`, isOne ? 2 : 4, 2) : []),
        ...(milestone.rubric ?? []).flatMap((line) => wrapped(`- in words: ${line}`, isOne ? 2 : 4, 2)),
      ]),
    ],
  };
};

/** `mark` colours the verdict of a line. */
export const gateSection = (certificate: Certificate | undefined, mark: (pass: boolean) => string): Section => ({
  title: 'Gate',
  lines: certificate
    ? certificate.findings.flatMap(({ id, pass, evidence: [first = '', ...more] }) => [
        `  ${mark(pass)} ${id}: ${first}`,
        ...more.flatMap((line) => wrapped(line, 5, 2)),
      ])
    : ['  no certificate'],
});
