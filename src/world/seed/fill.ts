/** Fills a laid-out table column by column, keeps what must be unique so, and repairs rows that break a CHECK. */
import type { Rng } from '../../kit/rng.js';
import { idOf } from '../ids.js';
import type { Row, SqlValue } from '../state/types.js';
import { makeCell } from './cell.js';
import { brokenChecks, checksOf, repairRow } from './checks.js';
import { phrasesData } from './data.js';
import { fitValue } from './fit.js';
import { fullName } from './people.js';
import { homeCity } from './places.js';
import { sayFrom } from './say.js';
import type { Post } from './staff.js';
import { newPerson } from './subjects.js';
import type { Cell, ColPlan, Handle, TablePlan, World } from './types.js';

/** What others are derived from comes first. */
const ORDER = (
  'currency country gender birth_date first_name last_name full_name company_name department job_title kind language name product_name sku title username email phone ' +
  'unit capacity quantity on_hand payment_terms tax_rate unit_price line_total subtotal discount tax_amount fee total paid_amount due_amount balance ' +
  'starts_at ends_at duration created_at stamp due_at expires_at status priority percent document_number code serial'
).split(' ');
const LAST = 'actor slug file_name mime_type note description body_text url avatar age flag reason updated_at'.split(
  ' ',
);
const RANK = new Map([...ORDER.map((id, i) => [id, i] as const), ...LAST.map((id, i) => [id, 200 + i] as const)]);
const rankOf = (col: ColPlan): number =>
  /(^|_)(change|delta)$/.test(col.norm) ? 260 : /^floor$/.test(col.norm) ? 199 : (RANK.get(col.rule?.id ?? '') ?? 100);

const refValues = (h: Handle, overwrite: boolean): void => {
  for (const ref of h.plan.refs) {
    const target = h.meta.refs.get(ref.id);
    for (const { col, toCol } of ref.cols)
      if (overwrite || h.row[col] === undefined) h.row[col] = target?.row[toCol] ?? null;
  }
};

const copied = (plan: TablePlan): Set<string> => new Set(plan.refs.flatMap((ref) => ref.cols.map(({ col }) => col)));

const count = (w: World, plan: TablePlan, name: string, n: number): void => {
  w.counters[plan.service.id] = { ...w.counters[plan.service.id], [name]: n };
};

const numbers = (w: World, plan: TablePlan, col: ColPlan, r: Rng): void => {
  let n = plan.staff ? 1000 : r.pick([100, 400, 1000, 2000, 5000, 10_000]) + r.int(1, 380);
  const { prefix = '', type } = col.column;
  for (const h of plan.handles) {
    n += r.chance(1 / 30) ? r.int(2, 3) : 1;
    h.row[col.name] = type === 'text' ? `${prefix}${n}` : n;
  }
  count(w, plan, `${plan.name}.${col.name}`, n);
  plan.spares.forEach((h, i) => {
    h.row[col.name] = type === 'text' ? `${prefix}${n + i + 1}` : n + i + 1;
  });
};

const automatic = (w: World, plan: TablePlan, col: ColPlan, r: Rng): boolean => {
  const { auto } = col.column;
  if (!auto) return false;
  if (auto === 'number') {
    numbers(w, plan, col, r);
    return true;
  }
  // Who wrote a row is known when it is laid out: the text is signed by the same person.
  if (auto === 'me' && plan.refs.some((ref) => ref.cols.some((one) => one.col === col.name))) return false;
  for (const h of [...plan.handles, ...plan.spares]) {
    const someone = auto === 'me' && w.active.length > 0 ? r.pick(w.active) : undefined;
    const value =
      auto === 'now'
        ? h.meta.created
        : auto === 'touch'
          ? h.meta.touched
          : (someone?.row[someone.plan.roles.get('email') ?? ''] ?? `office@${w.context.company.domain}`);
    h.row[col.name] = fitValue(value, col.column, r) ?? value;
  }
  return true;
};

const keys = (w: World, plan: TablePlan): boolean => {
  const { col, gen } = plan.table.key;
  if (!gen) return false;
  const secret = `${w.context.seed}/${plan.service.id}/${plan.name}`;
  for (const h of [...plan.handles, ...plan.spares]) h.row[col] = idOf(gen, secret, h.meta.index);
  return true;
};

