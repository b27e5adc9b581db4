/** CHECK constraints over finished rows, and ways to mend a row that breaks one. */
import type { Rng } from '../../kit/rng.js';
import type { Row, SqlValue } from '../state/types.js';
import { makeCell } from './cell.js';
import { fitValue } from './fit.js';
import { compileSql, holdsCheck, type SqlExpression } from './sql-expression.js';
import type { Handle, TablePlan, World } from './types.js';

export interface Check {
  text: string;
  holds: SqlExpression;
  /** Columns it names. */
  cols: string[];
}

/** The table's CHECKs that can be evaluated here. */
export const checksOf = (plan: TablePlan): Check[] =>
  (plan.table.check ?? []).flatMap((text) => {
    const holds = compileSql(text);
    const cols = Object.keys(plan.table.cols).filter((col) => new RegExp(`\\b${col}\\b`).test(text));
    return holds ? [{ text, holds, cols }] : [];
  });

export const brokenChecks = (checks: readonly Check[], row: Row): Check[] =>
  checks.filter(({ holds }) => !holdsCheck(holds, row));

const PAIR = /^\s*"?(\w+)"?\s*(<=|<|>=|>|<>|!=)\s*"?(\w+)"?\s*$/;

const swapped = (row: Row, a: string, b: string): Row => ({ ...row, [a]: row[b] ?? null, [b]: row[a] ?? null });

const candidates = (h: Handle, check: Check, fixed: ReadonlySet<string>, r: Rng): Row[] => {
  const out: Row[] = [];
  const { cols } = h.plan.table;
  const pair = PAIR.exec(check.text);
  if (pair) {
    const [, a = '', op = '', b = ''] = pair;
    const [x, y] = [h.row[a], h.row[b]];
    const free = !fixed.has(a) && !fixed.has(b);
    if (cols[a] && cols[b] && typeof x === 'number' && typeof y === 'number' && free) {
      const [low, high] = op.startsWith('<') ? [a, b] : [b, a];
      const times = cols[a]?.type === 'date' || cols[a]?.type === 'datetime';
      if (times) out.push(swapped(h.row, a, b), { ...h.row, [high]: Math.max(x, y) + 86_400, [low]: Math.min(x, y) });
      else
        out.push({ ...h.row, [low]: Math.floor(Math.max(0, h.row[high] as number) * r.unit()) }, swapped(h.row, a, b));
    }
  }
  for (const name of check.cols) {
    const column = cols[name];
    if (!column || fixed.has(name)) continue;
    const values: SqlValue[] = column.required ? [] : [null];
    if (typeof h.row[name] === 'number') values.push(0, 1, h.row[name] as number, column.min ?? 0, column.max ?? 100);
    for (const value of column.enum ?? []) values.push(value);
    for (const value of values) out.push({ ...h.row, [name]: value });
  }
  return out;
};

const inBounds = (h: Handle, row: Row, cols: readonly string[], r: Rng): boolean =>
  cols.every((name) => {
    const column = h.plan.table.cols[name];
    const value = row[name] ?? null;
    if (!column) return true;
    return value === null ? !column.required : fitValue(value, column, r) === value;
  });

/** Mends the row in place; false when nothing helped. */
export const repairRow = (
  w: World,
  h: Handle,
  checks: readonly Check[],
  fixed: ReadonlySet<string>,
  r: Rng,
): boolean => {
  for (let tries = 0; tries < 12; tries++) {
    const broken = brokenChecks(checks, h.row);
    const first = broken[0];
    if (!first) return true;
    const better = candidates(h, first, fixed, r).find(
      (row) => brokenChecks(checks, row).length < broken.length && inBounds(h, row, first.cols, r),
    );
    if (better) {
      for (const name of first.cols) h.row[name] = better[name] ?? null;
      continue;
    }
    for (const name of first.cols) {
      const col = h.plan.cols.find((each) => each.name === name);
      const ref = h.plan.refs.find((each) => each.cols.some((one) => one.col === name));
      const target = ref && !ref.deferred ? w.byKey.get(ref.target) : undefined;
      if (ref && target && target.handles.length > 1 && r.chance(0.6)) {
        const pick = r.pick(target.handles);
        h.meta.refs.set(ref.id, pick);
        for (const one of ref.cols) h.row[one.col] = pick.row[one.toCol] ?? null;
      } else if (col && !fixed.has(name) && name !== h.plan.table.key.col && !col.column.auto)
        h.row[name] = makeCell({ w, h, col, r });
    }
  }
  return brokenChecks(checks, h.row).length === 0;
};
