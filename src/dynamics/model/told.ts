/** Whether an agent can know what the new calls say: from the request, from what is told, or from what a call showed before. */
import type { Call } from '../../artifacts/task.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { spokenIn } from '../../tasks/by-hand/spoken.js';
import { says } from '../../tasks/disclosure/holds.js';
import type { Ground } from '../../tasks/ground/ground.js';
import { keyOf } from '../../tasks/ground/plan.js';
import { currencyOf } from '../../tasks/ground/say.js';
import { fits, saidOf } from '../../tasks/model/about.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import { argColumn, argSpecs, decodeArg } from '../../world/surface/args.js';
import type { Reached } from './reach.js';

const scalarsIn = (value: Json, out: Set<string> = new Set()): Set<string> => {
  if (value === null || typeof value !== 'object') out.add(canonicalJson(value));
  else for (const inner of Object.values(value)) scalarsIn(inner as Json, out);
  return out;
};

/** Dotted paths of the scalars among arguments. */
const leavesOf = (value: Json, path = ''): { path: string; value: string | number | boolean }[] => {
  if (value === null) return [];
  if (typeof value !== 'object') return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner as Json, path === '' ? key : `${path}.${key}`));
};

const isSpoken = (world: LoadedWorld, { tool: name }: Call, path: string, written: Json, text: string): boolean => {
  const found = world.tools.get(name);
  if (!found) return spokenIn(text, { written, currency: '' }) !== undefined;
  const { spec } = found.service;
  const { tool } = found.tool;
  const arg = [...argSpecs(spec, tool).values()].find((one) => {
    const own = one.path.join('.');
    return path === own || path.startsWith(`${own}.`);
  });
  const column = arg && argColumn(spec, tool, arg.name);
  const table = spec.tables[tool.table];
  let stored: SqlValue | undefined;
  try {
    const decoded = arg ? decodeArg(spec, tool, arg.name, written) : undefined;
    stored = Array.isArray(decoded) ? decoded[0] : decoded;
  } catch {
    stored = undefined;
  }
  const currency = table ? currencyOf(spec, table, undefined) : '';
  return spokenIn(text, { written, stored, column, currency }) !== undefined;
};

/** Whether one of these calls showed the value. */
export const isShown = (ledger: readonly LedgerEntry[], value: Json): boolean =>
  ledger.some(({ result }) => scalarsIn(result).has(canonicalJson(value)));

export interface NewCalls {
  /** The whole new reference as it ran. */
  ledger: readonly LedgerEntry[];
  from: number;
  insert: readonly Call[];
  old: readonly Call[];
}

/** The first value of a new call that nobody said and nothing showed, in words; undefined where all is known in time. */
export const unknownValue = (
  world: LoadedWorld,
  { ledger, from, insert, old }: NewCalls,
  text: string,
): string | undefined => {
  const used = new Set(old.flatMap(({ args }) => [...scalarsIn(args as Json)]));
  for (const [n, call] of insert.entries()) {
    const seen = new Set(ledger.slice(0, from + n).flatMap(({ result }) => [...scalarsIn(result)]));
    for (const { path, value } of leavesOf(call.args as Json)) {
      // A yes or no is said in whole sentences: no word of a text could be found for it.
      if (typeof value === 'boolean') continue;
      const written = canonicalJson(value);
      if (used.has(written) || seen.has(written) || isSpoken(world, call, path, value, text)) continue;
      return `${path} of ${call.tool} is ${written}, which nobody says and no call before it shows`;
    }
  }
  return undefined;
};

/** A row that the new calls take for the first time and that the words do not tell from others; undefined where there is none. */
export const unclearRow = (
  ground: Ground,
  rows: readonly Reached[],
  { insert, old }: NewCalls,
  text: string,
): string | undefined => {
  const before = new Set(old.flatMap(({ args }) => [...scalarsIn(args as Json)]));
  const now = new Set(insert.flatMap(({ args }) => [...scalarsIn(args as Json)]));
  for (const { label, service, table, spec, row } of rows) {
    const key = canonicalJson(keyOf(service, spec, row));
    if (!now.has(key) || before.has(key)) continue;
    const said = saidOf(ground, service, table, row, text);
    const n = fits(ground, { service, table, row, said, isLedTo: false });
    if (n !== 1)
      return `${n === 0 ? 'nothing is said of' : `${n} rows fit what is said of`} the ${spec.noun} ${label} that is to be taken now`;
  }
  return undefined;
};

/** An id that the words give away; undefined where there is none. */
export const saidKey = (rows: readonly Reached[], text: string): string | undefined => {
  for (const { label, service, spec, row, key } of rows)
    for (const one of [String(key), String(keyOf(service, spec, row))])
      if (one.length > 3 && says(text, one)) return `it says the id of ${label}`;
  return undefined;
};
