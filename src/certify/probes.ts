/** Probes: for each tool one call that succeeds, with arguments taken from the initial data (certify.md, validator 4). */

import type { Table } from '../artifacts/table.js';
import type { Arg } from '../artifacts/tool.js';
import { DAY, startOfDay } from '../kit/calendar.js';
import type { Json } from '../kit/hash.js';
import type { Rng } from '../kit/rng.js';
import type { Session } from '../serve/sessions/session.js';
import type { LoadedService, WorldTool } from '../world/loaded.js';
import type { Row, SqlValue } from '../world/state/types.js';
import { argColumn, argPath, encodeArg } from '../world/surface/args.js';
import { subjectArg } from '../world/surface/subject.js';

export interface Probe {
  /** Full tool name. */
  name: string;
  tool: WorldTool;
  /** Surface arguments of a call that succeeded; undefined when none was found, with the last error. */
  args?: Record<string, Json>;
  result?: Json;
  /** The row a keyed call acts on. */
  key?: string | number;
  lastError?: string;
}

const TRIES = 40;
const STEERING = new Set(['limit', 'offset', 'page', 'cursor', 'sort']);

const put = (into: Record<string, Json>, path: readonly string[], value: Json): void => {
  let at = into;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, Json>;
  }
  at[path.at(-1) as string] = value;
};

/** All rows of the service's tables in the initial state, read on demand. */
export const rowReader = (service: LoadedService): ((table: string) => readonly Row[]) => {
  const known = new Map<string, Row[]>();
  return (table) => {
    const held = known.get(table);
    if (held) return held;
    service.connection.bind(service.pristine);
    const rows = service.connection.prepare(`SELECT * FROM "${table}" ORDER BY rowid LIMIT 400`).all();
    known.set(table, rows);
    return rows;
  };
};

const plainValue = (name: string, arg: Arg, clock: number, random: Rng, serial: number): SqlValue => {
  const options = arg.enum;
  if (options) return random.pick(options);
  switch (arg.type) {
    case 'bool':
      return 1;
    case 'date':
      return startOfDay(clock) + random.int(1, 30) * DAY;
    case 'datetime':
      return clock + random.int(1, 30) * DAY;
    case 'int':
    case 'number':
    case 'money': {
      const low = Math.max(1, arg.min ?? 1);
      return Math.min(arg.max ?? low, low);
    }
    case 'json':
      return '{}';
    default: {
      const text = arg.format === 'email' ? `probe${serial}@probe.example` : `${name.replaceAll('_', ' ')} ${serial}`;
      return text.slice(0, arg.maxLength ?? 60).padEnd(arg.minLength ?? 0, 'x');
    }
  }
};

/** A value for one argument: from the row acted on, from a row of the table it points to, or made up. */
const valueFor = (
  service: LoadedService,
  tool: WorldTool,
  name: string,
  arg: Arg,
  donor: Row | undefined,
  rows: (table: string) => readonly Row[],
  clock: number,
  random: Rng,
  serial: number,
): SqlValue | SqlValue[] | undefined => {
  const table = service.spec.tables[tool.tool.tool.table] as Table;
  const column = argColumn(service.spec, tool.tool.tool, name);
  const target = arg.ref ?? column?.fk;
  const targetSpec = target ? service.spec.tables[target] : undefined;
  let value: SqlValue | undefined;
  if (target && targetSpec) {
    const list = rows(target);
    value = list.length > 0 ? (random.pick(list)[targetSpec.key.col] ?? null) : undefined;
    if (value === undefined) return undefined;
  } else if (arg.role === 'set' && column?.unique)
    value = plainValue(name, { ...arg, ...(column.format ? { format: column.format } : {}) }, clock, random, serial);
  else if (arg.role === 'query') {
    const text = (tool.tool.tool.match ?? [])
      .map((col) => donor?.[col])
      .find((found) => typeof found === 'string' && found !== '');
    value = typeof text === 'string' ? text.slice(0, 40) : 'a';
  } else {
    const own = donor?.[arg.col ?? name];
    const usable =
      own !== null &&
      own !== undefined &&
      table.cols[arg.col ?? name]?.type === (arg.type === 'list' ? arg.items : arg.type);
    value = usable
      ? own
      : plainValue(
          name,
          { ...arg, ...(column?.enum && !arg.enum ? { enum: column.enum } : {}) },
          clock,
          random,
          serial,
        );
  }
  return arg.type === 'list' ? [value] : value;
};

/** Writes a call's arguments for a row of the tool's table; undefined when a required one has no value. */
export const argsFor = (
  service: LoadedService,
  tool: WorldTool,
  donor: Row | undefined,
  rows: (table: string) => readonly Row[],
  clock: number,
  random: Rng,
  serial: number,
  withOptional: boolean,
): Record<string, Json> | undefined => {
  const out: Record<string, Json> = {};
  const spec = service.spec.tables[tool.tool.tool.table] as Table;
  const subject = subjectArg(tool.tool.tool);
  for (const [name, arg] of Object.entries(tool.tool.tool.args)) {
    if (STEERING.has(arg.role) || (!arg.required && !withOptional)) continue;
    const value =
      name === subject
        ? (donor?.[spec.key.col] ?? undefined)
        : valueFor(service, tool, name, arg, donor, rows, clock, random, serial);
    if (value === undefined) {
      if (arg.required) return undefined;
      continue;
    }
    put(out, argPath(service.spec, name, arg), encodeArg(service.spec, tool.tool.tool, name, value));
  }
  return out;
};

const describeError = (result: Json): string => JSON.stringify(result).slice(0, 200);

/** Looks for a succeeding call of each of the service's tools, each try on a session of its own. */
export const findProbes = (
  service: LoadedService,
  tools: readonly (readonly [string, WorldTool])[],
  open: () => Session,
  random: Rng,
): Probe[] => {
  const rows = rowReader(service);
  return tools.map(([name, tool]) => {
    const probe: Probe = { name, tool };
    const own = rows(tool.tool.tool.table);
    const order = random.shuffle(own);
    const writes = tool.tool.tool.writes.length > 0;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const donor = order.length > 0 ? order[attempt % order.length] : undefined;
      const session = open();
      const args = argsFor(service, tool, donor, rows, session.clock, random, attempt, attempt % 2 === 1);
      const outcome = args ? session.call(name, args) : undefined;
      session.drop();
      if (!outcome || !args) {
        probe.lastError = 'a required argument has no value in the initial data';
        continue;
      }
      const wrote = outcome.entry.touched.length > 0;
      if (outcome.ok && (wrote || !writes || attempt >= TRIES - 5)) {
        const key = donor?.[(service.spec.tables[tool.tool.tool.table] as Table).key.col];
        return {
          name,
          tool,
          args,
          result: outcome.result,
          ...(typeof key === 'string' || typeof key === 'number' ? { key } : {}),
        };
      }
      if (!outcome.ok) probe.lastError = describeError(outcome.result);
    }
    return probe;
  });
};
