/** Answers and errors in a service's envelopes. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Table } from '../../artifacts/table.js';
import type { Returns } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import { plural } from '../../kit/words.js';
import type { Row } from '../state/types.js';
import { pageOf, writeCursor } from './cursor.js';
import { keptFor } from './kept.js';
import { styled } from './naming.js';
import { compileTemplate, type Fill, placeholdersIn } from './template.js';
import { columnCodec, type RowFields, rowFields, tableOf } from './values.js';

/** One row in the surface's row template. */
export interface RowView {
  fields: RowFields;
  key(row: Readonly<Row>): Json;
  show(row: Readonly<Row>): Json;
}
export interface Paging {
  offset: number;
  limit: number;
  more: boolean;
  total?: number;
}

/** `$noun` and `$nouns` of a table. */
export const nounsOf = (spec: ServiceSpec, table: Table): { noun: string; nouns: string } => {
  const style = spec.surface.fields === 'asis' ? 'snake' : spec.surface.fields;
  return { noun: styled(style, table.noun), nouns: styled(style, table.plural ?? plural(table.noun)) };
};

/** The template compiled, once for a service where it is the surface's own. */
const fillOf = (spec: ServiceSpec, kind: 'one' | 'many' | 'done' | 'row', own?: Json): Fill =>
  own === undefined ? keptFor(spec, `fill ${kind}`, () => compileTemplate(spec.surface[kind])) : compileTemplate(own);

/** Whether the row template places the key itself. */
export const isKeyApart = (spec: ServiceSpec): boolean =>
  keptFor(spec, 'key apart', () => placeholdersIn(spec.surface.row).has('key'));

/** How rows of a table look, made once for all tools that show the same columns. */
export const rowView = (spec: ServiceSpec, table: string, cols?: readonly string[]): RowView =>
  keptFor(spec, `rows ${table} ${cols?.join() ?? '*'}`, () => rowViewOf(spec, table, cols));

/** A row template that places `$key` itself leaves the key column out of `$fields`. */
const rowViewOf = (spec: ServiceSpec, tableName: string, cols?: readonly string[]): RowView => {
  const table = tableOf(spec, tableName);
  const keyCol = table.key.col;
  const apart = isKeyApart(spec);
  const fields = rowFields(spec, tableName, cols, apart ? keyCol : undefined);
  const keyColumn = table.cols[keyCol];
  const codec = keyColumn && columnCodec(spec, keyColumn, table);
  const key = (row: Readonly<Row>): Json => {
    const value = row[keyCol] ?? null;
    return value === null || !codec ? value : codec.encode(value);
  };
  if (spec.surface.row === '$fields') return { fields, key, show: fields };
  const fill = fillOf(spec, 'row');
  const { noun, nouns } = nounsOf(spec, table);
  return { fields, key, show: (row) => fill({ noun, nouns, fields: fields(row), key: key(row) }) ?? {} };
};

/** The template around a tool's answer: its own envelope, else the surface's. */
export const envelopeOf = (spec: ServiceSpec, kind: 'one' | 'many' | 'done', returns?: Returns): Json =>
  returns?.envelope === undefined ? spec.surface[kind] : (returns.envelope as Json);

/** True when the answer needs the number of all rows. */
export const needsTotal = (envelope: Json): boolean => {
  const used = placeholdersIn(envelope);
  return used.has('total') || used.has('pages');
};

export interface AnswerView {
  row(row: Readonly<Row> | null): Json;
  rows(rows: readonly Readonly<Row>[], paging: Paging): Json;
  value(value: { [key: string]: Json }): Json;
  done(key: Json | undefined): Json;
}

/** Writes the answers of one tool: `table` is that of the rows it returns. */
export const answerView = (spec: ServiceSpec, table: string, returns?: Returns): AnswerView => {
  const view = rowView(spec, table, returns?.cols);
  const { noun, nouns } = nounsOf(spec, tableOf(spec, table));
  const own = returns?.envelope as Json | undefined;
  const one = fillOf(spec, 'one', own);
  const many = fillOf(spec, 'many', own);
  const done = fillOf(spec, 'done', own);
  const { paging: style } = spec.surface;
  // Writing a row is the dear part of most answers: it is written only in the forms that the envelope has a place for.
  const used =
    own === undefined ? keptFor(spec, 'in one', () => placeholdersIn(spec.surface.one)) : placeholdersIn(own);
  const [asRow, asFields, asKey] = [used.has('row'), used.has('fields'), used.has('key')];
  return {
    row: (row) => {
      if (row === null) return one({ noun, nouns, row: null, fields: null, key: null }) ?? {};
      const shown = asRow ? view.show(row) : undefined;
      const fields = asFields ? view.fields(row) : undefined;
      return one({ noun, nouns, row: shown, fields, key: asKey ? view.key(row) : undefined }) ?? {};
    },
    rows: (rows, { offset, limit, more, total }) =>
      many({
        noun,
        nouns,
        rows: rows.map(view.show),
        more,
        total,
        offset,
        size: limit,
        shown: rows.length,
        page: pageOf(style, offset, limit),
        cursor: more ? writeCursor(offset + rows.length) : undefined,
        pages: total === undefined ? undefined : Math.ceil(total / Math.max(1, limit)),
      }) ?? {},
    value: (value) => one({ noun, nouns, row: value, fields: value }) ?? {},
    done: (key) => done({ noun, nouns, key }) ?? {},
  };
};

export interface ErrorParts {
  code: string;
  message: string;
  status: number;
  field?: string | undefined;
}

/** An error in the surface's envelope. */
export const encodeError = (spec: ServiceSpec, { code, message, status, field }: ErrorParts): Json => {
  const fill = keptFor(spec, 'error', () => compileTemplate(spec.surface.error));
  return fill({ code, message, status, field }) ?? { code, message };
};

/** A row of a table as the surface shows it, hidden columns left out. Throws `unknown_table`. */
export const encodeRow = (spec: ServiceSpec, tableName: string, row: Readonly<Row>): Json =>
  rowView(spec, tableName).show(row);
