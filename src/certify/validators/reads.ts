/** Reads held against an independent query: plain filters over all rows in JavaScript, nothing of the interpreter. */

import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { argPath, encodeArg } from '../../world/surface/args.js';
import { rowFields, visibleColumns } from '../../world/surface/values.js';
import { type Probe, rowReader } from '../probes.js';
import type { Notes, ServiceSubject } from '../validator.js';

const LIMIT = 100;

type Fields = Record<string, Json>;

/** Whether an object with all of `fields` stands in `shown`, at most four levels down. */
export const holds = (shown: Json, fields: Fields, depth = 4): boolean => {
  if (shown === null || typeof shown !== 'object') return false;
  const own = shown as Fields;
  if (Object.entries(fields).every(([key, value]) => isDeepStrictEqual(own[key], value))) return true;
  return depth > 0 && Object.values(own).some((item) => holds(item, fields, depth - 1));
};

/** The longest list of objects in a result: its rows. */
const listIn = (result: Json, depth = 4): Json[] | undefined => {
  if (Array.isArray(result))
    return result.every((item) => item !== null && typeof item === 'object') ? result : undefined;
  if (depth === 0 || result === null || typeof result !== 'object') return undefined;
  const found = Object.values(result)
    .map((item) => listIn(item as Json, depth - 1))
    .filter((list) => list !== undefined);
  return found.sort((a, b) => b.length - a.length)[0];
};

const text = (value: SqlValue | undefined): string => String(value ?? '').toLowerCase();

const fits = (row: Row, col: string, op: NonNullable<Arg['op']>, value: SqlValue | SqlValue[]): boolean => {
  const own = row[col] ?? null;
  if (own === null) return false;
  if (op === 'in') return (value as SqlValue[]).includes(own);
  if (op === 'contains') return text(own).includes(text(value as SqlValue));
  if (op === 'prefix') return text(own).startsWith(text(value as SqlValue));
  const other = value as SqlValue;
  if (op === 'eq') return own === other;
  if (op === 'ne') return own !== other;
  const [a, b] = [own as number, other as number];
  return op === 'lt' ? a < b : op === 'lte' ? a <= b : op === 'gt' ? a > b : a >= b;
};

interface Condition {
  name: string;
  arg: Arg;
  value: SqlValue | SqlValue[];
}

/** Filters with values of a row that is there, so that most results are not empty. */
const conditions = (subject: ServiceSubject, probe: Probe, rows: readonly Row[]): Condition[] =>
  Object.entries(probe.tool.tool.tool.args).flatMap(([name, arg]): Condition[] => {
    if (arg.role !== 'filter') return [];
    const col = arg.col ?? name;
    const donors = rows.filter((row) => row[col] !== null && row[col] !== undefined && row[col] !== '');
    if (donors.length === 0) return [];
    const value = subject.random.pick(donors)[col] as SqlValue;
    const op = arg.op ?? 'eq';
    if (op === 'contains' || op === 'prefix') return [{ name, arg, value: String(value).slice(0, 6) }];
    return [{ name, arg, value: arg.type === 'list' ? [value] : value }];
  });

const written = (
  subject: ServiceSubject,
  probe: Probe,
  chosen: readonly Condition[],
  extra: Record<string, SqlValue>,
): Record<string, Json> => {
  const { tool } = probe.tool.tool;
  const out: Record<string, Json> = {};
  const put = (name: string, value: SqlValue | SqlValue[]): void => {
    let at = out;
    const path = argPath(subject.spec, name, tool.args[name] as Arg);
    for (const key of path.slice(0, -1)) {
      at[key] ??= {};
      at = at[key] as Record<string, Json>;
    }
    at[path.at(-1) as string] = encodeArg(subject.spec, tool, name, value);
  };
  for (const { name, value } of chosen) put(name, value);
  for (const [name, value] of Object.entries(extra)) put(name, value);
  return out;
};

const fieldsOf = (
  subject: ServiceSubject,
  table: string,
  cols: readonly string[] | undefined,
): ((row: Row) => Fields) => {
  const spec = subject.spec.tables[table] as Table;
  // The key is shown in the fields or beside them, as the row's template says.
  return rowFields(subject.spec, table, visibleColumns(spec, cols), spec.key.col);
};

