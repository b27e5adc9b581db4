/**
 * The statements behind `ctx.db`: each question's shape (its table, its columns, its operators) is compiled once, by the compilers
 * of the declared steps, and held against the tool's declared reads and writes; its values come from the question.
 */
import type { Condition, Value } from '../../artifacts/step.js';
import type { Column } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import type { Bound, CompiledStep } from '../program/run.js';
import { defect, type Scope, type Site, stepColumn, stepTable } from '../program/scope.js';
import { compileDelete } from '../program/steps/delete.js';
import { compileFind } from '../program/steps/find.js';
import { compileGet } from '../program/steps/get.js';
import { compileInsert } from '../program/steps/insert.js';
import { compileSql } from '../program/steps/sql.js';
import { compileUpdate } from '../program/steps/update.js';
import type { Connection } from '../state/connection.js';
import { assertDeclared, assertReads } from './contract.js';
import { misfit } from './fit.js';

type Values = { [name: string]: Json };

/** As prelude.ts asks; everything in it is as the tool gave it. */
export type RowAsk =
  | { do: 'get' | 'find' | 'insert' | 'update' | 'delete'; table: Json; where?: Json; set?: Json; options?: Json }
  | { do: 'query'; sql: Json; params?: Json };
export type FileAsk = { do: 'read' | 'list' | 'write' | 'move' | 'remove'; path?: Json; content?: Json; to?: Json };
export type Ask = RowAsk | FileAsk;

export const isFileAsk = (ask: Ask): ask is FileAsk => ['read', 'list', 'write', 'move', 'remove'].includes(ask.do);

export interface Shape {
  run: CompiledStep['run'];
  writes: boolean;
}

export interface Asked {
  /** Equal for questions that one shape serves. */
  key: string;
  make(conn: Connection): Shape;
  /** The values, by the names that the shape reads them under. */
  input: Bound;
}

/** A defect of the tool's code: it asks for what cannot be given. */
export const misused = (site: Site, why: string): TreadleError =>
  new TreadleError({
    code: 'code_error',
    message: `${site.spec.id}: ${site.toolName}: ${why}`,
    value: site.toolName,
    next: 'Mend the source of the tool.',
    fault: 'world',
  });

const IN = 'given';
const OUT = 'found';
const path = (name: string): Value => `$${IN}.${name}`;

const isObject = (value: Json | undefined): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compiles in a scope that knows the values; slot 0 holds them, slot 1 what the step binds. */
const scopeOf = (site: Site, at: string): Scope => ({
  site: { ...site, slots: { count: 1 } },
  at,
  names: new Map([[IN, { slot: 0, kind: { is: 'free' } }]]),
  facts: new Set(),
});

/** Gathers the values of a question and checks each against its column. */
class Question {
  readonly input: { [name: string]: Bound } = {};
  readonly scope: Scope;
  constructor(
    site: Site,
    readonly what: string,
    readonly table: string,
  ) {
    this.scope = scopeOf(site, `db.${what}`);
    stepTable(this.scope, table);
  }

  bad(why: string): never {
    throw misused(this.scope.site, `db.${this.what}: ${why}`);
  }

  object(value: Json | undefined, what: string): Values {
    return isObject(value)
      ? value
      : this.bad(`${what} must be an object, not ${JSON.stringify(value ?? null).slice(0, 60)}`);
  }

  column(name: string): Column {
    return stepColumn(this.scope, this.table, name);
  }

  give(name: string, value: Json): Value {
    const key = `v${Object.keys(this.input).length}`;
    const why = misfit(this.column(name), value);
    if (why) this.bad(`${this.table}.${name} ${why}`);
    this.input[key] = value as Bound;
    return path(key);
  }

  /** All columns equal; null means that there is no value. */
  equal(where: Json | undefined): Record<string, Value> {
    const entries = Object.entries(this.object(where, 'where'));
    if (entries.length === 0) this.bad('where must name a column');
    return Object.fromEntries(entries.map(([name, value]) => [name, this.scalar(name, value)]));
  }

  scalar(name: string, value: Json): Value {
    this.column(name);
    if (value === null) return null;
    if (typeof value === 'object') this.bad(`${this.table}.${name} must equal one value`);
    return this.give(name, value);
  }

  set(values: Json | undefined): Record<string, Value> {
    return Object.fromEntries(
      Object.entries(this.object(values, 'the row')).map(([name, value]) => [name, this.give(name, value)]),
    );
  }
}

const OPERATORS = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains', 'prefix', 'in']);

