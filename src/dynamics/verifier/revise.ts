/**
 * The dynamic verifier (DynaWeave, Figure 1c): of the task's checks only those are revised that fired events touch, all others are
 * the same objects as before, and the frame allows exactly what fired events wrote. What never fired changes nothing.
 */
import type { Check } from '../../artifacts/check.js';
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Milestone, Task } from '../../artifacts/task.js';
import type { Touch } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import { isFrame } from './footprints.js';

/** An event that fired, with the rows it changed. */
export interface Realised {
  event: ScenarioEvent;
  touched: readonly Touch[];
}

export type Judged = Pick<Task, 'milestones' | 'answer'>;

export interface Revision {
  judged: Judged;
  retired: string[];
  replaced: string[];
  added: string[];
  /** Checks that are the very same as before. */
  kept: string[];
}

type Frame = Extract<Check, { kind: 'unchanged' }>;

type Allowance = Frame['except'][number];

const speaksOf = ({ service, table, keys }: Allowance, touch: Touch): boolean =>
  service === touch.service && table === touch.table && (keys === undefined || keys.includes(touch.key));

/**
 * What the frame allows besides, for a row that an event touched. A row that the task changes too differs in the columns of both,
 * and one allowance has to cover a change.
 */
const allowance = (touch: Touch, frame: Frame): Allowance => {
  const { service, table, key, change, cols } = touch;
  const row = { service, table, keys: [key] };
  if (change === 'insert') return { ...row, inserts: 1 };
  if (change === 'delete') return { ...row, deletes: true };
  const own = frame.except.filter(
    (one) => speaksOf(one, touch) && one.inserts === undefined && one.deletes === undefined,
  );
  const all = new Set([...own.flatMap((one) => one.cols ?? []), ...cols]);
  return { ...row, cols: [...all] };
};

const unknown = (event: string, what: string, value: string, known: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'unknown_check',
    message: `Event ${event} revises a ${what} that the task lacks`,
    value,
    fault: 'task',
    next: `It has ${known.join(', ') || 'none'}.`,
  });

/** Where an event's new checks go: beside the first one that it revises, else to the end. */
const homeOf = ({ checks: { retire, replace } }: ScenarioEvent, milestones: readonly Milestone[]): number => {
  const revised = new Set([...retire, ...replace.map(({ id }) => id)]);
  const at = milestones.findIndex(({ checks }) => checks.some(({ id }) => revised.has(id)));
  return at < 0 ? milestones.length - 1 : at;
};

const withAnswer = (judged: Judged, { id, checks: { answer } }: ScenarioEvent): Judged => {
  if (!answer) return judged;
  const { milestone: name, is } = answer;
  if (name === undefined) return { ...judged, answer: is };
  if (!judged.milestones.some((one) => one.id === name && one.answer))
    throw unknown(
      id,
      'answer',
      name,
      judged.milestones.filter((one) => one.answer).map((one) => one.id),
    );
  return { ...judged, milestones: judged.milestones.map((one) => (one.id === name ? { ...one, answer: is } : one)) };
};

const withEvent = (judged: Judged, event: ScenarioEvent): Judged => {
  const { retire, replace, add } = event.checks;
  const ids = judged.milestones.flatMap(({ checks }) => checks.map(({ id }) => id));
  const stray = [...retire, ...replace.map(({ id }) => id)].find((id) => !ids.includes(id));
  if (stray !== undefined) throw unknown(event.id, 'check', stray, ids);
  const home = homeOf(event, judged.milestones);
  const by = new Map(replace.map((one) => [one.id, one.by]));
  const milestones = judged.milestones.map((milestone, at): Milestone => {
    const isTouched = at === home && add.length > 0;
    if (!isTouched && !milestone.checks.some(({ id }) => retire.includes(id) || by.has(id))) return milestone;
    const kept = milestone.checks.flatMap((check) => (retire.includes(check.id) ? [] : [by.get(check.id) ?? check]));
    return { ...milestone, checks: isTouched ? [...kept, ...add] : kept };
  });
  return withAnswer({ ...judged, milestones }, event);
};

const widened = (frame: Frame, touched: readonly Touch[]): Frame => {
  const except = [...frame.except];
  // Later ones see earlier ones: two events may touch one row.
  for (const touch of touched) except.push(allowance(touch, { ...frame, except }));
  return { ...frame, except };
};

const withFrame = (judged: Judged, touched: readonly Touch[]): Judged => {
  if (touched.length === 0) return judged;
  const milestones = judged.milestones.map((milestone) => {
    if (!milestone.checks.some(isFrame)) return milestone;
    const checks = milestone.checks.map((check) => (check.kind === 'unchanged' ? widened(check, touched) : check));
    return { ...milestone, checks };
  });
  return { ...judged, milestones };
};

/** The task as it is to be judged after these events, in the order they fired. Throws `unknown_check`. */
export const revise = (task: Judged, realised: readonly Realised[]): Revision => {
  const before = new Set(task.milestones.flatMap(({ checks }) => checks));
  const { milestones, answer } = task;
  let judged: Judged = { milestones, ...(answer ? { answer } : {}) };
  for (const { event } of realised) judged = withEvent(judged, event);
  judged = withFrame(
    judged,
    realised.flatMap(({ touched }) => touched),
  );
  const all = judged.milestones.flatMap(({ checks }) => checks);
  const names = (pick: (event: ScenarioEvent) => string[]): string[] => realised.flatMap(({ event }) => pick(event));
  return {
    judged,
    retired: names(({ checks }) => checks.retire),
    replaced: names(({ checks }) => checks.replace.map(({ id }) => id)),
    added: names(({ checks }) => checks.add.map(({ id }) => id)),
    kept: all.flatMap((check) => (before.has(check) ? [check.id] : [])),
  };
};
