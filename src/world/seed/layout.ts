/** Lays a table's rows out before any value is made: when each came to be, how far it has come, and what it points to. */
import type { Column } from '../../artifacts/table.js';
import { DAY, HOUR } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { capacityOf } from '../ids.js';
import { isBadEnd, type Life } from './effects.js';
import { addLoose, setStatus, writesRef } from './life.js';
import { stepOf } from './pace.js';
import { zoneOffset } from './places.js';
import { rowsWanted } from './plan.js';
import { chooseTarget, occasionOf, type Picker, pickerFor } from './references.js';
import { staffOf } from './staff.js';
import { atWork, towardsNow } from './time.js';
import type { Handle, TableKind, TablePlan, World } from './types.js';

/** Rows made beside the initial data, for values that tasks may create. */
const SPARES = 3;

const MAIN =
  /^(active|available|open|enabled|approved|published|in_stock|in_service|listed|current|valid|live|operational|signed|running|enrolled|let|hired|employed|deployed|in_use|subscribed|on_sale|admitted|offered|licensed|held|usable|sitting|receiving|working|connected|allowed|appointed|watched|in_safe|serviceable|fit)$/;
const MASTER: ReadonlySet<TableKind> = new Set(['person', 'company', 'place', 'product', 'lookup']);

/** Tables whose rows stay; a visitor is a person and still comes and goes. */
const isMaster = (plan: TablePlan): boolean => MASTER.has(plan.kind) && stepOf(plan) >= DAY;

const weightOf = (state: string, life: Life, master: boolean, main: string): number => {
  if (master) return state === main ? 12 : 1;
  if (state === main && state.toLowerCase() !== 'open') return 6;
  const steps = life.paths.get(state)?.length ?? 0;
  if (isBadEnd(state)) return 1;
  return steps === 0 ? 2.2 : steps >= 2 ? 4 : 2.8;
};

/** A state for each of `n` rows, the furthest first: every state that a verb speaks of twice, the rest by weight. */
export const allocate = (life: Life, n: number, stays: boolean, r: Rng): string[] => {
  const live = MAIN.test(life.initial.toLowerCase()) && life.initial.toLowerCase() !== 'open';
  const master = stays || live;
  const main = life.states.find((state) => MAIN.test(state.toLowerCase())) ?? life.initial;
  const out: string[] = [];
  const spoken = life.states.slice(0, life.spoken);
  for (let round = 0; round < 2; round++) for (const state of spoken) if (out.length < n) out.push(state);
  for (const state of life.states.slice(life.spoken)) if (out.length < n - spoken.length) out.push(state);
  const weighted = life.states.map((state) => [state, weightOf(state, life, master, main)] as const);
  while (out.length < n) out.push(r.weighted(weighted));
  const far = (state: string): number => (life.paths.get(state)?.length ?? 0) + (isBadEnd(state) ? 0.6 : 0);
  return out
    .map((state) => [state, master ? r.unit() : far(state) + r.unit() * 1.4] as const)
    .sort((a, b) => b[1] - a[1])
    .map(([state]) => state);
};

const windowOf = (w: World, plan: TablePlan): number => {
  const age = (Number(new Date(w.context.clock * 1000).getUTCFullYear()) - w.context.company.founded + 0.2) * 365;
  const step = stepOf(plan);
  const days = isMaster(plan) ? 900 : step < HOUR ? 30 : step < DAY ? 75 : step > 10 * DAY ? 260 : 130;
  return Math.max(Math.min(60, days), Math.min(days, age)) * DAY;
};

const newHandle = (plan: TablePlan, created: number, spare: boolean): Handle => ({
  plan,
  row: {},
  meta: {
    index: 0,
    created,
    touched: created,
    status: undefined,
    path: [],
    refs: new Map(),
    staff: new Map(),
    extras: new Map(),
    spare,
  },
});