const compareList = (subject: ServiceSubject, probe: Probe, notes: Notes): number => {
  const { tool } = probe.tool.tool;
  const all = rowReader(subject.service)(tool.table);
  const fields = fieldsOf(subject, tool.returns?.table ?? tool.table, tool.returns?.cols);
  const limitArg = Object.entries(tool.args).find(([, arg]) => arg.role === 'limit');
  const limit = Math.min(limitArg?.[1].max ?? LIMIT, LIMIT);
  const single = conditions(subject, probe, all);
  const sets: Condition[][] = [
    [],
    ...single.map((one) => [one]),
    ...(single.length > 1 ? [subject.random.sample(single, 2)] : []),
  ];
  const session = subject.open();
  let compared = 0;
  for (const chosen of sets) {
    const required = Object.entries(tool.args).some(
      ([name, arg]) => arg.required && !chosen.some((one) => one.name === name),
    );
    if (required) continue;
    const expected = all.filter((row) =>
      chosen.every(({ name, arg, value }) => fits(row, arg.col ?? name, arg.op ?? 'eq', value)),
    );
    const outcome = session.call(probe.name, written(subject, probe, chosen, limitArg ? { [limitArg[0]]: limit } : {}));
    const what =
      chosen.length === 0
        ? 'without filters'
        : `with ${chosen.map(({ name, value }) => `${name}=${String(value).slice(0, 30)}`).join(', ')}`;
    const list = listIn(outcome.result) ?? [];
    const most = limitArg ? limit : list.length;
    compared++;
    if (!outcome.ok)
      notes
        .of(probe.tool.tool.name)
        .against(`${probe.name} ${what} fails: ${outcome.error?.code}`, 'steps', 'Accept every filter it declares.');
    else if (limitArg && list.length !== Math.min(expected.length, most))
      notes
        .of(probe.tool.tool.name)
        .against(
          `${probe.name} ${what} returns ${list.length} rows, a query finds ${expected.length}`,
          'steps',
          'Filter by the column that the argument names.',
        );
    else {
      const wanted = expected.map(fields);
      const stray = list.find((item) => !wanted.some((row) => holds(item, row)));
      if (stray)
        notes
          .of(probe.tool.tool.name)
          .against(
            `${probe.name} ${what} returns a row that a query does not find`,
            'steps',
            'Filter by the column that the argument names.',
          );
    }
  }
  session.drop();
  return compared;
};

const compareGet = (subject: ServiceSubject, probe: Probe, notes: Notes): number => {
  const { tool } = probe.tool.tool;
  const spec = subject.spec.tables[tool.table] as Table;
  const row = rowReader(subject.service)(tool.table).find((candidate) => candidate[spec.key.col] === probe.key);
  if (!row) return 0;
  if (!holds(probe.result ?? null, fieldsOf(subject, tool.table, tool.returns?.cols)(row)))
    notes
      .of(probe.tool.tool.name)
      .against(
        `${probe.name} of ${probe.key} does not return the row as it is stored`,
        'steps',
        'Return the stored row.',
      );
  return 1;
};

/** Compares a read tool with independent queries; returns how many reads were compared. */
export const compareReads = (subject: ServiceSubject, probe: Probe, notes: Notes): number => {
  const { op } = probe.tool.tool.tool;
  const session = subject.open();
  session.call(probe.name, structuredClone(probe.args));
  if (Object.keys(session.diff()).length > 0)
    notes
      .of(probe.tool.tool.name)
      .against(`${probe.name} changes state although it declares no write`, 'contract', 'Declare the write.');
  session.drop();
  if (op === 'list' || op === 'search') return compareList(subject, probe, notes);
  return op === 'get' ? compareGet(subject, probe, notes) : 0;
};

/** Whether the table's get tool shows `row`; undefined when there is no such tool. */
export const shows = (
  subject: ServiceSubject,
  session: Session,
  table: string,
  key: string | number,
  row: Row,
): boolean | undefined => {
  const getter = subject.probes.find(({ tool }) => tool.tool.tool.op === 'get' && tool.tool.tool.table === table);
  const keyArg = getter ? Object.entries(getter.tool.tool.tool.args).find(([, arg]) => arg.role === 'key') : undefined;
  if (!getter || !keyArg) return undefined;
  const out = written(subject, getter, [], { [keyArg[0]]: key });
  const outcome = session.call(getter.name, out);
  return outcome.ok && holds(outcome.result, fieldsOf(subject, table, getter.tool.tool.tool.returns?.cols)(row));
};
