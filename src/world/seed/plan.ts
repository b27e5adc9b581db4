/** Plans every table of a world: its kind, its columns' rules, what its rows point to, and the order of filling. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Link } from '../../artifacts/world.js';
import { spaced } from '../../kit/words.js';
import { phrasesData } from './data.js';
import { creatable, lifeOf, verbEffects } from './effects.js';
import { chooseRule, normalName } from './rules.js';
import type { ColPlan, RefGroup, TableKind, TablePlan } from './types.js';

const nounKinds = new Map<string, TableKind>();
const kindsByNoun = (): Map<string, TableKind> => {
  if (nounKinds.size === 0)
    for (const kind of ['person', 'company', 'place', 'product', 'line'] as const)
      for (const noun of phrasesData().nouns[kind] ?? []) nounKinds.set(noun, kind);
  return nounKinds;
};

const PERSON_COLUMNS = /^(first_?name|last_?name|surname|given_?name|family_?name|date_of_birth|birth_?date)$/;

const kindOf = (name: string, table: Table): TableKind => {
  const cols = Object.keys(table.cols);
  const noun = spaced(table.noun);
  const kinds = kindsByNoun();
  if (cols.some((col) => PERSON_COLUMNS.test(col))) return 'person';
  // An item of what is looked after is no article of what is sold.
  if (/^(config|rental|lost|agenda|checklist) item$/.test(noun)) return 'document';
  const words = spaced(name).split(' ');
  for (const cue of [noun, spaced(name), noun.split(' ').at(-1) ?? '', words.at(-1) ?? '']) {
    const kind = kinds.get(cue);
    if (!kind) continue;
    const amounts = cols.some((col) => /amount|total|due|paid/.test(col));
    // `account` beside a balance and without a contact is a bank's account; what carries amounts and a status is a document.
    if (kind === 'company' && amounts && table.label === undefined) continue;
    if (kind === 'line' && !Object.values(table.cols).some((col) => col.fk)) continue;
    return kind;
  }
  const fks = Object.values(table.cols).filter((col) => col.fk).length;
  // A name and an address to write to: somebody, or a firm where taxes or terms are spoken of.
  if (cols.some((col) => /^(full_)?name$/.test(col)) && cols.some((col) => /^e_?mail/.test(col)))
    return cols.some((col) => /tax|vat|terms|website|industry/.test(col)) ? 'company' : 'person';
  if (/(_line|_lines|_item|_items|_row|_position)$/.test(name) && fks > 0) return 'line';
  if (fks === 0 && !table.machine && cols.length <= 7 && cols.some((col) => /name|title|code/.test(col)))
    return 'lookup';
  return 'document';
};

const shareOf = (key: string): number => {
  let hash = 7;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return ((hash >>> 0) % 1000) / 1000;
};

const RARELY_EMPTY = new Set(
  'email phone full_name first_name last_name name title city country street postal_code currency unit_price total subtotal tax_amount quantity status description'.split(
    ' ',
  ),
);

const planColumns = (spec: ServiceSpec, name: string, table: Table): ColPlan[] => {
  const created = creatable(spec, name);
  const byVerbs = new Set<string>();
  for (const effect of verbEffects(spec, name).values()) for (const col of Object.keys(effect.set)) byVerbs.add(col);
  return Object.entries(table.cols).map(([col, column]: [string, Column]) => {
    const { how, rule } = chooseRule(col, column, table.noun, col === table.key.col);
    const few = rule !== undefined && RARELY_EMPTY.has(rule.id);
    const share = shareOf(`${name}.${col}`);
    return {
      name: col,
      norm: normalName(col, table.noun),
      column,
      how,
      rule,
      unique: column.unique === true || col === table.key.col,
      nulls:
        column.required || col === table.label
          ? 0
          : rule?.id === 'note'
            ? 0.6
            : few
              ? share * 0.12
              : 0.05 + share * 0.4,
      managed: byVerbs.has(col) && !created.has(col),
    };
  });
};

const ROLE_WORDS =
  /^(owner|assignee|assigned|agent|manager|handler|approver|approved|requester|requested|reviewer|reviewed|decided|decider|buyer|keeper|author|sender|creator|created|updated|packed|picked|shipped|received|checked|counted|reported|reporter|resolver|resolved|supervisor|lead|responsible|operator|technician|engineer|inspector|adjuster|underwriter|recruiter|interviewer|host|planner|dispatcher|actor|performed|issued|signed|prepared|posted|verified|closed|escalated|on_call|coordinator|organizer|organiser|sponsor|driver_manager|account_manager|case_worker|hiring_manager|from|to|cc)(_|$)/;

const wordOf = (col: string): string =>
  col.replace(/_(id|uuid|guid|key|ref|no|nr|number|code|email|name|sku|by|by_id|by_email)$/, '').replace(/^id_/, '');

const isStaffTable = (spec: ServiceSpec, name: string): boolean => spec.id === 'directory' && name === 'employee';

const linkGroups = (spec: ServiceSpec, name: string, table: Table, links: readonly Link[]): RefGroup[] => {
  const groups = new Map<string, RefGroup>();
  for (const { from, to } of links) {
    const column = table.cols[from.col];
    if (from.service !== spec.id || from.table !== name || !column) continue;
    const target = `${to.service}.${to.table}`;
    const people = to.service === 'directory' && to.table === 'employee';
    const word = wordOf(from.col);
    const staff = people && (ROLE_WORDS.test(from.col) || /_by$/.test(from.col));
    let id = staff ? `${target}:${word}` : `${target}:self`;
    if (groups.get(id)?.cols.some(({ toCol }) => toCol === to.col)) id = `${target}:${from.col}`;
    const group = groups.get(id) ?? {
      id,
      role: staff ? ('staff' as const) : id.endsWith(':self') ? ('self' as const) : ('other' as const),
      target,
      cols: [],
      optional: true,
      unique: false,
      deferred: false,
      managed: false,
      word: staff ? word : to.table,
    };
    group.cols.push({ col: from.col, toCol: to.col });
    if (column.required) group.optional = false;
    if (column.unique) group.unique = true;
    groups.set(id, group);
  }
  return [...groups.values()];
};

const keyGroups = (spec: ServiceSpec, table: Table, linked: ReadonlySet<string>): RefGroup[] => {
  const seen = new Set<string>();
  return Object.entries(table.cols).flatMap(([col, column]) => {
    const other = column.fk ? spec.tables[column.fk] : undefined;
    if (!column.fk || !other || linked.has(col)) return [];
    const first = !seen.has(column.fk);
    seen.add(column.fk);
    return [
      {
        id: col,
        role: first ? ('self' as const) : ('other' as const),
        target: `${spec.id}.${column.fk}`,
        cols: [{ col, toCol: other.key.col }],
        optional: !column.required,
        unique: column.unique === true || col === table.key.col,
        deferred: false,
        managed: false,
        word: wordOf(col),
      },
    ];
  });
};

const rolesOf = (cols: readonly ColPlan[]): Map<string, string> => {
  const roles = new Map<string, string>();
  for (const col of cols) if (col.rule && !roles.has(col.rule.id)) roles.set(col.rule.id, col.name);
  return roles;
};

const lineParent = (plan: TablePlan): RefGroup | undefined => {
  if (plan.kind !== 'line') return undefined;
  const counts =
    plan.roles.has('quantity') ||
    plan.roles.has('line_total') ||
    plan.roles.has('unit_price') ||
    plan.roles.has('total');
  if (!counts) return undefined;
  const keys = plan.refs.filter((ref) => ref.id === ref.cols[0]?.col && !ref.unique);
  const stem = plan.name.replace(/_?(line|lines|item|items|row|position|line_item|line_items)$/, '');
  return (
    keys.find((ref) => stem !== '' && (ref.word.includes(stem) || ref.target.includes(stem))) ??
    keys.find((ref) => !ref.optional)
  );
};

const planTable = (spec: ServiceSpec, name: string, table: Table, links: readonly Link[]): TablePlan => {
  const cols = planColumns(spec, name, table);
  const byLink = linkGroups(spec, name, table, links);
  const linked = new Set(byLink.flatMap((group) => group.cols.map(({ col }) => col)));
  const statusCol = cols.find(
    (col) => col.column.enum && (col.rule?.id === 'status' || col.rule?.id === 'stage'),
  )?.name;
  const plan: TablePlan = {
    key: `${spec.id}.${name}`,
    service: spec,
    name,
    table,
    noun: spaced(table.noun),
    words: spaced(name),
    kind: kindOf(name, table),
    staff: isStaffTable(spec, name),
    cols,
    refs: [...keyGroups(spec, table, linked), ...byLink],
    lineOf: undefined,
    life: lifeOf(table, statusCol),
    verbs: verbEffects(spec, name),
    roles: rolesOf(cols),
    currencyCol: cols.find((col) => col.rule?.id === 'currency')?.name,
    handles: [],
    spares: [],
  };
  const managed = new Set(cols.filter((col) => col.managed).map((col) => col.name));
  for (const ref of plan.refs) ref.managed = ref.optional && ref.cols.every(({ col }) => managed.has(col));
  if (plan.staff) plan.kind = 'person';
  plan.lineOf = lineParent(plan);
  if (plan.kind === 'line' && !plan.lineOf) plan.kind = 'document';
  return plan;
};

/**
 * Parents before children. Lines come before whatever else hangs on their document, so that its totals are settled by then.
 * Where a circle closes, an optional reference is put off before a required one.
 */