const lineRows = (w: World, plan: TablePlan, r: Rng): Handle[] => {
  const ref = plan.lineOf;
  const target = ref ? w.byKey.get(ref.target) : undefined;
  if (!ref || !target) return [];
  const most = plan.table.rows ?? Math.max(160, target.handles.length * 2);
  const out: Handle[] = [];
  const parents = target.handles;
  parents.forEach((parent, i) => {
    const left = parents.length - i - 1;
    const wanted = r.chance(0.34) ? 1 : r.chance(0.85) ? r.int(2, 4) : r.int(5, 7);
    const count = Math.max(Math.min(1, most - out.length), Math.min(wanted, most - out.length - left));
    for (let k = 0; k < count; k++) {
      const h = newHandle(plan, parent.meta.created, false);
      h.meta.refs.set(ref.id, parent);
      out.push(h);
    }
  });
  return out;
};

const staffRows = (w: World, plan: TablePlan, n: number, r: Rng): Handle[] =>
  staffOf(w.context.company, w.departments, Math.max(2, n), w.context.clock, r).map((post) => {
    const h = newHandle(plan, post.hired, false);
    h.meta.extras.set('post', post as never);
    return h;
  });

/** Shared keys that are unique bound the number of rows; a table that mirrors another has one row for each. */
const bounded = (w: World, plan: TablePlan, wanted: number): number => {
  let n = wanted;
  for (const ref of plan.refs) {
    if (!ref.unique || ref.deferred) continue;
    const there = w.byKey.get(ref.target)?.handles.length ?? 0;
    if (!ref.optional) n = plan.table.rows === undefined && plan.kind === 'person' ? there : Math.min(n, there);
  }
  return n;
};

/** How many keys there are, as far as a document tells. */
const keysOf = ({ service, table: { key, cols } }: TablePlan): number => {
  if (key.gen) return capacityOf(key.gen);
  if (service.source.kind !== 'openapi') return Number.POSITIVE_INFINITY;
  const { type, enum: values, min, max } = cols[key.col] as Column;
  if (values) return values.length;
  return type === 'int' && min !== undefined && max !== undefined
    ? Math.floor(max) - Math.ceil(min) + 1
    : Number.POSITIVE_INFINITY;
};

/** Where there are few keys, some are left to new rows, if there can be any. */
const roomFor = (plan: TablePlan): number => {
  const { service, name } = plan;
  const capacity = keysOf(plan);
  if (capacity === 1 || capacity === Number.POSITIVE_INFINITY) return capacity;
  const grows = Object.values(service.tools).some(({ writes }) =>
    writes.some((write) => write.table === name && write.insert === true),
  );
  return grows ? Math.ceil(capacity / 2) : capacity;
};

const LEFT = /terminat|left|inactive|deactiv|disabled|revoked|closed|departed|resigned|suspended/;
/** A file about somebody who has left says so, one about a colleague does not. */
const mirrored = (h: Handle, status: string): string => {
  const twin = h.plan.refs.find((ref) => ref.role === 'self' && ref.unique);
  const other = twin ? h.meta.refs.get(twin.id) : undefined;
  const theirs = other?.plan.staff ? other.meta.status : undefined;
  const life = h.plan.life;
  if (theirs === undefined || !life) return status;
  const left = LEFT.test(theirs);
  if (left === LEFT.test(status)) return status;
  return life.states.find((state) => LEFT.test(state) === left) ?? status;
};

const forced = (h: Handle): string | undefined => {
  for (const ref of h.plan.refs) {
    const parent = h.meta.refs.get(ref.id);
    if (!parent || parent.plan.service !== h.plan.service) continue;
    for (const step of [...parent.meta.path].reverse())
      for (const child of parent.plan.verbs.get(step.verb)?.children ?? [])
        if (child.table === h.plan.name && child.col === ref.id && h.plan.life?.states.includes(child.status))
          return child.status;
  }
  return undefined;
};

const statuses = (w: World, plan: TablePlan, rows: Handle[], r: Rng): string[] => {
  if (!plan.life) return [];
  const list = allocate(plan.life, rows.length, isMaster(plan), r);
  if (!plan.staff) return list;
  // Heads and leads are there; the others may be away or gone.
  const main = plan.life.initial;
  const others = list.filter((state) => state !== main).sort((a, b) => Number(LEFT.test(b)) - Number(LEFT.test(a)));
  const away = Math.max(others.length > 0 ? 4 : 0, Math.floor(rows.length * 0.14));
  const quiet = rows
    .map((_, i) => i)
    .filter((i) => !rows.some((h) => (h.meta.extras.get('post') as never as { manager?: number })?.manager === i));
  const out = rows.map(() => main);
  r.sample(quiet.slice(1), Math.min(away, others.length)).forEach((at, i) => {
    out[at] = others[i % others.length] as string;
  });
  void w;
  return out;
};