const CODES = new Set(['sku', 'code', 'slug', 'username', 'document_number', 'serial', 'handle']);

/** Another value like `value` that is not taken; undefined when the column is too narrow. */
const varied = (value: SqlValue, cell: Cell, taken: ReadonlySet<SqlValue>): SqlValue | undefined => {
  for (let tries = 0; tries < 25; tries++) {
    const next = makeCell(cell);
    if (next !== null && !taken.has(next)) return next;
  }
  for (let n = 2; n < 200; n++) {
    const month = typeof value === 'string' ? /^(\d{4})-(\d\d)$/.exec(value) : null;
    const next = month
      ? new Date(Date.UTC(Number(month[1]), Number(month[2]) - n, 1)).toISOString().slice(0, 7)
      : typeof value === 'number'
        ? value + n - 1
        : typeof value === 'string'
          ? value.includes('@')
            ? value.replace('@', `${n}@`)
            : CODES.has(cell.col.rule?.id ?? '')
              ? `${value}-${n}`
              : `${value} ${n}`
          : value;
    const stored = fitValue(next, cell.col.column, cell.r);
    if (stored !== null && stored !== undefined && !taken.has(stored)) return stored;
  }
  return undefined;
};

const column = (w: World, plan: TablePlan, col: ColPlan, r: Rng): Set<Handle> => {
  const dropped = new Set<Handle>();
  const taken = new Set<SqlValue>();
  for (const h of [...plan.handles, ...plan.spares]) {
    const cell: Cell = { w, h, col, r };
    let value = makeCell(cell);
    if (col.unique && value !== null) {
      if (taken.has(value)) {
        const other = varied(value, cell, taken);
        if (other === undefined) {
          dropped.add(h);
          continue;
        }
        value = other;
      }
      taken.add(value);
    }
    h.row[col.name] = value;
  }
  return dropped;
};

const drop = (plan: TablePlan, gone: ReadonlySet<Handle>): void => {
  if (gone.size === 0) return;
  plan.handles = plan.handles.filter((h) => !gone.has(h));
  plan.spares = plan.spares.filter((h) => !gone.has(h));
};

const uniqueSets = (plan: TablePlan): string[][] => plan.table.unique ?? [];

/** Rows whose unique set of columns is taken get other values in them; what stays doubled goes. */
const separate = (w: World, plan: TablePlan, fixed: ReadonlySet<string>, r: Rng): void => {
  for (const set of uniqueSets(plan)) {
    const seen = new Set<string>();
    const keyOf = (row: Row): string | undefined =>
      set.some((col) => row[col] === null || row[col] === undefined)
        ? undefined
        : set.map((col) => JSON.stringify(row[col])).join('\u0000');
    const gone = new Set<Handle>();
    for (const h of [...plan.handles, ...plan.spares]) {
      let key = keyOf(h.row);
      for (let tries = 0; key !== undefined && seen.has(key) && tries < 20; tries++) {
        for (const name of set) {
          const col = plan.cols.find((each) => each.name === name);
          const ref = plan.refs.find((each) => each.cols.some((one) => one.col === name));
          const target = ref && !ref.deferred ? w.byKey.get(ref.target) : undefined;
          if (ref && target && target.handles.length > 0 && r.chance(0.5)) {
            h.meta.refs.set(ref.id, r.pick(target.handles));
            refValues(h, true);
          } else if (col && !fixed.has(name) && name !== plan.table.key.col && !col.column.auto)
            h.row[name] = makeCell({ w, h, col, r });
        }
        key = keyOf(h.row);
      }
      if (key !== undefined && seen.has(key)) gone.add(h);
      else if (key !== undefined) seen.add(key);
    }
    drop(plan, gone);
  }
};

