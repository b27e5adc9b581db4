/** Probes: for each tool one call that succeeds, with arguments taken from the initial data (certify.md, validator 4). */

import type { Table } from '../artifacts/table.js';
import type { Arg } from '../artifacts/tool.js';
import type { Json } from '../kit/hash.js';
import type { Rng } from '../kit/rng.js';
import type { Session } from '../serve/sessions/session.js';
import type { LoadedService, WorldTool } from '../world/loaded.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { subjectArg } from '../world/surface/subject.js';
import { type CallArgs, writeArgs } from './arguments.js';
import { type Search, type Source, valueFor } from './values.js';

export interface Probe {
  /** Full tool name. */
  name: string;
  tool: WorldTool;
  /** Surface arguments of a call that succeeded; undefined when none was found, with what refused the tries. */
  args?: CallArgs;
  result?: Json;
  /** The row a keyed call acts on. */
  key?: string | number;
  lastError?: string;
}

/** Tries for one tool; each row is met with each way of filling the arguments before they are used up. */
const MOST_TRIES = 400;
const LEAST_TRIES = 48;
const STEERING = new Set<Arg['role']>(['limit', 'offset', 'page', 'cursor', 'sort']);
const WAYS: readonly { source: Source; withOptional: boolean }[] = [
  { source: 'own', withOptional: false },
  { source: 'more', withOptional: true },
  { source: 'made', withOptional: false },
  { source: 'other', withOptional: true },
  { source: 'more', withOptional: false },
  { source: 'own', withOptional: true },
  { source: 'other', withOptional: false },
  { source: 'made', withOptional: true },
];

/** All rows of the service's tables in the initial state, in the order they were written; each table is read once. */
export const rowReader = (service: LoadedService): ((table: string) => readonly Row[]) => {
  const known = new Map<string, Row[]>();
  return (table) => {
    const held = known.get(table);
    if (held) return held;
    service.connection.bind(service.pristine);
    const rows = service.connection.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).all();
    known.set(table, rows);
    return rows;
  };
};

/** Rows in random order, one of each status after the other, so that a rare status is met early. */
const donorsOf = (table: Table, rows: readonly Row[], random: Rng): Row[] => {
  const col = table.machine?.col ?? Object.keys(table.cols).find((name) => table.cols[name]?.enum);
  const shuffled = random.shuffle(rows);
  if (col === undefined) return shuffled;
  const groups = new Map<SqlValue, Row[]>();
  for (const row of shuffled) {
    const status = row[col] ?? null;
    groups.set(status, [...(groups.get(status) ?? []), row]);
  }
  const lists = [...groups.values()];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
};

/** The arguments of one try; undefined when a required one has no value in the data. */
const argsOf = (search: Search, withOptional: boolean): CallArgs | undefined => {
  const { tool } = search.tool.tool;
  const { key } = search.service.spec.tables[tool.table] as Table;
  const subject = subjectArg(tool);
  const values: Record<string, SqlValue | SqlValue[]> = {};
  for (const [name, arg] of Object.entries(tool.args)) {
    if (STEERING.has(arg.role) || (!arg.required && !withOptional)) continue;
    const isCallersKey = tool.op === 'create' && arg.role === 'key';
    const value = name === subject && !isCallersKey ? search.donor?.[key.col] : valueFor(search, name);
    if (value !== undefined && value !== null) values[name] = value;
    else if (arg.required) return undefined;
  }
  return writeArgs(search.service.spec, tool, values);
};

/** The arguments of a call on `donor`, its own values first, and in later tries with something added. */
export const argsFor = (
  service: LoadedService,
  tool: WorldTool,
  donor: Row | undefined,
  rows: (table: string) => readonly Row[],
  clock: number,
  random: Rng,
  serial: number,
  withOptional: boolean,
): CallArgs | undefined =>
  argsOf({ service, tool, rows, donor, source: serial === 0 ? 'own' : 'more', clock, random, serial }, withOptional);

/** The answers that refused most tries, with how many: what stands in the way, for whoever mends it. */
const worst = (refusals: ReadonlyMap<string, number>): string =>
  [...refusals]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([text, n]) => `${n}x ${text}`)
    .join(' ');

type Find = Pick<Search, 'service' | 'rows'> & { open(): Session; random: Rng };

const findProbe = (find: Find, name: string, tool: WorldTool): Probe => {
  const { service, rows } = find;
  // A stream of its own, so that a tool's probe does not change when another tool is left out.
  const random = find.random.stream(name);
  const spec = tool.tool.tool;
  const table = service.spec.tables[spec.table] as Table;
  const donors = donorsOf(table, rows(spec.table), random);
  const tries = Math.min(MOST_TRIES, Math.max(LEAST_TRIES, donors.length * WAYS.length));
  const session = find.open();
  const refusals = new Map<string, number>();
  let idle: Probe | undefined;
  for (let serial = 0; serial < tries; serial++) {
    const count = Math.max(1, donors.length);
    const donor = donors[serial % count];
    const way = WAYS[((serial % count) + Math.floor(serial / count)) % WAYS.length];
    const { source, withOptional } = way as (typeof WAYS)[number];
    const search: Search = { service, tool, rows, donor, source, clock: session.clock, random, serial };
    const args = argsOf(search, withOptional);
    if (!args) continue;
    const outcome = session.call(name, args);
    if (!outcome.ok) {
      const text = JSON.stringify(outcome.result).slice(0, 160);
      refusals.set(text, (refusals.get(text) ?? 0) + 1);
      continue;
    }
    const key = donor?.[table.key.col];
    const probe: Probe = { name, tool, args, result: outcome.result };
    if (typeof key === 'string' || typeof key === 'number') probe.key = key;
    if (spec.writes.length === 0 || outcome.entry.touched.length > 0) {
      session.drop();
      return probe;
    }
    idle ??= probe;
  }
  session.drop();
  const lastError = refusals.size > 0 ? worst(refusals) : 'a required argument has no value in the initial data';
  return idle ?? { name, tool, lastError };
};

/** Looks for a succeeding call of each of the service's tools; for a tool that writes, one that changes something. */
export const findProbes = (
  service: LoadedService,
  tools: readonly (readonly [string, WorldTool])[],
  open: () => Session,
  random: Rng,
  rows = rowReader(service),
): Probe[] => tools.map(([name, tool]) => findProbe({ service, rows, open, random }, name, tool));
