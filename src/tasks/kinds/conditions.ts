/** Conditions over rows as a person states them: in which state, in which month, above which amount. */
import type { Column, Table } from '../../artifacts/table.js';
import { longDate, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { wordsOf } from '../../kit/words.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { minorDigits } from '../../world/surface/money.js';
import type { NamedTool, PlannedArg } from '../ground/plan.js';
import { filterFor } from '../ground/reveal.js';
import { currencyOf, sayMoney } from '../ground/say.js';
import { article } from '../words/grammar.js';
import { nounOf, sayColumn, sayField } from '../words/names.js';
import { isAdjective, sayWhen } from '../words/rows.js';
import { isSpeakable } from '../words/sayable.js';

export interface Condition {
  kind: 'state' | 'month' | 'amount';
  col: string;
  /** Before the noun (`open`) or behind it (`due in March 2024`, `with an amount above EUR 500`). */
  before?: string;
  behind?: string;
  /** Of one thing: `is open`, `is due in March 2024`. */
  is: string;
  /** What one asks to know it, where that is no field: `when it was sent`. */
  asks?: string;
  /** The value as the brief says it. */
  words: string;
  holds(row: Row): boolean;
  /** Arguments of a list that say the condition; empty where it has none for it, then the rows have to be looked through. */
  args(tool: NamedTool): PlannedArg[];
}

/** Columns whose values are set by the system and by nobody's plan. */
const UNTOLD = /^(created|updated|version|birth)|_(limit|days)$/;

const isTold = (spec: Table, col: string, column: Column): boolean =>
  !column.hidden && !column.fk && col !== spec.key.col && !UNTOLD.test(col) && isSpeakable(col);

/** The state of things: `open`, `with priority high`. */
export const stateOf = (col: string, value: string): Condition => {
  const words = wordsOf(value).join(' ');
  const name = sayColumn(col);
  const isState = /^(status|state)$/.test(col) && isAdjective(words);
  const behind = isState
    ? undefined
    : /^(kind|type|category|grade|class)$/.test(col)
      ? `of ${name} ${words}`
      : col === 'folder'
        ? `in the ${words} folder`
        : /(^|_)(ward|zone|region|department|district)$/.test(col)
          ? `in ${name} ${words}`
          : / by$/.test(name)
            ? `${name} ${words}`
            : `with ${name} ${words}`;
  const is = isState ? `is ${words}` : behind?.startsWith('with ') ? `has the ${name} “${words}”` : `is ${behind}`;
  return {
    kind: 'state',
    col,
    words,
    ...(behind === undefined ? { before: words } : { behind }),
    is,
    holds: (row) => row[col] === value,
    args: (tool) => {
      const equal = filterFor(tool, col, ['eq']);
      if (equal) return [{ name: equal[0], value, origin: { brief: words } }];
      const among = filterFor(tool, col, ['in']);
      return among ? [{ name: among[0], value: [value], origin: { brief: words } }] : [];
    },
  };
};

const monthStart = (seconds: number, ahead = 0): number => {
  const day = new Date(seconds * 1000);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + ahead, 1) / 1000;
};

/** `sent in March` -> `was sent in March`, `when it was sent`; `starting in` -> `starts in`. */
const happening = (behind: string, month: string): { is: string; asks?: string } => {
  const began = /^(start|end|expir|renew|leav|occurr)ing\b/.exec(behind)?.[1];
  if (began) {
    const verb = { expir: 'expires', leav: 'leaves', occurr: 'occurs' }[began] ?? `${began}s`;
    return { is: behind.replace(/^\w+/, verb), asks: `when it ${verb}` };
  }
  if (/^with /.test(behind)) return { is: `has its ${behind.slice(5)}` };
  if (/^(in|due|valid|planned|scheduled|expected|requested|needed|to be) ?/.test(behind)) return { is: `is ${behind}` };
  const done = behind.slice(0, behind.indexOf(month)).replace(/ (in|for) $/, '');
  return { is: `was ${behind}`, asks: `when it was ${done}` };
};

/** `due in March 2024`; undefined where the column does not say it so (`valid until March` has two meanings). */
export const monthOf = (spec: Table, col: string, at: number): Condition | undefined => {
  const column = spec.cols[col];
  if (column?.type !== 'date' && column?.type !== 'datetime') return undefined;
  const words = longDate(at).split(' ').slice(1).join(' ');
  const day = sayWhen(col, 'DAY', nounOf(spec));
  if (!/ (on|for|value date) DAY$|^(on|of) DAY$/.test(day) || /(until|by|since|week)/.test(day)) return undefined;
  const said = day.replace(/\b(on|of) DAY$/, 'in DAY').replace(/ date DAY$/, ' date in DAY');
  const behind = said.replace('DAY', words);
  const [from, to] = [monthStart(at), monthStart(at, 1) - 1];
  const { is, asks } = happening(behind, words);
  return {
    kind: 'month',
    col,
    words,
    behind,
    is,
    ...(asks ? { asks } : {}),
    holds: (row) => typeof row[col] === 'number' && Number(row[col]) >= from && Number(row[col]) <= to,
    args: (tool) => {
      const since = filterFor(tool, col, ['gte']);
      const until = filterFor(tool, col, ['lte']);
      if (!since || !until) return [];
      const last = column.type === 'date' ? startOfDay(to) : to;
      return [
        { name: since[0], value: from, origin: { brief: words } },
        { name: until[0], value: last, origin: { brief: words } },
      ];
    },
  };
};

