/** Values and rows of a service as its surface shows them: the edge between state and agent. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { rowMaker } from '../../kit/rows.js';
import type { Row, SqlValue } from '../state/types.js';
import { codecOf } from './codec.js';
import { keptFor } from './kept.js';
import { surfacePath } from './naming.js';
import type { Codec } from './value.js';

/** The column that says a row's currency; a table without one uses the surface's. */
export const currencyColumn = (table: Table): string | undefined =>
  Object.keys(table.cols).find((name) => isCurrency(name) && table.cols[name]?.type === 'text');
const CURRENCY = /(^|_)currency(_code)?$/;
// Nearly every name is another: the plain search is over before the expression begins.
const isCurrency = (name: string): boolean => name.includes('currency') && CURRENCY.test(name);

/** The codec of a column of `spec`; `table` is its table, where amounts are to be read in any currency its rows say. */
export const columnCodec = (spec: ServiceSpec, col: Column, table?: Table): Codec => {
  const codecs = keptFor(spec, table ? 'codecs with tables' : 'codecs', () => new Map<Column, Codec>());
  const known = codecs.get(col);
  if (known) return known;
  const ownCurrency = table !== undefined && currencyColumn(table) !== undefined;
  const codec = codecOf(spec.surface, { type: col.type, enum: col.enum, ownCurrency });
  codecs.set(col, codec);
  return codec;
};

/** A canonical value as the surface shows it. `row` gives an amount the currency of its row. */
export const encodeValue = (spec: ServiceSpec, col: Column, value: SqlValue, row?: Readonly<Row>): Json => {
  if (value === null) return null;
  const currency = row && Object.entries(row).find(([name]) => isCurrency(name))?.[1];
  return columnCodec(spec, col).encode(value, typeof currency === 'string' ? currency : undefined);
};

/** The canonical value of a surface value; null stays null. Throws `invalid_argument` (fault agent) when it is no such value. */
export const decodeValue = (spec: ServiceSpec, col: Column, json: Json): SqlValue =>
  json === null ? null : columnCodec(spec, col).decode(json);

export type RowFields = (row: Readonly<Row>) => { [key: string]: Json };

const place = (into: { [key: string]: Json }, path: readonly string[], value: Json): void => {
  let at = into;
  const last = path.length - 1;
  for (let i = 0; i < last; i++) {
    const key = path[i] as string;
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    if (typeof next === 'object' && next !== null && !Array.isArray(next)) at = next;
    else {
      const inner = {};
      at[key] = inner;
      at = inner;
    }
  }
  at[path[last] as string] = value;
};

/** Columns of a table that the surface shows, in their order. */
export const visibleColumns = (table: Table, cols?: readonly string[]): string[] =>
  (cols ?? Object.keys(table.cols)).filter((name) => table.cols[name] && !table.cols[name].hidden);

/** Writes rows of a table as objects of surface fields, hidden columns and `without` left out. */
export const rowFields = (
  spec: ServiceSpec,
  tableName: string,
  cols?: readonly string[],
  without?: string,
): RowFields => {
  const table = spec.tables[tableName] as Table;
  const currency = currencyColumn(table);
  const parts = visibleColumns(table, cols)
    .filter((name) => name !== without)
    .map((name) => {
      const col = table.cols[name] as Column;
      const codec = columnCodec(spec, col, table);
      const path = surfacePath(spec.surface.fields, name, col.field);
      return {
        name,
        path,
        codec,
        isPlain: codec.isPlain === true,
        money: col.type === 'money' && currency !== undefined,
      };
    });
  const shown = (row: Readonly<Row>, { name, codec, isPlain, money }: (typeof parts)[number]): Json => {
    const value = row[name] ?? null;
    if (isPlain || value === null) return value;
    const own = money ? row[currency as string] : undefined;
    return codec.encode(value, typeof own === 'string' ? own : undefined);
  };
  if (parts.every(({ path }) => path.length === 1)) {
    const make = rowMaker<Json>(parts.map(({ path }) => path[0] as string));
    const values: Json[] = new Array(parts.length).fill(null);
    return (row) => {
      for (let i = 0; i < parts.length; i++) values[i] = shown(row, parts[i] as (typeof parts)[number]);
      return make(values);
    };
  }
  return (row) => {
    const out: { [key: string]: Json } = {};
    for (const part of parts) place(out, part.path, shown(row, part));
    return out;
  };
};

/** The table named, or `unknown_table`. */
export const tableOf = (spec: ServiceSpec, name: string): Table => {
  const table = Object.hasOwn(spec.tables, name) ? spec.tables[name] : undefined;
  if (table) return table;
  const next = `Its tables are ${Object.keys(spec.tables).join(', ')}.`;
  throw new TreadleError({
    code: 'unknown_table',
    message: `Service ${spec.id} has no table ${name}`,
    value: name,
    next,
  });
};
