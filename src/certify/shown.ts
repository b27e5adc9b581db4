/** Whether an answer shows a row as it is stored. */
import { isDeepStrictEqual } from 'node:util';
import type { ServiceSpec } from '../artifacts/service.js';
import type { Table } from '../artifacts/table.js';
import type { Json } from '../kit/hash.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { columnCodec, currencyColumn, encodeValue, rowFields, visibleColumns } from '../world/surface/values.js';

type Fields = Record<string, Json>;

const DEEPEST = 8;

/** Equal; an object may hold more beside, as the key may stand among other links. */
const covers = (own: Json | undefined, wanted: Json): boolean => {
  if (own === wanted) return true;
  if (typeof own !== 'object' || own === null || typeof wanted !== 'object' || wanted === null) return false;
  if (Array.isArray(own) || Array.isArray(wanted)) return isDeepStrictEqual(own, wanted);
  for (const key in wanted) if (!covers(own[key], wanted[key] as Json)) return false;
  return true;
};

/** Whether an object with all of `fields` stands in `shown`, wherever it may be nested. */
export const holds = (shown: Json, fields: Fields, depth = DEEPEST): boolean => {
  if (shown === null || typeof shown !== 'object') return false;
  const own = shown as Fields;
  if (!Array.isArray(shown) && covers(shown, fields)) return true;
  return depth > 0 && Object.values(own).some((item) => holds(item, fields, depth - 1));
};

/** Whether the value stands anywhere in `shown`. */
export const mentions = (shown: Json, value: Json, depth = DEEPEST): boolean => {
  if (shown === value) return true;
  if (depth === 0 || shown === null || typeof shown !== 'object') return false;
  return Object.values(shown).some((item) => mentions(item, value, depth - 1));
};

export type RowTest = (shown: Json, row: Row) => boolean;

/**
 * A test of answers of one table: the row's visible columns stand together in one object, and its key in it or beside it. Made
 * once for a tool; what a row looks like is worked out once a row.
 */
export const rowTest = (spec: ServiceSpec, table: string, cols: readonly string[] | undefined): RowTest => {
  const { key, cols: columns } = spec.tables[table] as Table;
  const fields = rowFields(spec, table, visibleColumns(spec.tables[table] as Table, cols), key.col);
  const isKeyShown = !columns[key.col]?.hidden && (cols?.includes(key.col) ?? true);
  const known = new Map<Row, { fields: Fields; key: Json }>();
  return (shown, row) => {
    let wanted = known.get(row);
    if (!wanted) {
      const own = encodeValue(spec, columns[key.col] as Table['cols'][string], row[key.col] ?? null);
      wanted = { fields: fields(row), key: own };
      known.set(row, wanted);
    }
    return holds(shown, wanted.fields) && (!isKeyShown || mentions(shown, wanted.key));
  };
};

/** The tests of a service's tables, each made once. */
export const rowTests = (spec: ServiceSpec): ((table: string, cols: readonly string[] | undefined) => RowTest) => {
  const known = new Map<string, RowTest>();
  return (table, cols) => {
    const what = `${table} ${cols?.join() ?? '*'}`;
    const test = known.get(what) ?? rowTest(spec, table, cols);
    known.set(what, test);
    return test;
  };
};

/** Columns whose surface form does not lead back to what is stored: an agent could not hand the value in again. */
export const unreadable = (spec: ServiceSpec, tableName: string, rows: readonly Row[]): string[] => {
  const table = spec.tables[tableName] as Table;
  const currency = currencyColumn(table);
  return visibleColumns(table).filter((name) => {
    const col = table.cols[name] as Table['cols'][string];
    const codec = columnCodec(spec, col, table);
    if (codec.isPlain || col.type === 'json') return false;
    const seen = new Set<SqlValue>();
    return rows.some((row) => {
      const value = row[name] ?? null;
      if (value === null) return false;
      const said = currency === undefined ? undefined : row[currency];
      const own = col.type === 'money' && typeof said === 'string' ? said : undefined;
      if (own === undefined) {
        if (seen.has(value)) return false;
        seen.add(value);
      }
      return codec.decode(codec.encode(value, own), own) !== value;
    });
  });
};