const staffFacts = (w: World, plan: TablePlan): void => {
  const r = w.rng.stream(`staff ${plan.key}`);
  for (const h of plan.handles) {
    const post = h.meta.extras.get('post') as unknown as Post | undefined;
    if (!post) continue;
    h.meta.person = newPerson(w, w.home, r);
    const { roles } = plan;
    const set = (rule: string, value: SqlValue): void => {
      const col = roles.get(rule);
      if (col) h.row[col] = value;
    };
    set('department', post.department);
    set('job_title', post.title);
    set('full_name', fullName(h.meta.person));
    const self = plan.refs.find((ref) => ref.target === plan.key);
    const boss = post.manager === undefined ? undefined : plan.handles[post.manager];
    if (self && boss) h.meta.refs.set(self.id, boss);
  }
  // Few offices: people work where the company is, some elsewhere.
  const place = roles(plan, 'city');
  if (place)
    for (const h of plan.handles)
      h.row[place] =
        h.meta.index === 1 || r.chance(0.75)
          ? homeCity(w.home, w.context.company.city)
          : (w.home.cities[r.int(0, Math.min(3, w.home.cities.length - 1))] as { name: string }).name;
};
const roles = (plan: TablePlan, rule: string): string | undefined => plan.roles.get(rule);

/** Documents that people name by number when they write to each other. */
const SPOKEN_OF =
  /order|invoice|payment|shipment|delivery|fulfil|ticket|quote|contract|claim|return|credit note|purchase|booking|reservation|case|transfer|lot|receipt|rma|bill|statement|job|appointment|incident|permit|batch|trip|repair/;

/** Makes all values of a laid-out table and reports what it counted. */
export const fillTable = (w: World, plan: TablePlan): void => {
  const fixed = copied(plan);
  for (const h of [...plan.handles, ...plan.spares]) refValues(h, false);
  if (plan.staff) staffFacts(w, plan);
  const hasKey = keys(w, plan);
  const cols = [...plan.cols].sort((a, b) => rankOf(a) - rankOf(b));
  for (const col of cols) {
    if (hasKey && col.name === plan.table.key.col) continue;
    const r = w.rng.stream(`column ${plan.key} ${col.name}`);
    if (automatic(w, plan, col, r)) continue;
    const ref = plan.refs.find((each) => each.cols.some((one) => one.col === col.name));
    if (ref) {
      patchLink(w, plan, col, ref.deferred, r);
      continue;
    }
    if (plan.staff && plan.handles[0]?.row[col.name] !== undefined) continue;
    drop(plan, column(w, plan, col, r));
  }
  inOrder(plan, fixed);
  separate(w, plan, fixed, w.rng.stream(`separate ${plan.key}`));
  const checks = checksOf(plan);
  if (checks.length > 0) {
    const r = w.rng.stream(`repair ${plan.key}`);
    const gone = new Set<Handle>();
    for (const h of [...plan.handles, ...plan.spares])
      if (brokenChecks(checks, h.row).length > 0 && !repairRow(w, h, checks, fixed, r)) gone.add(h);
    drop(plan, gone);
  }
  count(
    w,
    plan,
    plan.name,
    plan.handles.reduce((most, h) => Math.max(most, h.meta.index), 0),
  );
  const number = plan.cols.find(
    (col) => col.column.auto === 'number' || (col.unique && col.rule?.id === 'document_number'),
  )?.name;
  if (number && SPOKEN_OF.test(plan.noun))
    for (const h of plan.handles.slice(-40))
      if (typeof h.row[number] === 'string') {
        w.documents.push(h.row[number] as string);
        w.spoken.push({ number: h.row[number] as string, of: h });
      }
};

/** `salary_min` and `salary_max`, `min_stay` and `max_stay`: the lower first. */
const inOrder = (plan: TablePlan, fixed: ReadonlySet<string>): void => {
  for (const low of plan.cols) {
    if (!/(^|_)min(imum)?(_|$)/.test(low.name) || fixed.has(low.name)) continue;
    const name = low.name.replace(
      /(^|_)min(imum)?(?=_|$)/,
      (_whole, head: string, tail?: string) => `${head}max${tail ?? ''}`,
    );
    if (!plan.table.cols[name] || fixed.has(name)) continue;
    for (const { row } of [...plan.handles, ...plan.spares]) {
      const [a = null, b = null] = [row[low.name], row[name]];
      if (typeof a === 'number' && typeof b === 'number' && a > b) Object.assign(row, { [low.name]: b, [name]: a });
    }
  }
};