const order = (plans: readonly TablePlan[]): TablePlan[] => {
  const placed = new Set<string>();
  const open = new Set(plans);
  const met = (ref: RefGroup): boolean => placed.has(ref.target);
  const required = (plan: TablePlan): boolean =>
    plan.refs.every((ref) => ref.optional || met(ref) || ref.target === plan.key);
  const all = (plan: TablePlan): boolean => plan.refs.every((ref) => met(ref) || ref.target === plan.key);
  const linesIn = (plan: TablePlan): boolean =>
    plan.lineOf !== undefined ||
    plans.every(
      (other) =>
        !other.lineOf || placed.has(other.key) || !plan.refs.some((ref) => ref.target === other.lineOf?.target),
    );
  const tiers = [(plan: TablePlan) => all(plan) && linesIn(plan), all, required, () => true];
  const out: TablePlan[] = [];
  while (open.size > 0) {
    let next: TablePlan | undefined;
    for (const tier of tiers) {
      next = [...open].find(tier);
      if (next) break;
    }
    const plan = next as TablePlan;
    for (const ref of plan.refs) ref.deferred = !met(ref);
    placed.add(plan.key);
    open.delete(plan);
    out.push(plan);
  }
  return out;
};

/** Plans of all tables in the order in which they are to be filled; the company core comes first. */
export const planWorld = (services: readonly ServiceSpec[], links: readonly Link[]): TablePlan[] => {
  const rank = (spec: ServiceSpec): number => (spec.id === 'directory' ? 0 : spec.source.kind === 'core' ? 2 : 1);
  const sorted = [...services].sort((a, b) => rank(a) - rank(b));
  const plans = sorted.flatMap((spec) =>
    Object.entries(spec.tables).map(([name, table]) => planTable(spec, name, table, links)),
  );
  const keys = new Set(plans.map((plan) => plan.key));
  for (const plan of plans) plan.refs = plan.refs.filter((ref) => keys.has(ref.target));
  return order(plans);
};

const DEFAULT_ROWS: Record<TableKind, [number, number]> = {
  person: [18, 32],
  company: [16, 28],
  place: [6, 10],
  product: [18, 30],
  line: [60, 160],
  lookup: [6, 10],
  document: [34, 56],
};

/** Rows wanted of a table; `draw` in [0, 1). */
export const rowsWanted = (plan: TablePlan, draw: number): number => {
  if (plan.table.rows !== undefined) return plan.table.rows;
  const [low, high] = DEFAULT_ROWS[plan.kind];
  const least = plan.life ? plan.life.spoken * 3 : 0;
  return Math.max(least, Math.floor(low + (high - low + 1) * draw));
};
