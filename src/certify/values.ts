/** Values for the arguments of a probe: from the row acted on, from another row, from the row pointed to, or made up. */
import type { Column, Table } from '../artifacts/table.js';
import type { Arg } from '../artifacts/tool.js';
import { DAY, startOfDay } from '../kit/calendar.js';
import type { Rng } from '../kit/rng.js';
import type { LoadedService, WorldTool } from '../world/loaded.js';
import { stringOf } from '../world/seed/pattern.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { argColumn } from '../world/surface/args.js';

/** Where a value comes from first: the row itself, another row, nowhere, or the row's own with something added or taken off. */
export type Source = 'own' | 'other' | 'made' | 'more' | 'less';

export interface Search {
  service: LoadedService;
  tool: WorldTool;
  rows(table: string): readonly Row[];
  /** The row acted on, or one to write alike. */
  donor: Row | undefined;
  source: Source;
  clock: number;
  random: Rng;
  /** Differs in every try, for values that must be new. */
  serial: number;
}

interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
  enum?: readonly string[] | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  pattern?: string | undefined;
  format?: string | undefined;
}

/** States to which the donor may move, where the column is the one its machine is about. */
const nextStates = ({ machine }: Table, col: string, donor: Row | undefined): string[] | undefined => {
  if (machine?.col !== col || !donor) return undefined;
  const now = donor[col];
  const next = machine.moves.filter(({ from }) => from.includes(String(now))).map(({ to }) => to);
  return next.length > 0 ? next : undefined;
};

/** What the argument allows, with what the column allows where the argument writes it. */
const boundsOf = (arg: Arg, column: Column | undefined): Bounds => {
  const set = arg.role === 'set' ? column : undefined;
  return {
    min: arg.min ?? set?.min,
    max: arg.max ?? set?.max,
    enum: arg.enum ?? column?.enum,
    minLength: arg.minLength,
    maxLength: arg.maxLength ?? set?.maxLength,
    pattern: arg.pattern ?? set?.pattern,
    format: arg.format ?? column?.format,
  };
};

const within = (value: SqlValue | undefined, bounds: Bounds): boolean => {
  if (value === null || value === undefined) return false;
  if (typeof value === 'number')
    return (bounds.min === undefined || value >= bounds.min) && (bounds.max === undefined || value <= bounds.max);
  if (bounds.enum && !bounds.enum.includes(value)) return false;
  return value.length >= (bounds.minLength ?? 0) && value.length <= (bounds.maxLength ?? 60_000);
};

const madeText = (name: string, bounds: Bounds, { random, serial }: Search): string => {
  if (bounds.enum) return random.pick(bounds.enum);
  const formed = bounds.pattern ? stringOf(bounds.pattern, random, bounds.minLength, bounds.maxLength) : undefined;
  if (formed !== undefined) return formed;
  const text = bounds.format === 'email' ? `probe${serial}@probe.example` : `${name.replaceAll('_', ' ')} ${serial}`;
  return text.slice(0, bounds.maxLength ?? 60).padEnd(bounds.minLength ?? 0, 'x');
};

const made = (name: string, arg: Arg, bounds: Bounds, search: Search): SqlValue => {
  const { clock, random, source, serial } = search;
  const type = arg.type === 'list' ? (arg.items ?? 'text') : arg.type;
  const days = source === 'other' || source === 'less' ? -random.int(1, 20) : random.int(1, 30);
  switch (type) {
    case 'bool':
      return source === 'other' ? 0 : 1;
    case 'date':
      return startOfDay(clock) + days * DAY;
    case 'datetime':
      return clock + days * DAY;
    case 'int':
    case 'number':
    case 'money': {
      const low = Math.max(1, bounds.min ?? 1) + (source === 'more' ? 1 + (serial % 7) : 0);
      return Math.min(bounds.max ?? low, low);
    }
    case 'json':
      return '{}';
    default:
      return madeText(name, bounds, search);
  }
};

/** The donor's value with a little more or less; dates move by up to a year. */
const moved = (value: SqlValue, arg: Arg, { source, random }: Search): SqlValue => {
  if (typeof value !== 'number') return value;
  const sign = source === 'less' ? -1 : 1;
  if (arg.type === 'date' || arg.type === 'datetime') return value + sign * random.int(1, 365) * DAY;
  return arg.type === 'bool' ? 1 - value : value + sign;
};