/** A linked column that must not be empty gets a value of its own where its row has no partner. */
const patchLink = (w: World, plan: TablePlan, col: ColPlan, deferred: boolean, r: Rng): void => {
  if (deferred || col.column.fk) return;
  for (const h of [...plan.handles, ...plan.spares])
    if (h.row[col.name] === null && col.column.required) h.row[col.name] = makeCell({ w, h, col, r });
};

/** References that close a circle or lead to the table itself, once every table is there. */
export const fillDeferred = (w: World, plan: TablePlan): void => {
  for (const ref of plan.refs) {
    if (!ref.deferred) continue;
    const target = w.byKey.get(ref.target) as TablePlan;
    const r = w.rng.stream(`later ${plan.key} ${ref.id}`);
    const own = target === plan;
    const used = new Set<Handle>();
    plan.handles.forEach((h, i) => {
      let set =
        h.meta.refs.get(ref.id) ??
        (own
          ? earlier(plan, h, i, ref.optional, r)
          : ref.optional && r.chance(0.3)
            ? undefined
            : related(target, h, plan, r));
      if (set && ref.unique && used.has(set))
        set = ref.optional ? undefined : own ? h : target.handles.find((each) => !used.has(each));
      if (set) used.add(set);
      if (set) h.meta.refs.set(ref.id, set);
      for (const { col, toCol } of ref.cols)
        h.row[col] = set?.row[toCol] ?? (ref.optional ? null : (h.row[col] ?? null));
      if (own && set && set !== h && /reply|parent|thread/.test(ref.id)) answer(w, h, set, r);
    });
    for (const h of plan.spares)
      for (const { col } of ref.cols)
        h.row[col] = ref.optional ? null : (plan.handles[0]?.row[plan.table.key.col] ?? null);
  }
};

/** An answer goes back to who wrote, under the same subject. */
const answer = (w: World, h: Handle, to: Handle, r: Rng): void => {
  const { refs, roles } = h.plan;
  const ends = [refs.find((ref) => ref.word === 'from'), refs.find((ref) => ref.word === 'to')];
  const [from, back] = ends;
  const [writer, reader] = [from && to.meta.refs.get(from.id), back && to.meta.refs.get(back.id)];
  if (from && back && writer && reader) {
    h.meta.refs.set(from.id, reader).set(back.id, writer);
    h.meta.staff.set('from', reader).set('to', writer);
    refValues(h, true);
  }
  const subject = roles.get('title');
  const text = roles.get('body_text');
  const said = subject ? String(to.row[subject] ?? '') : '';
  if (subject && said)
    h.row[subject] =
      fitValue(/^re:/i.test(said) ? said : `Re: ${said}`, h.plan.table.cols[subject] as never, r) ??
      h.row[subject] ??
      null;
  const { replies, bodies } = phrasesData();
  const reply = text ? sayFrom(bodies[`${h.plan.noun} reply`] ?? replies, w, h, r) : undefined;
  if (text && reply) h.row[text] = fitValue(reply, h.plan.table.cols[text] as never, r) ?? h.row[text] ?? null;
};

const earlier = (plan: TablePlan, h: Handle, i: number, optional: boolean, r: Rng): Handle | undefined => {
  if (plan.staff) return undefined;
  if (i === 0 || (optional && r.chance(0.6))) return optional ? undefined : h;
  const others = plan.handles.slice(0, i);
  // An answer stands in the same thread as what it answers.
  const near = others.filter((other) =>
    plan.refs.every(
      (ref) => ref.deferred || ref.role !== 'self' || other.meta.refs.get(ref.id) === h.meta.refs.get(ref.id),
    ),
  );
  return near.length > 0 ? r.pick(near) : optional ? undefined : r.pick(others);
};

const related = (target: TablePlan, h: Handle, plan: TablePlan, r: Rng): Handle | undefined => {
  const back = target.refs.find((ref) => ref.target === plan.key);
  const own = back ? target.handles.filter((other) => other.meta.refs.get(back.id) === h) : [];
  return own.length > 0 ? r.pick(own) : target.handles.length > 0 && !back ? r.pick(target.handles) : undefined;
};
