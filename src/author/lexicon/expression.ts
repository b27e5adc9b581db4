/**
 * Turns an entry's CEL into CEL over the real columns: roles resolved, nullable columns guarded, spans written out. An
 * expression that names a column, an argument or a function there is not is no expression: undefined, and its line is dropped.
 */
import type { Column, ColumnType, Table } from '../../artifacts/table.js';
import { isTime, parentColumn, columnOf as playerOf, readableOf } from './columns.js';
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
  /** A fraction is among its numbers. */
  isDouble: boolean;
  /** What its operands are: text, number, bool, json; undefined when it has none. */
  of: string | undefined;
}

/** Notes the arguments of an expression that was kept. */
export const keep = (made: Translated, scope: Scope): string => {
  for (const name of made.uses) {
    scope.used.add(name);
    scope.settled.add(name);
  }
  return made.cel;
};

/** What may stand in one expression: texts with texts, numbers and times with numbers. */
export const CLASS: Record<ColumnType | 'list', string> = {
  text: 'text',
  int: 'number',
  money: 'number',
  number: 'number',
  date: 'number',
  datetime: 'number',
  bool: 'bool',
  json: 'json',
  list: 'list',
};

/** An expression while it is read: what it named, and whether all of it is there. */
interface Reading {
  scope: Scope;
  it: Named | undefined;
  noTime: '0' | 'now';
  missing: boolean;
  needs: Set<string>;
  uses: Set<string>;
  types: ColumnType[];
  /** Types of all operands, arguments included. */
  operands: Set<ColumnType | 'list'>;
  classes: Set<string>;
  /** Role under which a column was read. */
  roles: Map<string, string>;
}

const fail = (reading: Reading): string => {
  reading.missing = true;
  return 'false';
};

const operand = (reading: Reading, type: ColumnType | 'list'): void => {
  reading.operands.add(type);
  reading.classes.add(CLASS[type]);
};

const columnIn = (table: Table, name: string): string | undefined =>
  name === 'id' ? table.key.col : name === 'parent' ? parentColumn(table) : readableOf(table, name);

const columnOf = (reading: Reading, owner: string, name: string): { path: string; col: Column } | undefined => {
  const table = owner === 'row' ? reading.scope.table : owner === 'it' ? reading.it?.table : undefined;
  const found = table && (owner === 'it' && name === 'parent' ? undefined : columnIn(table, name));
  if (!table || found === undefined) return undefined;
  const path = `${owner}.${found}`;
  // Two roles read from one column would cancel each other out.
  if ((reading.roles.get(path) ?? name) !== name) return undefined;
  reading.roles.set(path, name);
  return { path, col: table.cols[found] as Column };
};

const readHas = (reading: Reading, owner: string, name: string): string => {
  if (owner === 'args') {
    const offered = reading.scope.args.get(name);
    if (!offered) return 'false';
    reading.uses.add(offered.name);
    return offered.arg.required ? 'true' : `has(args.${offered.name})`;
  }
  const found = columnOf(reading, owner, name);
  if (!found) return 'false';
  return found.col.required === true ? 'true' : `(${found.path} != null)`;
};

const readPath = (reading: Reading, owner: string, name: string, nullTest: string | undefined): string => {
  const { scope } = reading;
  if (owner === 'args') {
    const offered = scope.args.get(name);
    if (!offered) return fail(reading);
    reading.uses.add(offered.name);
    operand(reading, offered.arg.type);
    if (!offered.arg.required) reading.needs.add(offered.name);
    return `args.${offered.name}${nullTest ?? ''}`;
  }
  if (owner === 'me') return `me.${name}`;
  if (owner === 'row' && scope.derived.has(name)) return name;
  const found = columnOf(reading, owner, name);
  if (!found) return fail(reading);
  if (nullTest) return found.col.required === true ? fail(reading) : `${found.path}${nullTest}`;
  reading.types.push(found.col.type);
  operand(reading, found.col.type);
  return guard(found.path, found.col, reading.noTime) ?? fail(reading);
};

const readWord = (reading: Reading, word: string): string => {
  const { scope } = reading;
  if (SPANS[word]) return SPANS[word];
  if (word === 'left' || word === 'amount') {
    reading.classes.add('number');
    if (scope.amountType) {
      reading.types.push(scope.amountType);
      operand(reading, scope.amountType);
    }
    return scope[word] ? word : fail(reading);
  }
  if (word === 'true' || word === 'false') reading.classes.add('bool');
  return WORDS.includes(word) ? word : fail(reading);
};

/** A choice between a fraction and a whole number has no type. */
const isMixedChoice = (text: string, operands: ReadonlySet<ColumnType | 'list'>): boolean =>
  text.includes(' ? ') &&
  operands.has('number') &&
  [...operands].some((type) => type !== 'number' && CLASS[type] === 'number');

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
  const reading: Reading = {
    scope,
    it,
    noTime,
    missing: false,
    needs: new Set(),
    uses: new Set(),
    types: [],
    operands: new Set(),
    classes: new Set(),
    roles: new Map(),
  };
  const cel = text.replace(TOKEN, (token, hasOwner, hasName, owner, name, nullTest) => {
    if (token.startsWith("'")) {
      reading.classes.add('text');
      return token;
    }
    if (hasOwner) return readHas(reading, hasOwner, hasName);
    if (owner) return readPath(reading, owner, name, nullTest);
    if (token.endsWith('(')) return FUNCTIONS.includes(token) ? token : fail(reading);
    return readWord(reading, token);
  });
  const bare = text.replace(/'[^']*'/g, '');
  if (/(?<![\w.])\d+\b|\bnow\b|[<>]|\s[-*/]\s|-\w/.test(bare)) reading.classes.add('number');
  const { missing, classes, operands, needs, uses, types } = reading;
  // Texts are not compared with numbers: a column of another type than the entry means is another column.
  if (missing || classes.size > 1 || isMixedChoice(text, operands)) return undefined;
  return {
    cel: simplified(cel),
    needs: [...needs],
    types,
    uses: [...uses],
    isDouble: operands.has('number'),
    of: [...classes][0],
  };
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
  const col = table && playerOf(table, found[2] as string);
  if (!table || col === undefined || table.cols[col]?.fk || table.cols[col]?.type !== 'text') return undefined;
  return text.replaceAll('me.id', callerFor(col));
};
