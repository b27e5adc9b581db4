/**
 * get: one row by equality, or its refusal. Without `else` the name is bound to null when there is none; a foreign key that is
 * not null always finds its row.
 */
import type { PlainStep } from '../../../artifacts/step.js';
import { quoted } from '../../ddl.js';
import { compileAbsence } from '../refuse.js';
import type { CompiledStep } from '../run.js';
import { bind, type Scope, stepTable } from '../scope.js';
import { compileWhere } from '../where.js';

export type GetStep = Extract<PlainStep, { get: unknown }>;

export const compileGet = (scope: Scope, { get }: GetStep): [CompiledStep, Scope] => {
  const table = stepTable(scope, get.table);
  const where = compileWhere(scope, get.table, get.where);
  const tail = get.where[table.key.col] === undefined ? ` ORDER BY ${quoted(table.key.col)} LIMIT 1` : '';
  const sql = `SELECT * FROM ${quoted(get.table)} WHERE ${where.sql}${tail}`;
  const absence = get.else && compileAbsence(scope, get.table, where, get.else);
  const [first] = where.targets;
  const follows =
    where.targets.length === 1 &&
    first?.name === table.key.col &&
    first.value.arg === undefined &&
    first.value.column?.fk === get.table &&
    !first.value.nullable;
  const [after, slot] = bind(scope, get.as, { is: 'row', table: get.table, maybe: !get.else && !follows });
  return [
    {
      run: (run) => {
        const row = run.conn.prepare(sql).get(where.params(run)) ?? null;
        if (row === null && absence) throw absence(run);
        run.slots[slot] = row;
      },
      plans: [{ sql }],
    },
    after,
  ];
};