/** A round number strictly between two others: the roundest there is. */
export const roundBetween = (low: number, high: number, smallest = 1): number | undefined => {
  for (let size = 10 ** 12; size >= smallest; size /= 10) {
    for (const step of [size, size / 2]) {
      if (step < smallest || !Number.isInteger(step)) continue;
      const first = (Math.floor(low / step) + 1) * step;
      if (first > low && first < high) return first;
    }
  }
  return undefined;
};

const without = (words: string): string => words.replace(/\.0+$/, '');

/** `with an amount above EUR 500`: `row` meets it, and another row does not. */
export const amountOf = (
  service: LoadedService,
  table: string,
  col: string,
  row: Row,
  rows: readonly Row[],
  random: Rng,
): Condition | undefined => {
  const spec = service.spec.tables[table] as Table;
  const column = spec.cols[col];
  const isMoney = column?.type === 'money';
  const own = row[col];
  if (typeof own !== 'number' || (!isMoney && column?.type !== 'int')) return undefined;
  const values = [...new Set(rows.map((one) => one[col]).filter((value) => typeof value === 'number'))].sort(
    (a, b) => a - b,
  );
  const currencies = new Set(rows.map((one) => currencyOf(service.spec, spec, one)));
  if (isMoney && currencies.size !== 1) return undefined;
  const currency = [...currencies][0] as string;
  const at = values.indexOf(own);
  const isAbove = at > 0 && (at === values.length - 1 || random.chance(0.7));
  const [cut, step] = isAbove ? [random.int(0, at - 1), 1] : [random.int(at + 1, values.length - 1), -1];
  const next = values[cut + step];
  const edge = values[cut];
  if (edge === undefined || next === undefined || values.length < 3) return undefined;
  const smallest = isMoney ? 10 ** minorDigits(currency) : 1;
  const threshold = roundBetween(Math.min(edge, next), Math.max(edge, next), smallest);
  if (threshold === undefined || threshold <= 0) return undefined;
  const words = isMoney ? without(sayMoney(threshold, currency)) : String(threshold);
  const than = isAbove ? 'above' : 'below';
  const field = sayField(spec, col);
  // `with a kilos out above 7,000` is no English.
  if (!isMoney && /^\w+[^s]s\b(?! of)/.test(field)) return undefined;
  const counted = /^number of (.+)/.exec(field)?.[1] ?? (/^\w+(ed|old|eld|ken)$/.test(field) ? field : undefined);
  const having = counted
    ? `${isAbove ? 'more' : 'fewer'} than ${words} ${counted}`
    : `${article(field)} ${than} ${words}`;
  const holds = (one: Row): boolean =>
    typeof one[col] === 'number' && (isAbove ? Number(one[col]) > threshold : Number(one[col]) < threshold);
  return {
    kind: 'amount',
    col,
    words,
    behind: `with ${having}`,
    is: `has ${having}`,
    holds,
    args: (tool) => {
      const found =
        filterFor(tool, col, isAbove ? ['gt'] : ['lt']) ?? filterFor(tool, col, isAbove ? ['gte'] : ['lte']);
      return found ? [{ name: found[0], value: threshold, origin: { brief: words } }] : [];
    },
  };
};

const UNCOUNTED = /(^|_)(year|position|latitude|longitude|version|level|floor|no|number|percent|month|day|priority)$/;

/** Conditions that `row` meets, one a column at most. */
export const conditionsOn = (
  service: LoadedService,
  table: string,
  row: Row,
  rows: readonly Row[],
  random: Rng,
): Condition[] => {
  const spec = service.spec.tables[table] as Table;
  return Object.entries(spec.cols).flatMap(([col, column]): Condition[] => {
    const value: SqlValue | undefined = row[col];
    if (!isTold(spec, col, column) || value === null || value === undefined) return [];
    if (column.enum && typeof value === 'string') return [stateOf(col, value)];
    if (column.type === 'date' || column.type === 'datetime') {
      const made = monthOf(spec, col, Number(value));
      return made ? [made] : [];
    }
    if (column.type === 'money' || (column.type === 'int' && !UNCOUNTED.test(col))) {
      const made = amountOf(service, table, col, row, rows, random);
      return made ? [made] : [];
    }
    return [];
  });
};
