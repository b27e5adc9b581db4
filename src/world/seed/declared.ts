/** What the tools' own steps say of new rows: what they take over from the row they are made for, and what that row must be. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { SqlValue } from '../state/types.js';
import { toolsOf } from '../tools-of.js';
import type { Handle, TablePlan } from './types.js';

/** Column of the new row -> the reference it follows and the column there. */
type Taken = ReadonlyMap<string, { ref: string; from: string }>;

/** The row behind the reference must have had one of the values. */
interface Wanted {
  ref: string;
  col: string;
  values: readonly SqlValue[];
}

interface Declared {
  taken: Taken;
  wanted: readonly Wanted[];
}

const FIELD = /^\$(\w+)\.(\w+)$/;
const EQUALS = /^(\w+)\.(\w+) == '([^']*)'$/;
const AMONG = /^(\w+)\.(\w+) in \[([^\]]*)\]$/;
const TRUE = /^(\w+)\.(\w+)$/;

/** `x.kind == 'burial'`, `x.kind in ['a', 'b']`, `x.signed`: the name bound, the column and the values that will do. */
const conditionOf = (text: string): { name: string; col: string; values: SqlValue[] } | undefined => {
  const [, name, col, value] = EQUALS.exec(text) ?? [];
  if (name && col && value !== undefined) return { name, col, values: [value] };
  const [, other, its, list] = AMONG.exec(text) ?? [];
  if (other && its && list !== undefined)
    return { name: other, col: its, values: list.split(',').map((each) => each.trim().replace(/^'|'$/g, '')) };
  const [, flagged, flag] = TRUE.exec(text) ?? [];
  return flagged && flag ? { name: flagged, col: flag, values: [1] } : undefined;
};

const readCreator = (steps: readonly Step[], table: string, wanted: Wanted[]): void => {
  const insert = steps.flatMap((step) => ('insert' in step && step.insert.table === table ? [step.insert] : []))[0];
  if (!insert) return;
  const bound = new Map<string, string>();
  for (const step of steps) {
    if (!('get' in step)) continue;
    const value = Object.values(step.get.where)[0];
    const ref = Object.entries(insert.set).find(([, set]) => set === value)?.[0];
    if (ref && step.get.as) bound.set(step.get.as, ref);
  }
  for (const step of steps)
    if ('require' in step)
      for (const { that } of [step.require].flat()) {
        const condition = conditionOf(that);
        const ref = condition && bound.get(condition.name);
        if (condition && ref) wanted.push({ ref, col: condition.col, values: condition.values });
      }
};

type Inserts = { by: string; set: Readonly<Record<string, unknown>> }[];

const inserts = new WeakMap<ServiceSpec, Map<string, Inserts>>();

/** By the table that gets the row, in the order of the tools. */
const insertsOf = (spec: ServiceSpec): Map<string, Inserts> => {
  const found = inserts.get(spec);
  if (found) return found;
  const made = new Map<string, Inserts>();
  for (const { steps = [], table } of Object.values(spec.tools))
    for (const step of steps)
      if ('insert' in step) {
        const list = made.get(step.insert.table) ?? [];
        list.push({ by: table, set: step.insert.set });
        made.set(step.insert.table, list);
      }
  inserts.set(spec, made);
  return made;
};

/** What tools of other tables take over from the row that they make one for. */
const readInserts = (spec: ServiceSpec, table: string, taken: Map<string, never>): void => {
  const cols = spec.tables[table]?.cols ?? {};
  for (const insert of insertsOf(spec).get(table) ?? []) {
    if (insert.by === table) continue;
    const set = Object.entries(insert.set).flatMap(([col, value]) => {
      const [, name, from] = (typeof value === 'string' && FIELD.exec(value)) || [];
      return name && from ? [{ col, name, from }] : [];
    });
    const parent = set.find(({ col, from }) => cols[col]?.fk && from === spec.tables[cols[col]?.fk ?? '']?.key.col);
    if (!parent) continue;
    for (const { col, name, from } of set)
      if (name === parent.name && col !== parent.col && !cols[col]?.fk && !cols[col]?.unique && !cols[col]?.auto)
        taken.set(col, { ref: parent.col, from } as never);
  }
};

const known = new WeakMap<TablePlan, Declared>();

/** What is declared of rows of a table; read once. */
export const declaredOf = (plan: TablePlan): Declared => {
  const found = known.get(plan);
  if (found) return found;
  const taken = new Map<string, never>();
  const wanted: Wanted[] = [];
  for (const { steps = [] } of toolsOf(plan.service, plan.name)) readCreator(steps, plan.name, wanted);
  readInserts(plan.service, plan.name, taken);
  const made: Declared = { taken, wanted };
  known.set(plan, made);
  return made;
};

/** The value a column takes over from the row behind it; undefined where it takes none. */
export const takenOver = (h: Handle, col: string): SqlValue | undefined => {
  const { taken } = declaredOf(h.plan);
  const source = taken.get(col);
  const parent = source ? h.meta.refs.get(source.ref) : undefined;
  return parent ? (parent.row[source?.from ?? ''] ?? undefined) : undefined;
};

/** Whether a row could have been made for the candidate: it is, or was, as the creating tool asks. */
export const couldBeMadeFor = (h: Handle, ref: string, candidate: Handle): boolean =>
  declaredOf(h.plan).wanted.every(({ ref: of, col, values }) => {
    if (of !== ref) return true;
    const { life } = candidate.plan;
    if (col !== life?.col) return values.includes(candidate.row[col] ?? null);
    return (
      values.includes(candidate.meta.status ?? null) ||
      values.includes(life.initial) ||
      candidate.meta.path.some(({ to }) => values.includes(to))
    );
  });
