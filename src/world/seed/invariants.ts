/** Makes cross-service invariants true at the start and gives each a row that triggers it, by small moves of single rows. */
import type { Invariant } from '../../artifacts/world.js';
import type { SqlValue } from '../state/types.js';
import { type Move, movesFor } from './invariant-moves.js';
import { compileSql, type SqlExpression, selects } from './sql-expression.js';
import type { Handle, TablePlan, World } from './types.js';

export interface Rule {
  invariant: Invariant;
  trigger: TablePlan;
  target: TablePlan;
  fires: SqlExpression;
  holds: SqlExpression;
}

/** A trigger row and the target rows that make the invariant false (none for a missing one). */
export interface Violation {
  trigger: Handle;
  targets: Handle[];
}

const compile = (w: World, invariant: Invariant): Rule | undefined => {
  const trigger = w.byKey.get(`${invariant.trigger.service}.${invariant.trigger.table}`);
  const target = w.byKey.get(`${invariant.target.service}.${invariant.target.table}`);
  const fires = compileSql(invariant.trigger.where);
  const holds = compileSql(invariant.target.where);
  if (!trigger || !target || !fires || !holds) return undefined;
  if (!trigger.table.cols[invariant.key.trigger] || !target.table.cols[invariant.key.target]) return undefined;
  return { invariant, trigger, target, fires, holds };
};

const look =
  (w: World, t: Handle, x?: Handle) =>
  (of: string, name: string): SqlValue | undefined =>
    of === ':'
      ? w.context.clock
      : of === 'x'
        ? x?.row[name]
        : of === 't' || x === undefined
          ? t.row[name]
          : x.row[name];

export const fires = (w: World, rule: Rule, t: Handle): boolean => selects(rule.fires, look(w, t));
export const matches = (w: World, rule: Rule, t: Handle, x: Handle): boolean => selects(rule.holds, look(w, t, x));

const tied = (rule: Rule): Map<SqlValue, Handle[]> => {
  const out = new Map<SqlValue, Handle[]>();
  for (const x of rule.target.handles) {
    const key = x.row[rule.invariant.key.target] ?? null;
    if (key === null) continue;
    const list = out.get(key);
    if (list) list.push(x);
    else out.set(key, [x]);
  }
  return out;
};

/** Every trigger row for which the invariant is false. */
export const violationsOf = (w: World, rule: Rule): Violation[] => {
  const byKey = tied(rule);
  const out: Violation[] = [];
  for (const t of rule.trigger.handles) {
    if (!fires(w, rule, t)) continue;
    const key = t.row[rule.invariant.key.trigger] ?? null;
    const targets = key === null ? [] : (byKey.get(key) ?? []);
    const { expect } = rule.invariant.target;
    if (expect === 'at_least_one') {
      if (!targets.some((x) => matches(w, rule, t, x))) out.push({ trigger: t, targets });
      continue;
    }
    const bad = targets.filter((x) => matches(w, rule, t, x) === (expect === 'none'));
    if (bad.length > 0) out.push({ trigger: t, targets: bad });
  }
  return out;
};

const triggers = (w: World, rule: Rule): Handle[] => rule.trigger.handles.filter((t) => fires(w, rule, t));

/** Violations of all rules that look at a table, and rules without a trigger: what a move must not make worse. */
const burden = (w: World, rules: readonly Rule[]): number => {
  let sum = 0;
  for (const rule of rules) {
    // Each wrong target counts: a row with two needs two moves, and the first must already be worth it.
    for (const { targets } of violationsOf(w, rule))
      sum += rule.invariant.target.expect === 'at_least_one' ? 1 : targets.length;
    if (triggers(w, rule).length === 0) sum += 3;
  }
  return sum;
};

const tryMoves = (w: World, rules: readonly Rule[], moves: Iterable<Move>, budget: { left: number }): boolean => {
  const plans = (move: Move): Rule[] => rules.filter((rule) => rule.trigger === move.plan || rule.target === move.plan);
  for (const move of moves) {
    if (budget.left-- <= 0) return false;
    const near = plans(move);
    const before = burden(w, near);
    const undo = move.apply();
    if (undo === undefined) continue;
    if (burden(w, near) < before) return true;
    undo();
  }
  return false;
};

/** Tries per world: enough for every rule of real worlds, and a bound for hopeless ones. */
const BUDGET = 1_500;

/** Compiles what can be; a condition outside our SQL subset is left to certification. */
export const settleInvariants = (w: World): void => {
  const rules = w.context.invariants.flatMap((invariant) => compile(w, invariant) ?? []);
  const budget = { left: BUDGET };
  for (let pass = 0; pass < 2; pass++)
    for (const rule of rules) {
      const r = w.rng.stream(`invariant ${rule.invariant.id} ${pass}`);
      if (triggers(w, rule).length === 0) tryMoves(w, rules, movesFor.trigger(w, rule, r), budget);
      for (let tries = 0; tries < 60; tries++) {
        const [violation] = violationsOf(w, rule);
        if (!violation || !tryMoves(w, rules, movesFor.mend(w, rule, violation, r), budget)) break;
      }
    }
};