const refsInOrder = (w: World, plan: TablePlan): TablePlan['refs'] => {
  const at = new Map(w.plans.map((each, i) => [each.key, i]));
  // What was filled last knows most about the others: an order says whose it is.
  return [...plan.refs]
    .filter((ref) => !ref.deferred)
    .sort(
      (a, b) =>
        Number(a.role === 'staff') - Number(b.role === 'staff') ||
        Number(a.optional) - Number(b.optional) ||
        (at.get(b.target) ?? 0) - (at.get(a.target) ?? 0),
    );
};

/** Fills `plan.handles` and `plan.spares` with rows that know their time, state and parents. */
export const layOut = (w: World, plan: TablePlan): void => {
  const r = w.rng.stream(`layout ${plan.key}`);
  const { clock, company } = w.context;
  const wanted = bounded(w, plan, rowsWanted(plan, r.unit()));
  let rows: Handle[];
  if (plan.staff) rows = staffRows(w, plan, wanted, r);
  else if (plan.lineOf) rows = lineRows(w, plan, r);
  else {
    const from = clock - windowOf(w, plan);
    const offset = zoneOffset(company.timezone, clock);
    const times = Array.from({ length: wanted }, () =>
      atWork(towardsNow(from, clock - 900, r, isMaster(plan) ? 1 : 1.7), offset, from, clock - 60, r),
    );
    rows = times.sort((a, b) => a - b).map((at) => newHandle(plan, at, false));
  }
  const spares =
    plan.lineOf || plan.staff
      ? []
      : Array.from({ length: w.context.spares ?? SPARES }, () => newHandle(plan, clock, true));
  const states = statuses(w, plan, rows, r);
  const refs = refsInOrder(w, plan);
  const pickers = new Map<string, Picker>(
    refs.map((ref) => [ref.id, pickerFor(w, ref, w.rng.stream(`pick ${plan.key} ${ref.id}`))]),
  );
  const kept = [...rows, ...spares].filter((h, i) => {
    h.meta.status = states[i] ?? plan.life?.initial;
    if (plan.life && !h.meta.spare)
      h.meta.path = (plan.life.paths.get(h.meta.status ?? '') ?? []).map((move) => ({ ...move, at: h.meta.created }));
    for (const ref of refs) {
      if (h.meta.refs.has(ref.id)) continue;
      const target = chooseTarget(w, h, ref, pickers.get(ref.id) as Picker);
      if (target) h.meta.refs.set(ref.id, target);
      else if (!ref.optional) return false;
    }
    return true;
  });
  for (const h of kept) {
    let earliest = 0;
    for (const ref of plan.refs) {
      const target = h.meta.refs.get(ref.id);
      if (!target || ref.role === 'staff' || plan.lineOf) continue;
      earliest = Math.max(earliest, target.meta.created + 60);
      if (target.meta.created > h.meta.created)
        h.meta.created = Math.min(clock - 60, target.meta.created + r.int(600, 2 * DAY));
    }
    const status = h.meta.status;
    if (plan.life && status !== undefined && !h.meta.spare)
      setStatus(w, h, forced(h) ?? mirrored(h, status), r, plan.lineOf ? h.meta.created : earliest, occasionOf(h));
    else {
      h.meta.touched = h.meta.created;
      if (!plan.life) addLoose(h, clock, r);
    }
    for (const ref of plan.refs) {
      if (!ref.managed || writesRef(h, ref)) continue;
      h.meta.refs.delete(ref.id);
      h.meta.staff.delete(ref.word);
    }
  }
  if (!plan.lineOf && !plan.staff)
    kept.sort((a, b) => Number(a.meta.spare) - Number(b.meta.spare) || a.meta.created - b.meta.created);
  plan.handles = kept.filter((h) => !h.meta.spare).slice(0, roomFor(plan));
  plan.spares = kept.filter((h) => h.meta.spare);
  plan.handles.forEach((h, i) => {
    h.meta.index = i + 1;
  });
  plan.spares.forEach((h, i) => {
    h.meta.index = plan.handles.length + i + 1;
  });
};
