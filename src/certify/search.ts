/** How the arguments of a probe are searched for: rows to act on, ways of filling the rest, and one try of the two. */
import type { Table } from '../artifacts/table.js';
import type { Arg } from '../artifacts/tool.js';
import type { Rng } from '../kit/rng.js';
import { quoted } from '../world/ddl.js';
import type { LoadedService, WorldTool } from '../world/loaded.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { subjectArg } from '../world/surface/subject.js';
import { type CallArgs, writeArgs } from './arguments.js';
import { type Search, type Source, valueFor } from './values.js';

const STEERING = new Set<Arg['role']>(['limit', 'offset', 'page', 'cursor', 'sort']);

interface Way {
  source: Source;
  withOptional: boolean;
}

/** Ways of filling the arguments, in the order in which they are tried on a row. */
export const WAYS: readonly Way[] = [
  { source: 'own', withOptional: false },
  { source: 'more', withOptional: true },
  { source: 'made', withOptional: false },
  { source: 'other', withOptional: true },
  { source: 'more', withOptional: false },
  { source: 'own', withOptional: true },
  { source: 'other', withOptional: false },
  { source: 'made', withOptional: true },
  { source: 'less', withOptional: true },
  { source: 'less', withOptional: false },
];

/** All rows of the service's tables in the initial state, in the order they were written; each table is read once. */
export const rowReader = (service: LoadedService): ((table: string) => readonly Row[]) => {
  const known = new Map<string, Row[]>();
  return (table) => {
    const held = known.get(table);
    if (held) return held;
    service.connection.bind(service.pristine);
    const rows = service.connection.prepare(`SELECT * FROM ${quoted(table)} ORDER BY rowid`).all();
    known.set(table, rows);
    return rows;
  };
};

/** Rows in random order, one of each status after the other, so that a rare status is met early. */
export const donorsOf = (table: Table, rows: readonly Row[], random: Rng): Row[] => {
  const col = table.machine?.col ?? Object.keys(table.cols).find((name) => table.cols[name]?.enum);
  const shuffled = random.shuffle(rows);
  if (col === undefined) return shuffled;
  const groups = new Map<SqlValue, Row[]>();
  for (const row of shuffled) {
    const status = row[col] ?? null;
    const group = groups.get(status);
    if (group) group.push(row);
    else groups.set(status, [row]);
  }
  const lists = [...groups.values()];
  const out: Row[] = [];
  for (let i = 0; out.length < shuffled.length; i++)
    for (const list of lists) if (i < list.length) out.push(list[i] as Row);
  return out;
};

/**
 * The arguments of one try, those of `given` (canonical, by argument name) as they are; undefined when a required one has no
 * value in the data.
 */
export const argsOf = (
  search: Search,
  withOptional: boolean,
  given: Readonly<Record<string, SqlValue>> = {},
): CallArgs | undefined => {
  const { tool } = search.tool.tool;
  const { key } = search.service.spec.tables[tool.table] as Table;
  const subject = subjectArg(tool);
  const values: Record<string, SqlValue | SqlValue[]> = {};
  for (const [name, arg] of Object.entries(tool.args)) {
    const set = given[name];
    if (set !== undefined && set !== null) {
      values[name] = arg.type === 'list' ? [set] : set;
      continue;
    }
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
