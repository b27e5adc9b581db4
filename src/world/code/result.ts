/** What a code tool returned, made to fit what the tool says it returns. */
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { storedIn } from '../program/convert.js';
import type { Bound, Run } from '../program/run.js';
import type { Row } from '../state/types.js';
import { DEFAULT_LIMIT } from '../surface/decode.js';
import type { CodeTool } from './code-tool.js';
import { misfit } from './fit.js';

const DEEPEST = 24;
const MOST_ROWS = 1_000;

const unusable = (code: CodeTool, why: string): TreadleError =>
  new TreadleError({
    code: 'code_result',
    message: `The tool's result cannot be used: ${why}`,
    value: code.site.toolName,
    next: 'Return what the tool declares in its returns.',
    fault: 'world',
  });

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === 92) at++;
      else if (char === 34) inText = false;
    } else if (char === 34) inText = true;
    else if (char === 91 || char === 123) deepest = Math.max(deepest, ++depth);
    else if (char === 93 || char === 125) depth--;
  }
  return deepest;
};

const rowOf = (code: CodeTool, value: Json | undefined): Row => {
  const { spec, tool } = code.site;
  const table = code.returns.table ?? tool.table;
  const cols = spec.tables[table]?.cols ?? {};
  if (!isObject(value)) throw unusable(code, `it is no row of ${table}; fail('not_found', ...) where there is none`);
  const stray = Object.keys(value).find((name) => !Object.hasOwn(cols, name));
  if (stray !== undefined) throw unusable(code, `${table} has no column ${stray.slice(0, 60)}`);
  const row: Row = {};
  for (const [name, column] of Object.entries(cols)) {
    const given = value[name] ?? null;
    const why = misfit(column, given);
    if (why) throw unusable(code, `${table}.${name} ${why}`);
    row[name] = storedIn(column)(given as Bound);
  }
  if (row[spec.tables[table]?.key.col ?? ''] === null) throw unusable(code, `the row of ${table} has no key`);
  return row;
};

const count = (code: CodeTool, what: string, value: Json | undefined): number | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw unusable(code, `${what} is no count`);
};

/** Rows alone, or `{rows, more, total}` of a page; its offset and limit are those of the arguments. */
const rowsOf = (code: CodeTool, run: Run, value: Json | undefined): Row[] => {
  const page = isObject(value) ? value : { rows: value ?? null };
  if (!Array.isArray(page.rows)) throw unusable(code, 'it is no list of rows');
  if (page.rows.length > MOST_ROWS) throw unusable(code, `it has more than ${MOST_ROWS} rows`);
  const rows = page.rows.map((each) => rowOf(code, each));
  const paging = { offset: 0, limit: isObject(value) ? DEFAULT_LIMIT : rows.length };
  for (const [name, { arg }] of code.site.args) {
    const given = run.args[name];
    if (typeof given !== 'number') continue;
    if (arg.role === 'limit') paging.limit = given;
    if (arg.role === 'offset' || arg.role === 'page' || arg.role === 'cursor') paging.offset = given;
  }
  const total = count(code, 'total', isObject(value) ? page.total : rows.length);
  run.paging = { ...paging, more: page.more === true, ...(total !== undefined && { total }) };
  return rows;
};

/** Binds the result. Throws `code_result` (fault world) when it is not what the tool declares. */
export const resultOf = (code: CodeTool, run: Run, text: string): void => {
  if (depthOf(text) > DEEPEST) throw unusable(code, 'it is too deeply nested');
  const value = text === '' ? undefined : (JSON.parse(text) as Json);
  const { returns } = code;
  if (returns.row !== undefined) run.slots[0] = rowOf(code, value);
  else if (returns.rows !== undefined) run.slots[0] = rowsOf(code, run, value);
  else if (returns.value === undefined) run.slots[0] = null;
  else if (isObject(value)) run.slots[0] = value as Bound;
  else throw unusable(code, 'it is no object');
};
