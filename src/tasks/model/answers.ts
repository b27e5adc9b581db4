/** Whether what a model says is the answer follows from what its calls showed, and is that of one row. */
import { parseIso } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import { minorDigits, minorOf } from '../../world/surface/money.js';
import type { HandRun } from '../by-hand/run.js';
import type { Ground } from '../ground/ground.js';
import { type Concerned, fits, saidOf } from './about.js';
import type { Written } from './form.js';

type Answer = NonNullable<Written['answer']>;

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

interface Listed {
  items: readonly Json[];
  /** There is more than these: a page of several. */
  isPart: boolean;
}

/** Every list in a result, with whether what stands around it says that there is more. */
export const listsIn = (value: Json, around: readonly Record<string, Json>[] = []): Listed[] => {
  if (Array.isArray(value)) {
    const isPart = around
      .flatMap((one) => Object.entries(one))
      .some(
        ([name, beside]) =>
          (/next|more|cursor/i.test(name) &&
            beside !== null &&
            beside !== false &&
            beside !== '' &&
            !isObject(beside)) ||
          (/total|count/i.test(name) && typeof beside === 'number' && beside > value.length),
      );
    return [{ items: value, isPart }, ...value.flatMap((item) => listsIn(item))];
  }
  if (!isObject(value)) return [];
  // Paging often has an object of its own, beside the list.
  const inner = Object.values(value).filter(isObject);
  return Object.values(value).flatMap((one) => listsIn(one, [value, ...inner.filter((other) => other !== one)]));
};

const fieldsOf = (items: readonly Json[]): string[] => [
  ...new Set(items.flatMap((item) => (isObject(item) ? Object.keys(item) : []))),
];
const column = (items: readonly Json[], field: string): Json[] =>
  items.map((item) => (isObject(item) ? (item[field] ?? null) : null));

const sum = (values: readonly Json[]): number | undefined =>
  values.every((value) => typeof value === 'number')
    ? values.reduce<number>((all, value) => all + (value as number), 0)
    : undefined;

const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(a));

const numberFault = (run: HandRun, expected: number): string | undefined => {
  const last = run.observations.at(-1) ?? null;
  const lists = listsIn(last);
  const whole = lists.filter(({ isPart }) => !isPart);
  const isCount = (items: readonly Json[]): boolean => items.length === expected;
  const isTotal = (items: readonly Json[]): boolean =>
    fieldsOf(items).some((field) => {
      const all = sum(column(items, field));
      return all !== undefined && near(all, expected);
    });
  if (whole.some(({ items }) => isCount(items) || isTotal(items))) return undefined;
  return lists.some(({ items, isPart }) => isPart && (isCount(items) || isTotal(items)))
    ? `${expected} counts one page of a list that has more`
    : `${expected} is neither how many rows the last call lists nor the total of one of their fields`;
};

const listFault = (run: HandRun, expected: readonly (string | number)[]): string | undefined => {
  const wanted = new Set(expected.map(String));
  const isIt = ({ items }: Listed): boolean =>
    fieldsOf(items).some((field) => {
      const shown = column(items, field).map(String);
      return shown.length === expected.length && shown.every((one) => wanted.has(one));
    });
  const lists = listsIn(run.observations.at(-1) ?? null);
  if (lists.some((one) => !one.isPart && isIt(one))) return undefined;
  return lists.some(isIt)
    ? 'the list is one page of a longer one'
    : 'the list is not all of one field of what the last call lists: filter in the call, and leave nothing out';
};

const storedOf = ({ kind, expected }: Answer): string | number | undefined => {
  if (Array.isArray(expected)) return undefined;
  if (typeof expected === 'number') return expected;
  const [, before, major, after] = /^([A-Z]{3})?\s*(-?[\d,]+(?:\.\d+)?)\s*([A-Z]{3})?$/.exec(expected.trim()) ?? [];
  const currency = before ?? after;
  if ((kind === 'amount' || kind === undefined) && currency && major)
    return minorOf(major.replaceAll(',', ''), minorDigits(currency));
  if (kind === 'date' || kind === undefined) return parseIso(expected) ?? expected;
  return expected;
};

/** Why the answer cannot be held against a row that the brief means; the row where it can and no call was given its key. */
const rowOf = (
  ground: Ground,
  brief: string,
  run: HandRun,
  answer: Answer,
  keyed: readonly Concerned[],
): Concerned | string | undefined => {
  const stored = storedOf(answer);
  if (stored === undefined) return 'the answer cannot be read';
  const holds = (row: Concerned['row']): boolean =>
    Object.values(row).some(
      (value) =>
        value === stored ||
        (typeof stored === 'number' &&
          answer.kind === 'date' &&
          typeof value === 'number' &&
          Math.floor(value / 86_400) === Math.floor(stored / 86_400)),
    );
  if (keyed.some(({ row }) => holds(row))) return undefined;
  for (const id of new Set(run.calls.map(({ service }) => service))) {
    const service = ground.world.services.get(id);
    if (!service) continue;
    for (const [table, { cols }] of Object.entries(service.spec.tables))
      for (const row of ground.rows(service)(table)) {
        if (!holds(row)) continue;
        const said = saidOf(ground, service, table, row, brief).filter(
          ({ col }) => row[col] !== stored || cols[col]?.type === 'bool',
        );
        const one: Concerned = { service, table, row, said, isLedTo: false };
        if (fits(ground, one) === 1) return one;
      }
  }
  return 'the brief does not say enough to tell the one record that holds the answer';
};

/** A string says what is wrong with the answer; a row is one more that the task is about. */
export const answerBasis = (
  ground: Ground,
  brief: string,
  run: HandRun,
  answer: Answer,
  keyed: readonly Concerned[],
): Concerned | string | undefined => {
  const { kind, expected } = answer;
  if (Array.isArray(expected)) return listFault(run, expected);
  if (kind === 'list') return listFault(run, [expected]);
  if (kind === 'number' || (kind === undefined && typeof expected === 'number')) {
    if (typeof expected !== 'number') return 'a number is written as a number';
    const fault = numberFault(run, expected);
    // A figure that one record holds.
    return fault !== undefined && typeof rowOf(ground, brief, run, answer, keyed) !== 'string' ? undefined : fault;
  }
  return rowOf(ground, brief, run, answer, keyed);
};
