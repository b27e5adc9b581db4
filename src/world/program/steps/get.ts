/**
 * get: one row by equality, or its refusal. Without `else` the name is bound to null when there is none; a foreign key that is
 * not null always finds its row.
 */
import type { PlainStep } from '../../../artifacts/step.js';
import type { Table } from '../../../artifacts/table.js';
import { quoted } from '../../ddl.js';
import { compileAbsence } from '../refuse.js';
import type { CompiledStep } from '../run.js';
import { type Binding, bind, type Scope, stepTable } from '../scope.js';
import { compileWhere } from '../where.js';

export type GetStep = Extract<PlainStep, { get: unknown }>;

/** The columns that somebody reads, in the table's order: all of them, or the key where only its being there counts. */
const selected = ({ cols, key }: Table, { reads }: Binding): string => {
  if (!reads || reads.has('*')) return '*';
  const read = Object.keys(cols).filter((name) => reads.has(name));
  return (read.length > 0 ? read : [key.col]).map(quoted).join(', ');
};

export const compileGet = (scope: Scope, { get }: GetStep): [CompiledStep, Scope] => {
  const table = stepTable(scope, get.table);
  const where = compileWhere(scope, get.table, get.where);
  const tail = get.where[table.key.col] === undefined ? ` ORDER BY ${quoted(table.key.col)} LIMIT 1` : '';
  const from = `FROM ${quoted(get.table)} WHERE ${where.sql}${tail}`;
  const whole = `SELECT * ${from}`;
  const absence = get.else && compileAbsence(scope, get.table, where, get.else);
  const [first] = where.targets;
  const follows =
    where.targets.length === 1 &&
    first?.name === table.key.col &&
    first.value.arg === undefined &&
    first.value.column?.fk === get.table &&
    !first.value.nullable;
  const [after, slot] = bind(scope, get.as, { is: 'row', table: get.table, maybe: !get.else && !follows });
  const bound = after.names.get(get.as) as Binding;
  // The steps that read it are compiled after this one.
  let sql = scope.site.knowsReaders ? undefined : whole;
  return [
    {
      run: (run) => {
        sql ??= `SELECT ${selected(table, bound)} ${from}`;
        const row = run.conn.prepare(sql).get(where.params(run)) ?? null;
        if (row === null && absence) throw absence(run);
        run.slots[slot] = row;
      },
      plans: [{ sql: whole }],
    },
    after,
  ];
};
