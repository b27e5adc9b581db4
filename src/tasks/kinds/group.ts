/** A set of rows that two conditions select, as a person names it, and the calls that show all of it. */
import type { Column, Table } from '../../artifacts/table.js';
import type { Binding } from '../../artifacts/task.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import { encodeValue } from '../../world/surface/values.js';
import { bindingOf } from '../atomic/candidate.js';
import { singleOut } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import {
  dropPlan,
  forkPlan,
  keyOf,
  type NamedTool,
  type Plan,
  type PlannedArg,
  pathTo,
  perform,
  startPlan,
} from '../ground/plan.js';
import { filterFor, reveal } from '../ground/reveal.js';
import { sayLabel } from '../ground/say.js';
import { joined } from '../words/grammar.js';
import { nounOf, sayMany } from '../words/names.js';
import { type Condition, conditionsOn } from './conditions.js';

export interface Owner {
  col: string;
  table: string;
  row: Row;
  words: string;
  label: string;
}

export interface RowGroup {
  service: LoadedService;
  table: string;
  rows: Row[];
  conditions: Condition[];
  owner?: Owner;
  /** `open invoices for customer Brandt due in March 2024 with an amount above EUR 500` */
  words: string;
  facts: string[];
  /** Rows that meet all conditions but one: what a careless reader would take along. */
  near: { row: Row; misses: string }[];
}

const ofOwner = (noun: string): string =>
  /(customer|patient|member|student|tenant|client|employee)/.test(noun)
    ? 'of'
    : /(conversation|channel|folder|warehouse|room|location|depot|site)$/.test(noun)
      ? 'in'
      : 'for';

/** The row behind a foreign key whose label is nobody else's. */
const ownerOf = (ground: Ground, service: LoadedService, table: string, seed: Row, random: Rng): Owner | undefined => {
  const spec = service.spec.tables[table] as Table;
  const cols = Object.entries(spec.cols).filter(([, { fk, hidden }]) => fk !== undefined && fk !== table && !hidden);
  if (cols.length === 0) return undefined;
  const [col, column] = random.pick(cols);
  const parent = column.fk as string;
  const parentSpec = service.spec.tables[parent] as Table;
  const row = ground
    .rows(service)(parent)
    .find((one) => one[parentSpec.key.col] === seed[col]);
  const label = row ? sayLabel(parentSpec, row) : undefined;
  const noun = nounOf(parentSpec);
  return row && label ? { col, table: parent, row, label, words: `${ofOwner(noun)} ${noun} ${label}` } : undefined;
};

const nameOf = (spec: Table, conditions: readonly Condition[], owner: Owner | undefined): string => {
  const before = conditions.flatMap(({ before: words }) => words ?? []);
  const behind = conditions.flatMap(({ behind: words }) => words ?? []);
  const having = behind.filter((words) => words.startsWith('with ')).map((words) => words.slice(5));
  const others = behind.filter((words) => !words.startsWith('with '));
  return [
    ...before,
    sayMany(spec),
    ...(owner ? [owner.words] : []),
    ...others,
    ...(having.length > 0 ? [`with ${joined(having)}`] : []),
  ].join(' ');
};

/** Two conditions that a row meets, one of them a date or an amount where there is one; whose they are may be one of the two. */
export const groupAround = (
  ground: Ground,
  service: LoadedService,
  table: string,
  seed: Row,
  random: Rng,
  not: readonly string[] = [],
): RowGroup | undefined => {
  const spec = service.spec.tables[table] as Table;
  const all = ground.rows(service)(table);
  const open = random
    .shuffle(conditionsOn(service, table, seed, all, random))
    .filter((condition) => !not.includes(condition.col) && all.some((row) => !condition.holds(row)));
  const measured = open.find(({ kind }) => kind !== 'state');
  const owner = random.chance(0.3) ? ownerOf(ground, service, table, seed, random) : undefined;
  // `shipped orders shipped in May` says it twice.
  const says = (one: Condition): boolean =>
    one.before !== undefined && measured?.behind?.startsWith(one.before) === true;
  const rest = open.filter(
    (one) =>
      one !== measured && !says(one) && (one.kind === 'state' || measured === undefined || one.kind !== measured.kind),
  );
  const conditions = [...(measured ? [measured] : []), ...rest].slice(0, owner ? 1 : 2);
  if (conditions.length + (owner ? 1 : 0) < 2) return undefined;
  const isOwn = (row: Row): boolean => owner === undefined || row[owner.col] === seed[owner.col];
  const rows = all.filter((row) => isOwn(row) && conditions.every((condition) => condition.holds(row)));
  const near = all.flatMap((row) => {
    const missed = [
      ...conditions.filter((condition) => !condition.holds(row)).map(({ is }) => is),
      ...(isOwn(row) ? [] : [`is ${owner?.words}`]),
    ];
    return missed.length === 1 ? [{ row, misses: missed[0] as string }] : [];
  });
  return {
    service,
    table,
    rows,
    conditions,
    ...(owner ? { owner } : {}),
    words: nameOf(spec, conditions, owner),
    facts: [...conditions.map(({ words }) => words), ...(owner ? [owner.label] : [])],
    near,
  };
};