/** Rows of the table pointed to that hang on the same parents as the donor: a credit note's invoice is its customer's. */
const kin = (search: Search, target: string, list: readonly Row[]): readonly Row[] => {
  const { service, tool, donor } = search;
  if (!donor) return [];
  const own = (service.spec.tables[tool.tool.tool.table] as Table).cols;
  const shared = Object.entries(service.spec.tables[target]?.cols ?? {}).flatMap(([col, { fk }]) => {
    const mine = fk === undefined ? undefined : Object.keys(own).find((name) => own[name]?.fk === fk);
    return mine === undefined || donor[mine] === null ? [] : [{ col, value: donor[mine] }];
  });
  if (shared.length === 0) return [];
  return list.filter((row) => shared.every(({ col, value }) => row[col] === value));
};

/** Rows of the table pointed to that a row of a third table ties to the donor: the members of a group. */
const tied = ({ service, tool, donor, rows }: Search, target: string): ReadonlySet<SqlValue> => {
  const own = tool.tool.tool.table;
  const key = donor?.[(service.spec.tables[own] as Table).key.col] ?? null;
  const out = new Set<SqlValue>();
  if (key === null || own === target) return out;
  for (const [name, { cols }] of Object.entries(service.spec.tables)) {
    const mine = Object.keys(cols).find((col) => cols[col]?.fk === own);
    const theirs = Object.keys(cols).find((col) => cols[col]?.fk === target);
    if (mine === undefined || theirs === undefined) continue;
    for (const row of rows(name)) if (row[mine] === key && row[theirs] !== null) out.add(row[theirs] as SqlValue);
  }
  return out;
};

const reference = (search: Search, target: string, key: string, held: SqlValue | undefined): SqlValue | undefined => {
  const list = search.rows(target);
  if (search.source === 'own' && held !== null && held !== undefined) return held;
  const partners = search.source === 'own' ? tied(search, target) : new Set<SqlValue>();
  const met = partners.size > 0 ? list.filter((row) => partners.has(row[key] ?? null)) : [];
  const related = met.length > 0 ? met : search.source === 'other' ? [] : kin(search, target, list);
  const among = related.length > 0 ? related : list;
  return among.length === 0 ? undefined : search.random.pick(among)[key];
};

/** What a row below the donor holds under that name: the number of a person who is in the group. */
const below = ({ service, tool, donor, rows, random }: Search, col: string, type: Arg['type']): SqlValue => {
  const own = tool.tool.tool.table;
  const key = donor?.[(service.spec.tables[own] as Table).key.col] ?? null;
  for (const [name, { cols }] of Object.entries(service.spec.tables)) {
    const up = Object.keys(cols).find((candidate) => cols[candidate]?.fk === own);
    if (up === undefined || cols[col]?.type !== type) continue;
    const held = rows(name).filter((row) => row[up] === key && row[col] !== null);
    if (held.length > 0) return random.pick(held)[col] ?? null;
  }
  return null;
};

/** Words of the text columns that a query looks in. */
const queryText = ({ tool, donor }: Search): string => {
  const text = (tool.tool.tool.match ?? [])
    .map((col) => donor?.[col])
    .find((found) => typeof found === 'string' && found !== '');
  return typeof text === 'string' ? text.slice(0, 40) : 'a';
};

/** A canonical value for one argument; undefined when the data holds none. */
export const valueFor = (search: Search, name: string): SqlValue | SqlValue[] | undefined => {
  const { service, tool, donor, source, random } = search;
  const table = service.spec.tables[tool.tool.tool.table] as Table;
  const arg = tool.tool.tool.args[name] as Arg;
  const column = argColumn(service.spec, tool.tool.tool, name);
  const own = arg.col ?? name;
  const listed = (value: SqlValue | undefined): SqlValue | SqlValue[] | undefined =>
    value === undefined || value === null ? undefined : arg.type === 'list' ? [value] : value;
  const target = arg.ref ?? column?.fk;
  const pointed = target === undefined ? undefined : service.spec.tables[target];
  if (target !== undefined && pointed) return listed(reference(search, target, pointed.key.col, donor?.[own]));
  if (arg.role === 'query') return queryText(search);
  const bounds = boundsOf(arg, column);
  const alike = table.cols[own]?.type === (arg.type === 'list' ? arg.items : arg.type);
  const child = !alike && source === 'own' ? below(search, own, arg.type) : null;
  if (within(child, bounds)) return listed(child);
  const states = arg.role === 'set' ? nextStates(table, own, donor) : undefined;
  if (source === 'made' && states) return listed(random.pick(states));
  if (source === 'made' || !alike || (arg.role === 'set' && column?.unique))
    return listed(made(name, arg, bounds, search));
  const all = search.rows(tool.tool.tool.table);
  const from = source === 'other' && all.length > 0 ? random.pick(all) : donor;
  const held = from?.[own] ?? null;
  const value = (source === 'more' || source === 'less') && held !== null ? moved(held, arg, search) : held;
  return listed(within(value, bounds) ? value : made(name, arg, bounds, search));
};
