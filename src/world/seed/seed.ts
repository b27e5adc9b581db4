/** Initial data of a world: rows that look like the business's own, the same for the same seed. */
import type { ServiceSpec } from '../../artifacts/service.js';
import { rng } from '../../kit/rng.js';
import type { Row } from '../state/types.js';
import { fillDeferred, fillTable } from './fill.js';
import { type Article, drawArticles, sectorOf } from './firms.js';
import { settleInvariants } from './invariants.js';
import { layOut } from './layout.js';
import { dealsWith } from './narrow.js';
import { homeOf } from './places.js';
import { planWorld } from './plan.js';
import { countChildren, settleDocuments, settleRefunds } from './settle.js';
import { departmentsOf } from './staff.js';
import type { Handle, SeedContext, TablePlan, World } from './types.js';

export type { SeedContext } from './types.js';

export type TableRows = Record<string, Row[]>;

export interface Seeded {
  /** By service id and table; a service's tables stand parents first. Canonical values. */
  rows: Record<string, TableRows>;
  /** By service id: what `_treadle_counter` holds (`table`: ids given out; `table.col`: last running number). */
  counters: Record<string, Record<string, number>>;
  /** A few more rows of each table that are not in the data, without a key: values that a task may create. */
  spares: Record<string, TableRows>;
}

const employeesFrom = (w: World, rows: readonly Row[]): Handle[] => {
  const roles = new Map([
    ['email', 'email'],
    ['full_name', 'name'],
    ['department', 'department'],
    ['job_title', 'title'],
    ['document_number', 'employee_no'],
  ]);
  const plan = {
    key: 'directory.employee',
    name: 'employee',
    noun: 'employee',
    words: 'employee',
    kind: 'person',
    staff: true,
    cols: [],
    refs: [],
    roles,
    table: { key: { col: 'id' }, cols: {} },
    handles: [],
    spares: [],
  } as unknown as TablePlan;
  return rows.map((row, i): Handle => {
    const [first = 'Alex', ...last] = String(row.name ?? row.full_name ?? '').split(' ');
    const meta = {
      index: i + 1,
      created: 0,
      touched: 0,
      status: String(row.status ?? 'active'),
      path: [],
      refs: new Map(),
      staff: new Map(),
      extras: new Map(),
      spare: false,
    };
    void w;
    return {
      plan,
      row: { ...row },
      meta: { ...meta, person: { first, last: last.join(' ') || 'Doe', gender: 'female' } },
    };
  });
};

const GONE = /left|terminat|inactive|leave|suspend|depart/;

const noteStaff = (w: World, plan: TablePlan): void => {
  if (!plan.staff) return;
  w.employees = plan.handles;
  w.active = plan.handles.filter((h) => !GONE.test(h.meta.status ?? ''));
};

const startWorld = (services: readonly ServiceSpec[], context: SeedContext): World => {
  const root = rng(context.seed, 'seed');
  const { company } = context;
  const sector = sectorOf(company.industry.naics);
  const plans = planWorld(services, context.links);
  // Not every table speaks of goods.
  let articles: Article[] | undefined;
  const w: World = {
    context,
    rng: root,
    home: homeOf(company),
    sector,
    plans,
    byKey: new Map(plans.map((plan) => [plan.key, plan])),
    employees: [],
    active: [],
    people: new Set(),
    drawn: [],
    firms: new Set([company.name.toLowerCase(), (company.name.split(' ')[0] ?? '').toLowerCase()]),
    drawnFirms: [],
    mails: new Set(),
    get articles() {
      articles ??= drawArticles(sector, 30, root.stream('articles'), `${company.industry.title} ${dealsWith(company)}`);
      return articles;
    },
    otherArticles: new Map(),
    prices: new Map(),
    departments: departmentsOf(company, sector, root.stream('departments')),
    documents: [],
    spoken: [],
    counters: Object.fromEntries(services.map((spec) => [spec.id, {}])),
  };
  if (context.employees) {
    w.employees = employeesFrom(w, context.employees);
    w.active = w.employees.filter((h) => !GONE.test(h.meta.status ?? ''));
  }
  return w;
};

const rowsOf = (plan: TablePlan, handles: readonly Handle[], withKey: boolean): Row[] =>
  handles.map(({ row }) => {
    const out: Row = {};
    for (const name of Object.keys(plan.table.cols))
      if (withKey || name !== plan.table.key.col || !plan.table.key.gen) out[name] = row[name] ?? null;
    return out;
  });

/**
 * Seeds all tables of all services: the directory first, parents before children, the other core services last. Deterministic
 * in (services, context). Throws nothing that an odd spec can cause.
 */
export const seedWorld = (services: readonly ServiceSpec[], context: SeedContext): Seeded => {
  const w = startWorld(services, context);
  for (const plan of w.plans) {
    layOut(w, plan);
    fillTable(w, plan);
    if (plan.lineOf) settleDocuments(w, plan);
    settleRefunds(w, plan);
    noteStaff(w, plan);
  }
  for (const plan of w.plans) fillDeferred(w, plan);
  for (const plan of w.plans) countChildren(w, plan);
  settleInvariants(w);
  const out: Seeded = { rows: {}, counters: w.counters, spares: {} };
  for (const spec of services) {
    out.rows[spec.id] = {};
    out.spares[spec.id] = {};
  }
  for (const plan of w.plans) {
    (out.rows[plan.service.id] as TableRows)[plan.name] = rowsOf(plan, plan.handles, true);
    (out.spares[plan.service.id] as TableRows)[plan.name] = rowsOf(plan, plan.spares, false);
  }
  return out;
};
