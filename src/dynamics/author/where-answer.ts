/** Where in the results of a run the value stood that is answered: a field of a row, a field of every row, the number of rows. */
import type { AnswerSpec } from '../../artifacts/check.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Json } from '../../kit/hash.js';
import { currencyOf, sayValue } from '../../tasks/ground/say.js';
import { sayColumn } from '../../tasks/words/names.js';
import { judgeAnswer } from '../../verify/answer.js';
import type { WorldTool } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { surfacePath } from '../../world/surface/naming.js';
import { decodeValue } from '../../world/surface/values.js';
import { valueNow } from './same-row.js';

/** In the result of reference call `call`. */
export interface Place {
  call: number;
  form: 'field' | 'every' | 'count';
  /** Of the field; of the list, where it is about all of its rows. */
  path: string;
  /** Of every row. */
  field?: string;
  column?: { name: string; spec: ServiceSpec; table: Table; column: Column };
}

interface Leaf {
  path: string;
  value: Json;
}

/** Lists and leaves of a result with their paths. */
const walk = (
  value: Json | undefined,
  path: string,
  leaves: Leaf[],
  lists: { path: string; items: Json[] }[],
): void => {
  if (Array.isArray(value)) lists.push({ path, items: value });
  if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) walk(inner as Json, path ? `${path}.${key}` : key, leaves, lists);
  else if (value !== null && value !== undefined) leaves.push({ path, value });
};

const lastStep = (path: string): string => path.split('.').at(-1) ?? '';

/** The column that a tool shows under the last step of a path. */
export const columnAt = ({ service, tool }: WorldTool, path: string): Place['column'] => {
  const { spec } = service;
  const table = spec.tables[tool.tool.returns?.table ?? tool.tool.table];
  const found = Object.entries(table?.cols ?? {}).find(
    ([name, { field }]) => surfacePath(spec.surface.fields, name, field).at(-1) === lastStep(path),
  );
  return table && found ? { name: found[0], spec, table, column: found[1] } : undefined;
};

/** A value of a result in words, as a person would repeat it. */
const said = (value: Json, column: Place['column'], row?: Row): string => {
  if (column) {
    try {
      const stored = decodeValue(column.spec, column.column, value);
      return sayValue(column.column, stored, currencyOf(column.spec, column.table, row)) ?? '';
    } catch {
      // No value of that column: repeated as it stands.
    }
  }
  return typeof value === 'object' ? '' : String(value);
};

const isRight = (spec: AnswerSpec, words: string): boolean =>
  words !== '' && judgeAnswer({ ...spec, distractors: [] }, words).pass;

const fieldPlaces = (call: number, spec: AnswerSpec, leaves: readonly Leaf[], tool: WorldTool): Place[] =>
  leaves.flatMap(({ path, value }) => {
    const column = columnAt(tool, path);
    // A number that is no column's is a page or a total.
    if (!column && typeof value === 'number') return [];
    return isRight(spec, said(value, column))
      ? [{ call, form: 'field' as const, path, ...(column ? { column } : {}) }]
      : [];
  });

/** The row that a path leads into, as its own path. */
const rowOf = (path: string): string => path.replace(/^(.*(?:^|\.)\d+)\..*$/, '$1');

/** The only one of several; else the only one in a row that is bound, else the only one of a column that the question names. */
const single = (
  places: readonly Place[],
  { asks }: AnswerSpec,
  leaves: readonly Leaf[],
  keys: ReadonlySet<string>,
): Place | undefined => {
  if (places.length < 2) return places[0];
  const bound = new Set(leaves.flatMap(({ path, value }) => (keys.has(String(value)) ? [rowOf(path)] : [])));
  const own = places.filter(({ path }) => bound.has(rowOf(path)));
  const near = own.length > 0 ? own : places;
  const named = near.filter(({ column }) => column && asks.includes(sayColumn(column.name)));
  return near.length === 1 ? near[0] : named.length === 1 ? named[0] : undefined;
};

const everyPlace = (
  call: number,
  spec: AnswerSpec,
  lists: readonly { path: string; items: Json[] }[],
  tool: WorldTool,
): Place | undefined => {
  for (const { path, items } of lists) {
    const leaves: Leaf[] = [];
    walk(items[0], '', leaves, []);
    for (const { path: field } of leaves) {
      const column = columnAt(tool, field);
      const all = items.map((item) => said(valueNow(item, item, field) ?? null, column));
      if (all.length > 0 && isRight(spec, all.join(', ')))
        return { call, form: 'every', path, field, ...(column ? { column } : {}) };
    }
  }
  return undefined;
};

/**
 * Where the answer stood, the latest call first; undefined where it cannot be told. `keys`: of the rows that the task is about, as
 * results show them, by which one of several places is told from the others.
 */
export const placeOf = (
  spec: AnswerSpec,
  calls: readonly { n: number; tool: WorldTool; result: Json | undefined }[],
  keys: ReadonlySet<string>,
): Place | undefined => {
  for (const { n, tool, result } of [...calls].reverse()) {
    const leaves: Leaf[] = [];
    const lists: { path: string; items: Json[] }[] = [];
    walk(result, '', leaves, lists);
    if (spec.kind === 'list') {
      const place = everyPlace(n, spec, lists, tool);
      if (place) return place;
      continue;
    }
    const counted =
      spec.kind === 'number'
        ? lists.find(({ items }) => items.length > 1 && items.length === spec.expected)
        : undefined;
    if (counted) return { call: n, form: 'count', path: counted.path };
    const place = single(fieldPlaces(n, spec, leaves, tool), spec, leaves, keys);
    if (place) return place;
  }
  return undefined;
};

/** What stands there in another run, in words; undefined where it is not there. */
export const wordsAt = (place: Place, before: Json | undefined, now: Json | undefined): string | undefined => {
  const { form, path, field = '', column } = place;
  const value = valueNow(before, now, path);
  if (form === 'field') return value === undefined || value === null ? undefined : said(value, column);
  if (!Array.isArray(value)) return undefined;
  if (form === 'count') return String(value.length);
  return value.map((item) => said(valueNow(item, item, field) ?? null, column)).join(', ');
};

/** The stored value that a field shows in another run; undefined where it is not there or cannot be told. */
export const storedAt = (
  { form, path, column }: Place,
  before: Json | undefined,
  now: Json | undefined,
): SqlValue | undefined => {
  const value = form === 'field' && column ? valueNow(before, now, path) : undefined;
  if (value === undefined || !column) return undefined;
  try {
    return decodeValue(column.spec, column.column, value);
  } catch {
    return undefined;
  }
};
