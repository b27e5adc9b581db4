/** Small changes of one row that may make an invariant true: another partner, another state, another value. */

import { DAY, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { Row, SqlValue } from '../state/types.js';
import { makeCell } from './cell.js';
import { brokenChecks, checksOf } from './checks.js';
import type { Rule, Violation } from './invariants.js';
import { refreshLife, setStatus } from './life.js';
import type { Handle, Meta, RefGroup, TablePlan, World } from './types.js';

/** Applies a change and hands back how to take it back; undefined when it could not be made. */
export interface Move {
  plan: TablePlan;
  apply: () => (() => void) | undefined;
}

const guarded = (h: Handle, change: () => boolean): Move => ({
  plan: h.plan,
  apply: () => {
    const row: Row = { ...h.row };
    const meta: Meta = { ...h.meta, refs: new Map(h.meta.refs), staff: new Map(h.meta.staff), path: [...h.meta.path] };
    const undo = (): void => {
      for (const name of Object.keys(h.row)) h.row[name] = row[name] ?? null;
      Object.assign(h.meta, meta);
    };
    if (change() && sound(h)) return undo;
    undo();
    return undefined;
  },
});

/** Whether the row still meets its CHECKs, its bounds for null and its unique columns. */
const sound = (h: Handle): boolean => {
  const { plan, row } = h;
  if (brokenChecks(checksOf(plan), row).length > 0) return false;
  for (const col of plan.cols) if (col.column.required && (row[col.name] ?? null) === null) return false;
  const sets = [...plan.cols.filter((col) => col.unique).map((col) => [col.name]), ...(plan.table.unique ?? [])];
  return sets.every(
    (set) =>
      set.some((name) => row[name] === null) ||
      !plan.handles.some((other) => other !== h && set.every((name) => other.row[name] === row[name])),
  );
};

const refOf = (h: Handle, col: string): RefGroup | undefined =>
  h.plan.refs.find((ref) => ref.cols.some((one) => one.col === col));

const point = (h: Handle, ref: RefGroup, to: Handle | undefined): boolean => {
  if (!to && !ref.optional) return false;
  if (to) h.meta.refs.set(ref.id, to);
  else h.meta.refs.delete(ref.id);
  for (const { col, toCol } of ref.cols) h.row[col] = to?.row[toCol] ?? null;
  return true;
};

/** Whether another row can do without this one: a state that verbs speak of keeps two rows. */
const spared = ({ plan, meta }: Handle): boolean =>
  plan.handles.filter((other) => other.meta.status === meta.status).length > 2;

/** Who wrote or reads a text stands in it: another colleague, another text. */
const rewritten = (w: World, h: Handle, ref: RefGroup, to: Handle, r: Rng): boolean => {
  if (ref.role !== 'staff') return true;
  h.meta.staff = new Map(h.meta.staff).set(ref.word, to);
  h.meta.extras = new Map([...h.meta.extras].filter(([key]) => key !== 'thread'));
  for (const rule of ['title', 'body_text']) {
    const col = h.plan.cols.find((each) => each.rule?.id === rule && !each.unique);
    if (col && h.plan.roles.has('body_text')) h.row[col.name] = makeCell({ w, h, col, r });
  }
  return true;
};

const inState = (w: World, h: Handle, state: string, r: Rng): Move =>
  guarded(h, () => {
    if (h.meta.status === state || !spared(h)) return false;
    setStatus(w, h, state, r);
    refreshLife(w, h, r);
    return true;
  });

/** States other than the row's, the nearest first. */
const states = (h: Handle): string[] => (h.plan.life?.states ?? []).filter((state) => state !== h.meta.status);

const CLAUSE =
  /(?:\b([tx])\.)?\b(\w+)\s*(<>|!=|<=|>=|=|<|>|\bis\s+not\s+null\b|\bis\s+null\b|\bin\b|\bbetween\b)\s*('[^']*'|:now|-?\d+(?:\.\d+)?|[tx]\.\w+|\([^)]*\))?/gi;

interface Wish {
  col: string;
  yes: SqlValue[];
  no: SqlValue[];
}

const literal = (text: string, w: World, other: Row | undefined): SqlValue | undefined => {
  if (text === ':now') return w.context.clock;
  if (text.startsWith("'")) return text.slice(1, -1);
  if (/^[tx]\./.test(text)) return other?.[text.slice(2)];
  return Number.isFinite(Number(text)) ? Number(text) : undefined;
};

const around = (op: string, value: SqlValue, time: boolean): { yes: SqlValue[]; no: SqlValue[] } => {
  if (typeof value !== 'number') return op === '=' ? { yes: [value], no: [] } : { yes: [], no: [value] };
  const step = time ? 6 * DAY : Math.max(1, Math.round(Math.abs(value) * 0.3));
  const low = time ? startOfDay(value - step) : Math.max(0, value - step);
  const high = time ? startOfDay(value + step) + DAY : value + step;
  if (op === '=') return { yes: [value], no: [high, low] };
  if (op === '<>' || op === '!=') return { yes: [high, low], no: [value] };
  return op.startsWith('<')
    ? { yes: op === '<=' ? [value, low] : [low], no: [high] }
    : { yes: op === '>=' ? [value, high] : [high], no: [low] };
};

/** What each comparison of a condition asks of `side`'s columns, as values that meet it and values that do not. */
const wishes = (w: World, plan: TablePlan, where: string, side: 't' | 'x', other: Row | undefined): Wish[] => {
  const out: Wish[] = [];
  for (const [, of, col = '', operator = '', right = ''] of where.matchAll(CLAUSE)) {
    const column = plan.table.cols[col];
    if ((of ?? side) !== side || !column || col === plan.life?.col) continue;
    const op = operator.toLowerCase().replace(/\s+/g, ' ');
    const time = column.type === 'date' || column.type === 'datetime';
    if (op === 'is null') out.push({ col, yes: [null], no: [] });
    else if (op === 'is not null') out.push({ col, yes: [], no: [null] });
    else if (op === 'in') {
      const items = [...right.matchAll(/'([^']*)'|(\d+)/g)].map((found) => found[1] ?? Number(found[2]));
      out.push({ col, yes: items, no: (column.enum ?? []).filter((value) => !items.includes(value)) });
    } else {
      const value = literal(right, w, other);
      if (value === undefined || value === null) continue;
      const made = around(op, value, time);
      if (typeof value === 'string' && column.enum)
        (op === '=' ? made.no : made.yes).push(...column.enum.filter((each) => each !== value));
      out.push({ col, ...made });
    }
  }
  return out;
};

const settable = (h: Handle, col: string): boolean =>
  !refOf(h, col) && col !== h.plan.table.key.col && !h.plan.table.cols[col]?.auto;

const setting = (h: Handle, values: Record<string, SqlValue>): Move =>
  guarded(h, () => {
    for (const [col, value] of Object.entries(values)) {
      const column = h.plan.table.cols[col];
      if (!column || !settable(h, col)) return false;
      h.row[col] = column.type === 'date' && typeof value === 'number' ? startOfDay(value) : value;
    }
    return true;
  });

/** Moves that bring the row to meet (or miss) a condition: states first, then values, then both. */
function* toward(
  w: World,
  h: Handle,
  where: string,
  side: 't' | 'x',
  other: Row | undefined,
  meet: boolean,
  r: Rng,
): Iterable<Move> {
  const asked = wishes(w, h.plan, where, side, other);
  const first = Object.fromEntries(
    asked.flatMap((wish) => (wish.yes.length > 0 ? [[wish.col, wish.yes[0] as SqlValue]] : [])),
  );
  if (meet && asked.length > 0) yield setting(h, first);
  for (const state of states(h)) {
    yield inState(w, h, state, r);
    if (meet && Object.keys(first).length > 0)
      yield guarded(h, () => {
        setStatus(w, h, state, r);
        refreshLife(w, h, r);
        for (const [col, value] of Object.entries(first))
          if (settable(h, col))
            h.row[col] =
              h.plan.table.cols[col]?.type === 'date' && typeof value === 'number' ? startOfDay(value) : value;
        return true;
      });
  }
  for (const wish of asked) for (const value of meet ? wish.yes : wish.no) yield setting(h, { [wish.col]: value });
}

const MOST_PARTNERS = 12;

/** Other partners for the row's key column. */
function* partners(w: World, h: Handle, col: string, r: Rng): Iterable<Move> {
  const ref = refOf(h, col);
  const pool = ref ? (w.byKey.get(ref.target)?.handles ?? []) : [];
  if (!ref) return;
  const staff = pool[0]?.plan.staff ? w.active : pool;
  for (const to of r.sample(staff, MOST_PARTNERS))
    yield guarded(h, () => ![...h.meta.refs.values()].includes(to) && point(h, ref, to) && rewritten(w, h, ref, to, r));
  if (ref.optional) yield guarded(h, () => point(h, ref, undefined));
}

function* mendTargets(w: World, rule: Rule, violation: Violation, r: Rng): Iterable<Move> {
  const { key, target } = rule.invariant;
  const meet = target.expect === 'every';
  for (const x of violation.targets.slice(0, 3)) {
    yield* partners(w, x, key.target, r);
    yield* toward(w, x, target.where, 'x', violation.trigger.row, meet, r);
  }
}

/** A target asks for an amount of the trigger's: another partner that has one, and the trigger asks for that. */
function* matchAmount(w: World, rule: Rule, t: Handle, r: Rng): Iterable<Move> {
  const { key, target } = rule.invariant;
  const [, theirs, mine] = /x\.(\w+)\s*(?:>=|<=|=)\s*t\.(\w+)/.exec(target.where) ?? [];
  if (!theirs || !mine || !settable(t, mine)) return;
  const ref = refOf(t, key.trigger);
  for (const x of r.sample(rule.target.handles, 30)) {
    const value = x.row[theirs];
    if (typeof value !== 'number' || value <= 0) continue;
    yield guarded(t, () => {
      if (t.row[key.trigger] !== x.row[key.target]) {
        const to = ref
          ? w.byKey
              .get(ref.target)
              ?.handles.find((h) =>
                ref.cols.some(({ col, toCol }) => col === key.trigger && h.row[toCol] === x.row[key.target]),
              )
          : undefined;
        if (!ref || !to || !point(t, ref, to)) return false;
      }
      t.row[mine] = value;
      return true;
    });
  }
}

function* addTarget(w: World, rule: Rule, violation: Violation, r: Rng): Iterable<Move> {
  const { key, target } = rule.invariant;
  const wanted = violation.trigger.row[key.trigger] ?? null;
  for (const x of violation.targets.slice(0, 3)) yield* toward(w, x, target.where, 'x', violation.trigger.row, true, r);
  yield* matchAmount(w, rule, violation.trigger, r);
  if (wanted === null) return;
  for (const x of r.sample(rule.target.handles, 25)) {
    const ref = refOf(x, key.target);
    const toCol = ref?.cols.find(({ col }) => col === key.target)?.toCol;
    const to = ref && toCol ? w.byKey.get(ref.target)?.handles.find((h) => h.row[toCol] === wanted) : undefined;
    if (!ref || !to) continue;
    yield guarded(x, () => point(x, ref, to));
    const asked = wishes(w, x.plan, target.where, 'x', violation.trigger.row).filter((wish) => wish.yes.length > 0);
    if (asked.length === 0) continue;
    for (const state of [x.meta.status, ...states(x)])
      yield guarded(x, () => {
        if (state !== undefined && state !== x.meta.status) {
          if (!spared(x)) return false;
          setStatus(w, x, state, r);
          refreshLife(w, x, r);
        }
        for (const wish of asked) if (settable(x, wish.col)) x.row[wish.col] = wish.yes[0] as SqlValue;
        return point(x, ref, to);
      });
  }
}

export const movesFor = {
  /** Mends one violation: the target's partner or state, else the trigger's. */
  *mend(w: World, rule: Rule, violation: Violation, r: Rng): Iterable<Move> {
    if (rule.invariant.target.expect === 'at_least_one') yield* addTarget(w, rule, violation, r);
    else yield* mendTargets(w, rule, violation, r);
    yield* partners(w, violation.trigger, rule.invariant.key.trigger, r);
    yield* toward(w, violation.trigger, rule.invariant.trigger.where, 't', undefined, false, r);
  },
  /** Makes a row fire the rule. */
  *trigger(w: World, rule: Rule, r: Rng): Iterable<Move> {
    for (const t of r.sample(rule.trigger.handles, 15))
      yield* toward(w, t, rule.invariant.trigger.where, 't', undefined, true, r);
  },
};
