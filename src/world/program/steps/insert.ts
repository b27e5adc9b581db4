/** insert: one row with its id, automatic columns and defaults; binds the row as it is stored. */
import type { PlainStep } from '../../../artifacts/step.js';
import type { Column, IdStyle, Table } from '../../../artifacts/table.js';
import { rowMaker } from '../../../kit/rows.js';
import { plural } from '../../../kit/words.js';
import { COUNTER_TABLE, quoted } from '../../ddl.js';
import { capacityOf, idOf } from '../../ids.js';
import type { SqlValue } from '../../state/types.js';
import { canonicalLiteral } from '../../surface/args.js';
import { AgentError } from '../../surface/value.js';
import { storedIn } from '../convert.js';
import type { CompiledStep, Run } from '../run.js';
import { bind, defect, type Scope, stepTable } from '../scope.js';
import { shownArg } from '../show.js';
import { compileTarget, type Target } from '../where.js';

export type InsertStep = Extract<PlainStep, { insert: unknown }>;

// An upsert that returns its number would be one statement, and cost more than these two: it writes its answer to a table first.
const COUNTED = `SELECT rowid AS "at", "n" FROM ${quoted(COUNTER_TABLE)} WHERE "name" = ?`;
const COUNT_ON = `UPDATE ${quoted(COUNTER_TABLE)} SET "n" = ? WHERE rowid = ?`;
const FIRST = `INSERT INTO ${quoted(COUNTER_TABLE)} ("name", "n") VALUES (?, 1)`;

/** The next number of a counter, from 1. A transaction that follows another one of this session's knows where it stood. */
const count = (run: Run, name: string): number => {
  const { conn } = run;
  const noted = conn.notes?.get(name);
  const known = noted ? undefined : conn.prepare(COUNTED).get([name]);
  if (!noted && !known) {
    conn.prepare(FIRST).run([name]);
    return 1;
  }
  const rowid = noted ? noted.rowid : (known?.at as number);
  const next = (noted ? noted.value : (known?.n as number)) + 1;
  conn.prepare(COUNT_ON).run([next, rowid]);
  conn.notes?.set(name, { rowid, value: next });
  return next;
};

type Source = (run: Run) => SqlValue;

/** Keys of so few that they run out: those of rows that are gone are given out again. */
const FEW = 10_000;

/** The key of a new row where there are few: the first that is free. Throws `conflict` where none is. */
const freeKey = (scope: Scope, tableName: string, table: Table, gen: IdStyle, capacity: number): Source => {
  const { col } = table.key;
  const taken = `SELECT 1 AS "there" FROM ${quoted(tableName)} WHERE ${quoted(col)} = ?`;
  const { id } = scope.site.spec;
  return (run) => {
    const secret = `${run.ctx.seed}/${id}/${tableName}`;
    const from = count(run, tableName);
    for (let tries = 0; tries < capacity; tries++) {
      const key = idOf(gen, secret, from + tries);
      if (!run.conn.prepare(taken).get([key])) return key;
    }
    const nouns = table.plural ?? plural(table.noun);
    throw new AgentError('conflict', `There can be only ${capacity} ${nouns}: every ${col} that one may have is taken`);
  };
};

/** What fills a column that the step does not set: its id, its automatic value, its default, or null. */
const fallbackOf = (scope: Scope, tableName: string, table: Table, name: string, col: Column): Source | undefined => {
  const { gen } = table.key;
  if (name === table.key.col && gen) {
    const { id } = scope.site.spec;
    const capacity = capacityOf(gen);
    if (capacity <= FEW) return freeKey(scope, tableName, table, gen, capacity);
    return (run) => idOf(gen, `${run.ctx.seed}/${id}/${tableName}`, count(run, tableName));
  }
  const stored = storedIn(col);
  switch (col.auto) {
    case 'now':
    case 'touch':
      return (run) => stored(run.ctx.now);
    case 'me':
      return (run) => run.ctx.me.email;
    case 'number': {
      const counter = `${tableName}.${name}`;
      return (run) => {
        const n = count(run, counter);
        return col.type === 'text' ? `${col.prefix ?? ''}${n}` : n;
      };
    }
  }
  if (col.default !== undefined) {
    const value = canonicalLiteral(col.default);
    return () => value;
  }
  return col.required || name === table.key.col ? undefined : () => null;
};

const missing = (scope: Scope, target: Target): ((run: Run) => AgentError) => {
  const name = target.value.arg === undefined ? target.name : shownArg(scope, target.value.arg);
  return () => new AgentError('missing_argument', `${name} is required`, name);
};

const sourceOf = (scope: Scope, tableName: string, name: string, target: Target | undefined): Source => {
  const table = stepTable(scope, tableName);
  const col = table.cols[name] as Column;
  const fallback = fallbackOf(scope, tableName, table, name, col);
  if (!target) {
    if (fallback) return fallback;
    throw defect(scope, 'bad_steps', `insert into ${tableName} must set ${name}: it is required and has no default`);
  }
  const must = (col.required ?? false) || name === table.key.col;
  if (must && target.value.nullable)
    throw defect(scope, 'bad_steps', `${tableName}.${name} is required, but its value may be null`);
  const absent = missing(scope, target);
  return (run) => {
    const value = target.read(run);
    if (value !== undefined) return value;
    if (fallback) return fallback(run);
    throw absent(run);
  };
};

export const compileInsert = (scope: Scope, { insert }: InsertStep): [CompiledStep, Scope] => {
  const table = stepTable(scope, insert.table);
  const targets = new Map(
    Object.entries(insert.set).map(([name, value]) => [name, compileTarget(scope, insert.table, name, value)]),
  );
  const sources = Object.keys(table.cols).map((name) => ({
    name,
    source: sourceOf(scope, insert.table, name, targets.get(name)),
  }));
  const names = sources.map(({ name }) => quoted(name)).join(', ');
  const made = rowMaker<SqlValue>(sources.map(({ name }) => name));
  const marks = sources.map(() => '?').join(', ');
  const sql = `INSERT INTO ${quoted(insert.table)} (${names}) VALUES (${marks})`;
  const bound =
    insert.as === undefined ? undefined : bind(scope, insert.as, { is: 'row', table: insert.table, maybe: false });
  return [
    {
      run: (run) => {
        const params: SqlValue[] = [];
        for (const { source } of sources) params.push(source(run));
        run.conn.prepare(sql).run(params);
        // STRICT tables without triggers store exactly what was bound, so the row need not be read again.
        if (bound) run.slots[bound[1]] = made(params);
      },
      plans: [{ sql, writes: insert.table }],
    },
    bound?.[0] ?? scope,
  ];
};
