/**
 * Which rows a model's brief speaks of, found from its calls and its words: a row whose id was looked up in a list has to be told
 * apart by what the brief says of it. What a row itself led to (the customer of that invoice) needs no words of its own.
 */
import type { Json } from '../../kit/hash.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { argColumn, argSpecs, decodeArg } from '../../world/surface/args.js';
import type { HandRun } from '../by-hand/run.js';
import { spokenIn, wordsIn } from '../by-hand/spoken.js';
import { type Descriptor, fitting, parentIsClear, sayable } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';
import { currencyOf } from '../ground/say.js';

export interface Concerned {
  service: LoadedService;
  table: string;
  row: Row;
  /** What the brief says of it. */
  said: Descriptor[];
  /** Its id comes out of another row, not out of a list. */
  isLedTo: boolean;
}

const at = (value: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (inner, key) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner) && Object.hasOwn(inner, key)
        ? inner[key]
        : undefined,
    value,
  );

/** What a person could say of the row, as far as the brief does, in the brief's own words. */
export const saidOf = (
  ground: Ground,
  service: LoadedService,
  table: string,
  row: Row,
  brief: string,
): Descriptor[] => {
  const spec = service.spec.tables[table];
  if (!spec) return [];
  const currency = currencyOf(service.spec, spec, row);
  return sayable(ground, service, table, row).flatMap((descriptor) => {
    const { col, value, words, parent } = descriptor;
    if (parent && !parentIsClear(ground, descriptor)) return [];
    const found = parent
      ? wordsIn(brief, words.replace(/[“”]/g, ''))
      : spokenIn(brief, { written: value as Json, stored: value as SqlValue, column: spec.cols[col], currency });
    return found === undefined ? [] : [{ ...descriptor, words: found }];
  });
};

const decoded = (
  service: LoadedService,
  tool: Parameters<typeof decodeArg>[1],
  name: string,
  written: Json,
): SqlValue[] => {
  try {
    const value = decodeArg(service.spec, tool, name, written);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
};

/** Rows of the initial state whose made-up keys the calls were given, in the order of the calls. */
export const keyedRows = (ground: Ground, brief: string, run: HandRun): Concerned[] => {
  const out = new Map<string, Concerned>();
  for (const [call, { tool: name, args }] of run.calls.entries()) {
    const found = ground.world.tools.get(name);
    if (!found) continue;
    const { service } = found;
    const { tool } = found.tool;
    for (const spec of argSpecs(service.spec, tool).values()) {
      const table =
        spec.arg.role === 'key' ? tool.table : (spec.arg.ref ?? argColumn(service.spec, tool, spec.name)?.fk);
      const key = table === undefined ? undefined : service.spec.tables[table]?.key;
      const written = at(args as Json, spec.path);
      if (table === undefined || key?.gen === undefined || written === undefined || written === null) continue;
      const source = run.sources.find((one) => one.call === call && one.arg === spec.path.join('.'))?.from;
      const shownBy = source && 'observed' in source ? run.calls[source.observed]?.tool : undefined;
      const isLedTo = shownBy !== undefined && ground.world.tools.get(shownBy)?.tool.tool.op === 'get';
      for (const value of decoded(service, tool, spec.name, written)) {
        const row = ground
          .rows(service)(table)
          .find((one) => one[key.col] === value);
        const id = `${service.id}.${table}#${value}`;
        if (!row || out.get(id)?.isLedTo === false) continue;
        out.set(id, { service, table, row, said: saidOf(ground, service, table, row, brief), isLedTo });
      }
    }
  }
  return [...out.values()];
};

/** How many rows fit what the brief says; none where it says nothing. */
export const fits = (ground: Ground, { service, table, said }: Concerned): number =>
  said.length === 0 ? 0 : fitting(service, table, said, ground.rows(service)(table)).length;
