/** What a scenario's events make of checks, answer and reference, before and after; lines that go are `-`, those that come `+`. */
import type { Check } from '../../../artifacts/check.js';
import type { Scenario, ScenarioEvent } from '../../../artifacts/scenario.js';
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Call, Task } from '../../../artifacts/task.js';
import { canonicalJson } from '../../../kit/hash.js';
import { checkWords } from '../../review/check-words.js';
import { answerWords } from '../proof.js';

export interface Change {
  sign: '+' | '-' | ' ';
  text: string;
}

const one = (sign: Change['sign'], text: string): Change => ({ sign, text });

/** Checks as events before this one left them, by id. */
type Known = Map<string, Check>;

const checkChanges = (known: Known, event: ScenarioEvent, services: readonly ServiceSpec[]): Change[] => {
  const words = (id: string): string => {
    const check = known.get(id);
    return `${id}: ${check ? checkWords(check, services) : 'a check that the task lacks'}`;
  };
  const { retire, replace, add } = event.checks;
  const out = [
    ...retire.map((id) => one('-', words(id))),
    ...replace.flatMap(({ id, by }) => [one('-', words(id)), one('+', `${by.id}: ${checkWords(by, services)}`)]),
    ...add.map((check) => one('+', `${check.id}: ${checkWords(check, services)}`)),
  ];
  for (const id of retire) known.delete(id);
  for (const { id, by } of replace) known.set(id, by);
  for (const check of add) known.set(check.id, check);
  return out;
};

const answerChanges = (task: Task, { checks: { answer } }: ScenarioEvent): Change[] => {
  if (!answer) return [];
  const own = answer.milestone === undefined ? task : task.milestones.find(({ id }) => id === answer.milestone);
  return [...(own?.answer ? [one('-', answerWords(own.answer))] : []), one('+', answerWords(answer.is))];
};

export interface EventChanges {
  event: string;
  changes: Change[];
}

/** What each event revises, in the order of the scenario; the frame allows besides what an event writes. */
export const revisions = (
  task: Task,
  { events }: Pick<Scenario, 'events'>,
  services: readonly ServiceSpec[],
): EventChanges[] => {
  const known: Known = new Map(
    task.milestones.flatMap(({ checks }) => checks.map((check) => [check.id, check] as const)),
  );
  return events.map((event) => ({
    event: event.id,
    changes: [...checkChanges(known, event, services), ...answerChanges(task, event)],
  }));
};

/** Checks of the task that no event retires or replaces. */
export const untouched = (task: Task, { events }: Pick<Scenario, 'events'>): number => {
  const touched = new Set(events.flatMap(({ checks }) => [...checks.retire, ...checks.replace.map(({ id }) => id)]));
  return task.milestones.flatMap(({ checks }) => checks).filter(({ id }) => !touched.has(id)).length;
};

/** Longest common part of two lists, as the lines of a difference. */
const difference = (before: readonly string[], after: readonly string[]): Change[] => {
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      (common[i] as number[])[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const out: Change[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      out.push(one(' ', before[i] as string));
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1)))
      out.push(one('-', before[i++] as string));
    else out.push(one('+', after[j++] as string));
  }
  return out;
};

const callWords = ({ service, tool, args }: Call): string => `${service}: ${tool} ${canonicalJson(args)}`;

/** The task's reference and the scenario's, call by call, and what is replied. */
export const referenceChanges = (
  { reference: before }: Pick<Task, 'reference'>,
  { reference: after }: Pick<Scenario, 'reference'>,
): Change[] => [
  ...difference(before.calls.map(callWords), after.calls.map(callWords)),
  ...(before.answer === after.answer
    ? [one(' ', `replies: ${before.answer}`)]
    : [one('-', `replies: ${before.answer}`), one('+', `replies: ${after.answer}`)]),
];