export interface Shown {
  plan: Plan;
  bindings: Binding[];
}

/** Sees the owner, then lists with every filter that the tool has for the conditions; undefined unless one answer holds all that fit them. */
export const showGroup = (ground: Ground, tool: NamedTool, group: RowGroup, random: Rng): Shown | undefined => {
  const { service, table, conditions, owner } = group;
  const spec = service.spec.tables[table] as Table;
  let plan: Plan | undefined = startPlan(ground.fresh());
  const bindings: Binding[] = [];
  const args: PlannedArg[] = [];
  let fits = (_: Row): boolean => true;
  if (owner) {
    const descriptors = singleOut(ground, service, owner.table, owner.row, random, 'label');
    const sight = { world: ground.world, known: ground, service, random };
    const further: Plan | undefined =
      descriptors?.length === 1 ? reveal(sight, plan, owner.table, owner.row, descriptors) : undefined;
    dropPlan(plan);
    plan = further;
    if (!plan || !descriptors) return undefined;
    const key = owner.row[service.keys[owner.table] as string] as string | number;
    bindings.push(bindingOf('owner', service, owner.table, key, descriptors));
    const equal = filterFor(tool, owner.col, ['eq']);
    const among = equal ? undefined : filterFor(tool, owner.col, ['in']);
    const name = (equal ?? among)?.[0];
    if (!name) {
      dropPlan(plan);
      return undefined;
    }
    args.push({ name, value: among ? [key] : key, origin: { observed: true } });
    fits = (row) => row[owner.col] === key;
  }
  const said: Condition[] = [];
  for (const condition of conditions) {
    const own = condition.args(tool);
    if (own.length > 0) said.push(condition);
    args.push(...own);
  }
  const limit = Object.entries(tool.tool.tool.args).find(([, arg]) => arg.role === 'limit');
  if (limit)
    args.push({
      name: limit[0],
      value: Math.min(limit[1].max ?? 50, 100),
      origin: { constant: 'as many as the tool gives' },
    });
  const listed = forkPlan(plan);
  dropPlan(plan);
  const before = fits;
  const answered = ground
    .rows(service)(table)
    .filter((row) => before(row) && said.every((one) => one.holds(row)));
  const isWhole =
    perform(listed, tool, args) &&
    answered.every((row) => pathTo(listed.observations.at(-1) ?? null, keyOf(service, spec, row)) !== undefined);
  if (isWhole && showsConditions(listed, service, spec, group, said)) return { plan: listed, bindings };
  dropPlan(listed);
  return undefined;
};

/** A cell as results show it. */
export const shownAs = (service: LoadedService, spec: Table, col: string, row: Row): Json =>
  encodeValue(service.spec, spec.cols[col] as Column, row[col] ?? null, row);

/** Whether a value stands anywhere in a result. */
export const stands = (result: Json, value: Json): boolean => {
  if (value === null || typeof value !== 'object') return pathTo(result, value) !== undefined;
  const text = canonicalJson(value);
  const within = (json: Json): boolean =>
    json !== null &&
    typeof json === 'object' &&
    (canonicalJson(json) === text || Object.values(json).some((item) => within(item as Json)));
  return within(result);
};

/** What the list was not asked to narrow by, its rows must show: else nobody could tell them apart. */
const showsConditions = (
  plan: Plan,
  service: LoadedService,
  spec: Table,
  group: RowGroup,
  said: readonly Condition[],
): boolean => {
  const open = group.conditions.filter((condition) => !said.includes(condition)).map(({ col }) => col);
  const seen = plan.observations.at(-1) ?? null;
  return open.every((col) => group.rows.every((row) => stands(seen, shownAs(service, spec, col, row))));
};
