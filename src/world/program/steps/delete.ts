/** delete: removes the rows that match; rows that still refer to them stop it. */
import type { PlainStep } from '../../../artifacts/step.js';
import { quoted } from '../../ddl.js';
import type { CompiledStep } from '../run.js';
import type { Scope } from '../scope.js';
import { compileWhere } from '../where.js';

export type DeleteStep = Extract<PlainStep, { delete: unknown }>;

export const compileDelete = (scope: Scope, step: DeleteStep): [CompiledStep, Scope] => {
  const { table } = step.delete;
  const where = compileWhere(scope, table, step.delete.where);
  const sql = `DELETE FROM ${quoted(table)} WHERE ${where.sql}`;
  return [
    {
      run: (run) => {
        run.conn.prepare(sql).run(where.params(run));
      },
      plans: [{ sql, writes: table }],
    },
    scope,
  ];
};
