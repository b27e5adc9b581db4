/** update: sets columns of the rows that match; entries whose argument is absent are skipped, touch columns follow. */
import type { PlainStep } from '../../../artifacts/step.js';
import { quoted } from '../../ddl.js';
import type { SqlValue } from '../../state/types.js';
import { AgentError } from '../../surface/value.js';
import { storedIn } from '../convert.js';
import type { CompiledStep, Run } from '../run.js';
import { bind, defect, type Scope, stepTable } from '../scope.js';
import { shownArg } from '../show.js';
import { compileTarget, compileWhere, type Target } from '../where.js';

export type UpdateStep = Extract<PlainStep, { update: unknown }>;

const compileSet = (scope: Scope, { update }: UpdateStep): Target[] => {
  const table = stepTable(scope, update.table);
  return Object.entries(update.set).map(([name, value]) => {
    const target = compileTarget(scope, update.table, name, value);
    if (name === table.key.col) throw defect(scope, 'bad_steps', `the key ${update.table}.${name} cannot be changed`);
    if (target.column.required && target.value.nullable)
      throw defect(scope, 'bad_steps', `${update.table}.${name} is required, but its value may be null`);
    return target;
  });
};

/** Touch columns that the step does not set itself. */
const touches = (scope: Scope, { update }: UpdateStep): Target[] =>
  Object.entries(stepTable(scope, update.table).cols)
    .filter(([name, col]) => col.auto === 'touch' && update.set[name] === undefined)
    .map(([name, column]) => {
      const stored = storedIn(column);
      return { ...compileTarget(scope, update.table, name, '$now'), read: (run: Run) => stored(run.ctx.now) };
    });

export const compileUpdate = (scope: Scope, step: UpdateStep): [CompiledStep, Scope] => {
  const { update } = step;
  const table = stepTable(scope, update.table);
  const where = compileWhere(scope, update.table, update.where);
  const set = compileSet(scope, step);
  const touch = touches(scope, step);
  const head = `UPDATE ${quoted(update.table)} SET `;
  const tail = ` WHERE ${where.sql}`;
  const sqlFor = (targets: readonly Target[]): string =>
    `${head}${[...targets, ...touch].map(({ name }) => `${quoted(name)} = ?`).join(', ')}${tail}`;
  const full = sqlFor(set);
  const key = quoted(table.key.col);
  const byKey = where.targets.length === 1 && where.targets[0]?.name === table.key.col;
  const select = `SELECT * FROM ${quoted(update.table)} WHERE ${key} = ?`;
  const find = `SELECT ${key} FROM ${quoted(update.table)}${tail} LIMIT 2`;
  const bound =
    update.as === undefined ? undefined : bind(scope, update.as, { is: 'row', table: update.table, maybe: !byKey });

  const names = set.map(({ name, value }) => (value.arg === undefined ? name : shownArg(scope, value.arg)));
  const nothing =
    scope.site.tool.op === 'update'
      ? () => new AgentError('invalid_argument', `Nothing to change: give at least one of ${names.join(', ')}`)
      : undefined;
  const change = (run: Run, filter: readonly SqlValue[]): void => {
    const params: SqlValue[] = [];
    const present: Target[] = [];
    for (const target of set) {
      const value = target.read(run);
      if (value === undefined) continue;
      present.push(target);
      params.push(value);
    }
    if (present.length === 0) {
      if (nothing) throw nothing();
      return;
    }
    for (const target of touch) params.push(target.read(run) as SqlValue);
    params.push(...filter);
    run.conn.prepare(present.length === set.length ? full : sqlFor(present)).run(params);
  };
  /** The key of the single row to change, where the condition is not the key itself. */
  const onlyKey = (run: Run, filter: readonly SqlValue[]): SqlValue => {
    const found = run.conn.prepare(find).all(filter);
    return found.length === 1 ? (found[0]?.[table.key.col] ?? null) : null;
  };
  return [
    {
      run: (run) => {
        const filter = where.params(run);
        const rowKey = bound && (byKey ? (filter[0] as SqlValue) : onlyKey(run, filter));
        change(run, filter);
        if (bound) run.slots[bound[1]] = run.conn.prepare(select).get([rowKey ?? null]) ?? null;
      },
      plans: [{ sql: full, writes: update.table }, ...(bound ? [{ sql: select }] : [])],
    },
    bound?.[0] ?? scope,
  ];
};
