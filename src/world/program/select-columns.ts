/** Which columns the results of a SELECT are like, so that a sum of amounts is shown as an amount. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column } from '../../artifacts/table.js';

/** Splits at commas that no parenthesis or quote encloses. */
const items = (list: string): string[] => {
  const out: string[] = [''];
  let depth = 0;
  let quote = '';
  for (const char of list) {
    if (quote) quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    if (char === ',' && depth === 0 && !quote) out.push('');
    else out[out.length - 1] += char;
  }
  return out;
};

/** The list between SELECT and the FROM on its own level. */
const selected = (query: string): string | undefined => {
  const start = /^\s*select\s+(distinct\s+)?/i.exec(query)?.[0].length;
  if (start === undefined) return undefined;
  let depth = 0;
  for (let at = start; at < query.length; at++) {
    if (query[at] === '(') depth++;
    else if (query[at] === ')') depth--;
    else if (depth === 0 && /^\sfrom\s/i.test(query.slice(at, at + 6))) return query.slice(start, at);
  }
  return query.slice(start);
};

/** SQLite makes JSON there, alone or as the one result of a SELECT in parentheses. */
const MAKES_JSON = /^\s*(?:\(\s*select\s+)?json(?:_(?:group_)?(?:array|object))?\s*\((?!.*->)/is;

const like = (columns: ReadonlyMap<string, Column>, expression: string): Column | undefined => {
  const plain = /^\s*(?:\w+\.)?(\w+)\s*$/.exec(expression)?.[1];
  if (plain !== undefined) return columns.get(plain);
  const extreme = /^\s*(?:min|max)\s*\(\s*(?:\w+\.)?(\w+)\s*\)\s*$/i.exec(expression)?.[1];
  if (extreme !== undefined) return columns.get(extreme);
  if (MAKES_JSON.test(expression)) return { type: 'json' };
  if (/['"]|\bcount\s*\(|\/|\bavg\s*\(|\bcase\b/i.test(expression)) return undefined;
  const named = [...expression.matchAll(/\b[a-z_]\w*\b/gi)].map(([name]) => columns.get(name)).filter(Boolean);
  const isMoney = named.some((column) => column?.type === 'money');
  return isMoney && named.every((column) => column?.type === 'money' || column?.type === 'int')
    ? { type: 'money' }
    : undefined;
};

/**
 * By result name, the column it is like: a column itself, its least or greatest, a sum of amounts, or JSON made there. A name that stands for
 * different columns in the tables of the query is left out.
 */
export const selectColumns = (spec: ServiceSpec, query: string): ReadonlyMap<string, Column> => {
  const columns = new Map<string, Column>();
  const unsure = new Set<string>();
  for (const [name, { cols }] of Object.entries(spec.tables)) {
    if (!new RegExp(`\\b${name}\\b`).test(query)) continue;
    for (const [col, column] of Object.entries(cols)) {
      const other = columns.get(col);
      if (other && (other.type !== column.type || String(other.enum) !== String(column.enum))) unsure.add(col);
      columns.set(col, column);
    }
  }
  for (const col of unsure) columns.delete(col);
  const out = new Map<string, Column>();
  for (const item of items(selected(query) ?? '')) {
    const found = /^([\s\S]*?)\s+as\s+"?(\w+)"?\s*$/i.exec(item);
    const name = found?.[2] ?? /^\s*(?:\w+\.)?(\w+)\s*$/.exec(item)?.[1];
    const column = like(columns, found?.[1] ?? item);
    if (name !== undefined && column) out.set(name, column);
  }
  return out;
};