/** `{status: 'open', total: {gte: 5}, id: ['a', 'b'], due: null}` */
const conditionsOf = (question: Question, where: Json | undefined): Condition[] => {
  const one = (col: string, op: string, value: Json): Condition => {
    if (!OPERATORS.has(op)) question.bad(`there is no operator ${op.slice(0, 40)}: ${[...OPERATORS].join(', ')}`);
    if (value === null && (op === 'eq' || op === 'ne')) return { col, op: op === 'eq' ? 'is_null' : 'not_null' };
    if (op !== 'in') return { col, op: op as Condition['op'], value: question.scalar(col, value) };
    if (!Array.isArray(value)) return question.bad(`${col}: in wants a list`);
    for (const item of value) {
      const why = misfit(question.column(col), item);
      if (why) question.bad(`${question.table}.${col} ${why}`);
    }
    const key = `v${Object.keys(question.input).length}`;
    question.input[key] = value as Bound;
    return { col, op: 'in', value: path(key) };
  };
  return Object.entries(question.object(where ?? {}, 'where')).flatMap(([col, value]) => {
    question.column(col);
    if (Array.isArray(value)) return [one(col, 'in', value)];
    return isObject(value) ? Object.entries(value).map(([op, given]) => one(col, op, given)) : [one(col, 'eq', value)];
  });
};

/** `'-due'`, `'due'`, or a list of such. */
const orderOf = (question: Question, order: Json | undefined): { col: string; desc: boolean }[] =>
  [order ?? []].flat().map((each) => {
    if (typeof each !== 'string') return question.bad('order names columns, a leading - sorts downwards');
    const col = each.replace(/^-/, '');
    question.column(col);
    return { col, desc: each.startsWith('-') };
  });

const OPTIONS = new Set(['order', 'limit', 'offset']);

const findOf = (question: Question, where: Json | undefined, given: Json | undefined): Asked => {
  const options = question.object(given ?? {}, 'the options');
  const stray = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (stray !== undefined) question.bad(`there is no option ${stray.slice(0, 40)}: ${[...OPTIONS].join(', ')}`);
  const conditions = conditionsOf(question, where);
  const order = orderOf(question, options.order);
  const { table } = question;
  const counts = Object.fromEntries(
    ['limit', 'offset'].flatMap((name) => {
      const value = options[name] ?? undefined;
      if (value === undefined) return [];
      if (typeof value !== 'number') return question.bad(`${name} must be a number`);
      question.input[name] = value;
      return [[name, path(name)]];
    }),
  );
  const find = { table, where: conditions, order, ...counts, as: OUT };
  return asked(question, find, () => compileFind(question.scope, { find }));
};

const asked = (question: Question, shape: object, compile: () => [CompiledStep, Scope]): Asked => ({
  key: `${question.what} ${canonicalJson(shape)}`,
  input: question.input as Bound,
  make: () => {
    assertDeclared(question.scope.site, question.what, question.table, shape);
    const [{ run, plans }] = compile();
    return { run, writes: plans.some(({ writes }) => writes !== undefined) };
  },
});

const queryOf = (site: Site, sql: Json, given: Json | undefined): Asked => {
  const scope = scopeOf(site, 'db.query');
  if (typeof sql !== 'string') throw misused(site, 'db.query wants SQL as a text');
  const params = given ?? [];
  if (!Array.isArray(params) || params.some((value) => typeof value === 'object' && value !== null))
    throw misused(site, 'db.query wants its parameters as a list of texts, numbers, booleans and nulls');
  const input = Object.fromEntries(params.map((value, i) => [`v${i}`, value]));
  return {
    key: `query ${params.length} ${sql}`,
    input: input as Bound,
    make: (conn) => {
      const [{ run }] = compileSql(scope, { sql: { query: sql, params: Object.keys(input).map(path), as: OUT } });
      assertReads(site, conn, sql);
      return { run, writes: false };
    },
  };
};

/** Reads a question. Throws `code_error`, `unknown_table` or `unknown_column` (fault world) for one that is wrong. */
export const shapeOf = (site: Site, ask: RowAsk): Asked => {
  if (ask.do === 'query') return queryOf(site, ask.sql, ask.params);
  if (!('table' in ask) || typeof ask.table !== 'string') throw misused(site, `db.${ask.do} wants the name of a table`);
  const { table } = ask;
  const question = new Question(site, ask.do, table);
  const { scope } = question;
  switch (ask.do) {
    case 'get': {
      const get = { table, where: question.equal(ask.where), as: OUT };
      return asked(question, get, () => compileGet(scope, { get }));
    }
    case 'find':
      return findOf(question, ask.where, ask.options);
    case 'insert': {
      const insert = { table, set: question.set(ask.set), as: OUT };
      return asked(question, insert, () => compileInsert(scope, { insert }));
    }
    case 'update': {
      const update = { table, where: question.equal(ask.where), set: question.set(ask.set), as: OUT };
      return asked(question, update, () => compileUpdate(scope, { update }));
    }
    case 'delete': {
      const gone = { table, where: question.equal(ask.where) };
      return asked(question, gone, () => compileDelete(scope, { delete: gone }));
    }
    default:
      throw defect(scope, 'code_error', 'there is no such question');
  }
};
