/**
 * Turns an entry's CEL into CEL over the real columns: roles resolved, nullable columns guarded, spans written out. An
 * expression that names a column, an argument or a function there is not is no expression: undefined, and its line is dropped.
 */
import type { Column, ColumnType, Table } from '../../artifacts/table.js';
import { columnOf, isTime, parentColumn, readableOf } from './columns.js';
import type { Named, Scope } from './scope.js';

const SPANS: Record<string, string> = { hour: '3600', day: '86400' };
const ZERO: Record<ColumnType, string | undefined> = {
  text: "''",
  int: '0',
  money: '0',
  date: '0',
  datetime: '0',
  number: '0.0',
  bool: 'false',
  json: undefined,
};

/** CEL for the caller, as a column of this name stores people. */
export const callerFor = (col: string): string =>
  /name$/.test(col) ? 'me.name' : /_id$/.test(col) ? 'me.id' : 'me.email';

const guard = (path: string, col: Column, noTime: string): string | undefined => {
  if (col.required === true) return path;
  const zero = isTime(col) ? noTime : ZERO[col.type];
  return zero === undefined ? undefined : `(${path} == null ? ${zero} : ${path})`;
};

const TOKEN =
  /'(?:[^'\\]|\\.)*'|has\((row|it|args)\.(\w+)\)|\b(row|it|args|new|me|line)\.(\w+)(\s*(?:==|!=)\s*null)?|[A-Za-z_]\w*\(|[A-Za-z_]\w*/g;
const FUNCTIONS = ['size(', 'has('];
const WORDS = ['true', 'false', 'null', 'in', 'now'];

export interface Translated {
  cel: string;
  /** Optional arguments named outside a has(): the expression means nothing without them. */
  needs: string[];
  /** Types of the columns and amounts read, in order. */
  types: ColumnType[];
  /** Arguments named, by the tool's names. */
  uses: string[];
}

/** Notes the arguments of an expression that was kept. */
export const keep = (made: Translated, scope: Scope): string => {
  for (const name of made.uses) scope.used.add(name);
  return made.cel;
};

const CLASS: Record<ColumnType, string> = {
  text: 'text',
  int: 'number',
  money: 'number',
  number: 'number',
  date: 'number',
  datetime: 'number',
  bool: 'bool',
  json: 'json',
};

const columnIn = (table: Table, name: string): string | undefined =>
  name === 'id' ? table.key.col : name === 'parent' ? parentColumn(table) : readableOf(table, name);

/**
 * `text` over `row` and, in side rows, `it`. Undefined when it names anything that is not there. A time that is missing reads as
 * `noTime`: long past in a comparison, the present in a sum.
 */
export const translate = (
  text: string,
  scope: Scope,
  it?: Named,
  noTime: '0' | 'now' = '0',
): Translated | undefined => {
  let missing = false;
  const needs = new Set<string>();
  const types: ColumnType[] = [];
  const taken = new Map<string, string>();
  const uses = new Set<string>();
  const classes = new Set<string>();
  const fail = (): string => {
    missing = true;
    return 'false';
  };
  const column = (owner: string, name: string): { path: string; col: Column } | undefined => {
    const table = owner === 'row' ? scope.table : it?.table;
    const found = table && (owner === 'it' && name === 'parent' ? undefined : columnIn(table, name));
    if (!table || found === undefined) return undefined;
    // Two roles read from one column would cancel each other out.
    const role = taken.get(`${owner}.${found}`) ?? name;
    if (role !== name) return undefined;
    taken.set(`${owner}.${found}`, name);
    return { path: `${owner}.${found}`, col: table.cols[found] as Column };
  };
  const has = (owner: string, name: string): string => {
    if (owner === 'args') {
      const offered = scope.args.get(name);
      if (!offered) return 'false';
      uses.add(offered.name);
      return offered.arg.required ? 'true' : `has(args.${offered.name})`;
    }
    const found = column(owner, name);
    if (!found) return 'false';
    return found.col.required === true ? 'true' : `(${found.path} != null)`;
  };
  const path = (owner: string, name: string, isNullTest: string | undefined): string => {
    if (owner === 'args') {
      const offered = scope.args.get(name);
      if (!offered) return fail();
      uses.add(offered.name);
      classes.add(offered.arg.type === 'list' ? 'list' : CLASS[offered.arg.type]);
      if (!offered.arg.required) needs.add(offered.name);
      return `args.${offered.name}${isNullTest ?? ''}`;
    }
    if (owner === 'me') return `me.${name}`;
    if (owner === 'row' && scope.derived.has(name)) return name;
    const found = owner === 'new' || owner === 'line' ? undefined : column(owner, name);
    if (!found) return fail();
    if (isNullTest) return found.col.required === true ? fail() : `${found.path}${isNullTest}`;
    types.push(found.col.type);
    classes.add(CLASS[found.col.type]);
    return guard(found.path, found.col, noTime) ?? fail();
  };
  const cel = text.replace(TOKEN, (token, hasOwner, hasName, owner, name, isNullTest) => {
    if (token.startsWith("'")) {
      classes.add('text');
      return token;
    }
    if (hasOwner) return has(hasOwner, hasName);
    if (owner) return path(owner, name, isNullTest);
    if (token.endsWith('(')) return FUNCTIONS.includes(token) ? token : fail();
    if (SPANS[token]) return SPANS[token];
    if (token === 'left' || token === 'amount') {
      classes.add('number');
      if (scope.amountType) types.push(scope.amountType);
      return scope[token] ? token : fail();
    }
    return WORDS.includes(token) ? token : fail();
  });
  if (/(?<![\w.'])\d+\b/.test(text.replace(/'[^']*'/g, ''))) classes.add('number');
  // Texts are not compared with numbers: a column of another type than the entry means is another column.
  if (missing || classes.size > 1) return undefined;
  return { cel: simplified(cel), needs: [...needs], types, uses: [...uses] };
};

/** Drops what a known has() has decided: `!true || x` is x, `!false || x` holds always. */
const simplified = (cel: string): string => {
  const head = /^!(true|false) \|\| (.+)$/.exec(cel);
  if (head) return head[1] === 'true' ? (head[2] as string) : 'true';
  return cel;
};

/** A comparison of a column with the caller, whichever way that column names people; undefined for a foreign key. */
export const withCaller = (text: string, scope: Scope, it?: Named): string | undefined => {
  const found = /\b(row|it)\.(\w+) [!=]= me\.id/.exec(text);
  if (!found) return text;
  const table = found[1] === 'row' ? scope.table : it?.table;
  const col = table && columnOf(table, found[2] as string);
  if (!table || col === undefined || table.cols[col]?.fk || table.cols[col]?.type !== 'text') return undefined;
  return text.replaceAll('me.id', callerFor(col));
};
