/** A task as a reviewer reads it: what is asked in every form, what the reference does, how it is judged, what the gate saw. */
import type { Certificate } from '../../artifacts/certificate.js';
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Review } from '../../artifacts/review.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Source, Task } from '../../artifacts/task.js';
import { checkWords } from './check-words.js';

const MOST_EVIDENCE = 4;

const fromWords = ({ arg, from }: Source): string => {
  if ('brief' in from) return `${arg}: the brief says “${from.brief}”`;
  if ('observed' in from) return `${arg}: call ${from.observed + 1} shows it at ${from.path}`;
  return `${arg}: ${from.constant}`;
};

/** What a tool says of itself; a tool's full name may carry its service's prefix. */
const describes = (services: readonly ServiceSpec[], service: string, tool: string): string => {
  const tools = services.find(({ id }) => id === service)?.tools ?? {};
  return (tools[tool] ?? Object.entries(tools).find(([name]) => tool.endsWith(`_${name}`))?.[1])?.description ?? '';
};

const referenceLines = (task: Task, services: readonly ServiceSpec[]): string[] =>
  task.reference.calls.flatMap((call, n) => {
    const says = describes(services, call.service, call.tool);
    const sources = task.reference.sources.filter((source) => source.call === n);
    return [
      `  ${n + 1}. ${call.service}: ${call.tool} ${JSON.stringify(call.args)}`,
      ...(says ? [`     ${says}`] : []),
      ...sources.map((source) => `     - ${fromWords(source)}`),
    ];
  });

const expectedWords = ({ kind, asks, expected, currency, distractors }: AnswerSpec): string => {
  const right = Array.isArray(expected) ? expected.join(', ') : String(expected);
  const unit = currency ? ` (minor units, ${currency})` : '';
  return `${kind}: ${asks} = ${right}${unit}; naming one of ${distractors.length} others is wrong`;
};

const answerLines = (task: Task): string[] => {
  const stages = task.milestones.flatMap(({ node, answer, says }) =>
    answer ? [`  ${node}: ${says ? `“${says}” ` : ''}${expectedWords(answer)}`] : [],
  );
  if (!task.answer && stages.length === 0) return [];
  const whole = task.answer ? [`  “${task.reference.answer}” ${expectedWords(task.answer)}`] : [];
  return ['Answer', ...whole, ...stages];
};

const briefLines = ({ brief, disclosure: { stages, briefs } }: Task): string[] => [
  'Brief',
  ...brief.split('\n').map((line) => `  ${line}`),
  ...(briefs ? [`  partial: ${briefs.partial}`, `  vague: ${briefs.vague}`] : []),
  ...stages.flatMap(({ node, partial, vague, facts }) => [
    ...(stages.length > 1 ? [`  stage ${node}`] : []),
    `  with a user, partial: ${partial}`,
    `  with a user, vague: ${vague}`,
    ...facts.map((fact) =>
      typeof fact === 'string'
        ? `  knows: ${fact}`
        : `  knows: ${fact.says}${fact.after ? ` (not before ${fact.after} has ended)` : ''}`,
    ),
  ]),
];

const gateLines = (certificate: Certificate | undefined): string[] =>
  certificate
    ? [
        'Gate',
        ...certificate.findings.map(({ id, pass, evidence }) => {
          const more = evidence.length > MOST_EVIDENCE ? ` (and ${evidence.length - MOST_EVIDENCE} more)` : '';
          return `  ${pass ? 'ok' : 'FAILED'} ${id}: ${evidence.slice(0, MOST_EVIDENCE).join('; ')}${more}`;
        }),
      ]
    : ['Gate', '  no certificate'];

/** One earlier record in a line. */
export const reviewLine = ({ decision, by, at, comment }: Review): string =>
  `${decision} by ${by}, ${at}${comment ? `: ${comment}` : ''}`;

export interface Shown {
  task: Task;
  certificate: Certificate | undefined;
  services: readonly ServiceSpec[];
  /** Of its current hash. */
  reviews: readonly Review[];
  /** Of the same id with another hash. */
  voided: readonly Review[];
}

export const taskLines = ({ task, certificate, services, reviews, voided }: Shown): string[] => [
  `For ${task.actor.name}, ${task.actor.title} (${task.actor.email})`,
  ...briefLines(task),
  'Reference',
  ...referenceLines(task, services),
  ...answerLines(task),
  'Checks',
  ...task.milestones.flatMap(({ id, checks, rubric = [] }) => [
    ...(task.milestones.length > 1 ? [`  ${id}`] : []),
    ...checks.map((check) => `  - ${checkWords(check, services)}`),
    ...rubric.map((line) => `  - in words: ${line}`),
  ]),
  ...gateLines(certificate),
  ...(reviews.length > 0 ? ['Earlier', ...reviews.map((review) => `  ${reviewLine(review)}`)] : []),
  ...voided.map((review) => `  void, the task was another one then: ${reviewLine(review)}`),
];
