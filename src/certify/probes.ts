/** Probes: for each tool one call that succeeds, with arguments taken from the initial data (certify.md, validator 4). */

import type { Table } from '../artifacts/table.js';
import type { Json } from '../kit/hash.js';
import type { Rng } from '../kit/rng.js';
import type { Session } from '../serve/sessions/session.js';
import type { LoadedService, WorldTool } from '../world/loaded.js';
import type { CallArgs } from './arguments.js';
import { prepareProbe } from './prepare.js';
import { argsOf, donorsOf, rowReader, WAYS } from './search.js';
import type { Search } from './values.js';

export { argsFor, rowReader } from './search.js';

export interface Probe {
  /** Full tool name. */
  name: string;
  tool: WorldTool;
  /** Calls that make a row ready for this one, where the initial data holds none that is. */
  before?: readonly { tool: string; args: CallArgs }[];
  /** Surface arguments of a call that succeeded; undefined when none was found, with what refused the tries. */
  args?: CallArgs;
  result?: Json;
  /** The row a keyed call acts on. */
  key?: string | number;
  lastError?: string;
}

export type Find = Pick<Search, 'service' | 'rows' | 'clock' | 'random'> & { open(): Session };

/** Tries for one tool; each row is met with each way of filling the arguments before they are used up. */
const MOST_TRIES = 240;
const LEAST_TRIES = 48;
/** Calls that may go before: a row is made, submitted, approved, and then acted on. */
const MOST_ROUNDS = 3;

/** The answers that refused most tries, with how many: what stands in the way, for whoever mends it. */
const worst = (refusals: readonly Json[]): string => {
  const counts = new Map<string, number>();
  for (const refusal of refusals) {
    const text = JSON.stringify(refusal).slice(0, 160);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([text, n]) => `${n}x ${text}`)
    .join(' ');
};

const findProbe = (find: Find, name: string, tool: WorldTool): Probe => {
  const { service, rows } = find;
  // A stream of its own, so that a tool's probe does not change when another tool is left out.
  const random = find.random.stream(name);
  const spec = tool.tool.tool;
  const table = service.spec.tables[spec.table] as Table;
  const donors = donorsOf(table, rows(spec.table), random);
  const tries = Math.min(MOST_TRIES, Math.max(LEAST_TRIES, donors.length * WAYS.length));
  const refusals: Json[] = [];
  let idle: Probe | undefined;
  for (let serial = 0; serial < tries; serial++) {
    const count = Math.max(1, donors.length);
    const donor = donors[serial % count];
    const way = WAYS[((serial % count) + Math.floor(serial / count)) % WAYS.length];
    const { source, withOptional } = way as (typeof WAYS)[number];
    const search: Search = { service, tool, rows, donor, source, clock: find.clock, random, serial };
    const args = argsOf(search, withOptional);
    if (!args) continue;
    const session = find.open();
    const outcome = session.call(name, args);
    session.drop();
    if (!outcome.ok) {
      refusals.push(outcome.result);
      continue;
    }
    const key = donor?.[table.key.col];
    const probe: Probe = { name, tool, args, result: outcome.result };
    if (typeof key === 'string' || typeof key === 'number') probe.key = key;
    if (spec.writes.length === 0 || outcome.entry.touched.length > 0) return probe;
    idle ??= probe;
  }
  const lastError = refusals.length > 0 ? worst(refusals) : 'a required argument has no value in the initial data';
  return idle ?? { name, tool, lastError };
};

/**
 * Looks for a succeeding call of each of the service's tools; for a tool that writes, one that changes something. A tool for
 * which no row is ready gets the calls of other tools that make one so.
 */
export const findProbes = (
  service: LoadedService,
  tools: readonly (readonly [string, WorldTool])[],
  open: () => Session,
  random: Rng,
  rows = rowReader(service),
): Probe[] => {
  const first = open();
  const find: Find = { service, rows, open, random, clock: first.clock };
  first.drop();
  const probes = tools.map(([name, tool]) => findProbe(find, name, tool));
  for (let round = 0; round < MOST_ROUNDS && probes.some(({ args }) => args === undefined); round++) {
    const found = probes.filter(({ args }) => args !== undefined);
    let more = false;
    for (const [i, probe] of probes.entries()) {
      const prepared = probe.args === undefined ? prepareProbe(find, probe, found) : undefined;
      if (!prepared) continue;
      probes[i] = prepared;
      more = true;
    }
    if (!more) break;
  }
  return probes;
};
