/** The answer of a hand-written task: what kind it is, and what a careless agent would say instead. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { Column } from '../../artifacts/table.js';
import { isoDate, parseIso } from '../../kit/calendar.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { minorDigits, minorOf } from '../../world/surface/money.js';
import { encodeValue } from '../../world/surface/values.js';
import { type Ground, groundAt } from '../ground/ground.js';
import { pathTo } from '../ground/plan.js';
import { sayMoney } from '../ground/say.js';
import type { HandTask } from './form.js';
import type { Page } from './page.js';
import type { HandRun } from './run.js';

type Written = NonNullable<HandTask['answer']>;

const MOST_DISTRACTORS = 40;
const AMOUNT = /^([A-Z]{3})\s*(-?[\d,]+(?:\.\d+)?)$|^(-?[\d,]+(?:\.\d+)?)\s*([A-Z]{3})$/;

const kindOf = ({ kind, expected }: Written): AnswerSpec['kind'] => {
  if (kind) return kind;
  if (Array.isArray(expected)) return 'list';
  if (typeof expected === 'number') return 'number';
  if (typeof expected !== 'string') return 'value';
  if (AMOUNT.test(expected.trim())) return 'amount';
  return /^\d{4}-\d{2}-\d{2}$/.test(expected) && parseIso(expected) !== undefined ? 'date' : 'value';
};

const amountOf = (page: Page, expected: Written['expected']): { minor: number; currency: string } => {
  const [, before, major, alone, after] = AMOUNT.exec(String(expected).trim()) ?? [];
  const currency = before ?? after;
  const digits = minorDigits(currency);
  const minor = currency ? minorOf((major ?? alone ?? '').replaceAll(',', ''), digits) : undefined;
  if (currency === undefined || minor === undefined)
    throw page.refusal(['answer', 'expected'], 'an amount has a currency', expected, 'Write it as EUR 1284.50.');
  return { minor, currency };
};

/** Every column of the services the reference looked at, with its rows as the reference left them. */
const columnsOf = function* (ground: Ground, run: HandRun): Generator<[LoadedService, Column, string, readonly Row[]]> {
  const after = groundAt(ground, run.session);
  for (const id of new Set(run.calls.map(({ service }) => service))) {
    const service = ground.world.services.get(id);
    if (!service) continue;
    for (const [name, table] of Object.entries(service.spec.tables)) {
      const rows = after.rows(service)(name);
      for (const [col, column] of Object.entries(table.cols)) yield [service, column, col, rows];
    }
  }
};

/** Whether some call showed a stored value that equals this one, in the form in which its service shows it. */
const isShown = (ground: Ground, run: HandRun, expected: SqlValue): boolean => {
  for (const [service, column, col, rows] of columnsOf(ground, run))
    for (const row of rows) {
      if (row[col] !== expected) continue;
      const shown = encodeValue(service.spec, column, expected, row);
      if (run.observations.some((seen) => pathTo(seen, shown) !== undefined)) return true;
    }
  return false;
};

/** Other values of the columns that hold the expected one: what a wrong row would give. */
const distractorsOf = (ground: Ground, run: HandRun, expected: SqlValue): (string | number)[] => {
  const out = new Set<string | number>();
  for (const [, , col, rows] of columnsOf(ground, run)) {
    if (!rows.some((row) => row[col] === expected)) continue;
    for (const row of rows) {
      const value = row[col];
      if ((typeof value === 'string' || typeof value === 'number') && value !== '' && value !== expected)
        out.add(value);
    }
  }
  return [...out].slice(0, MOST_DISTRACTORS);
};

const mustBeShown = (ground: Ground, page: Page, run: HandRun, expected: SqlValue, told: unknown): void => {
  if (isShown(ground, run, expected)) return;
  throw page.refusal(
    ['answer', 'expected'],
    'no call of the reference shows this answer',
    told,
    'Look it up in the reference, and give it as the data has it.',
  );
};

/** Numbers a miscount would give. */
const near = (value: number): number[] =>
  [value + 1, value - 1, value + 2, value * 2].filter((n) => n !== value && n >= 0);

export interface HandAnswer {
  spec: AnswerSpec | undefined;
  /** What the reference says at the end. */
  says: string;
}

/** The specification, with distractors from the world where none are written. Throws `bad_task` with the line. */
export const answerOf = (ground: Ground, page: Page, task: HandTask, run: HandRun): HandAnswer => {
  const { answer, reference } = task;
  if (!answer) return { spec: undefined, says: reference.says ?? 'Done.' };
  const kind = kindOf(answer);
  const { asks, expected, distractors } = answer;
  if (kind === 'amount') {
    const { minor, currency } = amountOf(page, expected);
    mustBeShown(ground, page, run, minor, expected);
    const others = distractors?.map((value) => amountOf(page, value).minor) ?? distractorsOf(ground, run, minor);
    const spec: AnswerSpec = { kind, asks, expected: minor, currency, distractors: others.filter((n) => n !== minor) };
    return { spec, says: reference.says ?? sayMoney(minor, currency) };
  }
  const storedAs = (value: string | number): string | number =>
    kind === 'date' && typeof value === 'string' ? (parseIso(value) ?? value) : value;
  const items = (Array.isArray(expected) ? expected : [expected]).filter(
    (item) => typeof item === 'string' || typeof item === 'number',
  );
  // A number may be a count or a sum, a text is put in other words: those no row holds.
  if (kind !== 'number' && kind !== 'text')
    for (const item of items) mustBeShown(ground, page, run, storedAs(item), item);
  const wanted = new Set<string | number>(items.map(storedAs));
  const fromWorld = items
    .flatMap((item) => distractorsOf(ground, run, storedAs(item)))
    .filter((other) => !wanted.has(other))
    .map((other) => (kind === 'date' && typeof other === 'number' ? isoDate(other) : other));
  const isCount = kind === 'number' && typeof expected === 'number' && fromWorld.length === 0;
  const others = distractors ?? [...new Set(isCount ? near(expected) : fromWorld)].slice(0, MOST_DISTRACTORS);
  const spec: AnswerSpec = { kind, asks, expected, distractors: others };
  return { spec, says: reference.says ?? (Array.isArray(expected) ? expected.join(', ') : String(expected)) };
};
