/**
 * A reference chain in the making: calls are run one after the other on a scratch session, and each argument is traced to
 * where an agent would have it from (certify.md, "everything the agent needs is reachable").
 */

import type { Column, Table } from '../../artifacts/table.js';
import type { Call, Source } from '../../artifacts/task.js';
import type { Arg } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedService, WorldTool } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { argPath, encodeArg } from '../../world/surface/args.js';
import { encodeValue } from '../../world/surface/values.js';

export interface NamedTool extends WorldTool {
  /** As the agent calls it. */
  name: string;
}

/** Where the value of an argument is meant to come from. */
export type Origin = { brief: string } | { observed: true } | { constant: string };

export interface PlannedArg {
  /** Canonical argument name. */
  name: string;
  value: SqlValue | SqlValue[];
  origin: Origin;
}

export interface Plan {
  session: Session;
  calls: Call[];
  sources: Source[];
  observations: Json[];
}

export const startPlan = (session: Session): Plan => ({ session, calls: [], sources: [], observations: [] });

/** An independent continuation of a plan: its own session, its own lists. */
export const forkPlan = (plan: Plan): Plan => ({
  session: plan.session.fork(`${plan.session.id}+`),
  calls: [...plan.calls],
  sources: [...plan.sources],
  observations: [...plan.observations],
});

export const dropPlan = (plan: Plan): void => plan.session.drop();

/** A row's key as results show it. */
export const keyOf = (service: LoadedService, table: Table, row: Row): Json =>
  encodeValue(service.spec, table.cols[table.key.col] as Column, row[table.key.col] ?? null, row);

/** First path in `result` at which `value` stands (`data.0.id`), or undefined. */
export const pathTo = (result: Json, value: Json, at = ''): string | undefined => {
  if (result === value) return at || '.';
  if (result === null || typeof result !== 'object') return undefined;
  for (const [key, item] of Object.entries(result)) {
    const found = pathTo(item as Json, value, at ? `${at}.${key}` : key);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Where `value` was seen: the latest observation that holds it. */
export const seenAt = (plan: Plan, value: Json): { observed: number; path: string } | undefined => {
  for (let call = plan.observations.length - 1; call >= 0; call--) {
    const path = pathTo(plan.observations[call] as Json, value);
    if (path !== undefined) return { observed: call, path };
  }
  return undefined;
};

const put = (into: Record<string, Json>, path: string[], value: Json): void => {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  into[head] ??= {};
  put(into[head] as Record<string, Json>, rest, value);
};

/** What the last call of the plan was refused with; undefined when it was not. */
export const refusalOf = ({ session }: Plan): string | undefined => {
  const last = session.ledger.at(-1);
  return last && !last.ok ? JSON.stringify(last.result).slice(0, 160) : undefined;
};

/** The arguments as an agent would write them in the service's dialect. */
export const surfaceArgs = (
  service: LoadedService,
  tool: NamedTool,
  args: readonly PlannedArg[],
): Record<string, Json> => {
  const out: Record<string, Json> = {};
  for (const planned of args) {
    const arg = tool.tool.tool.args[planned.name] as Arg;
    put(
      out,
      argPath(service.spec, planned.name, arg),
      encodeArg(service.spec, tool.tool.tool, planned.name, planned.value),
    );
  }
  return out;
};

const leaf = (args: Json, path: string[]): Json =>
  path.reduce<Json>((at, key) => (at as Record<string, Json>)?.[key] ?? null, args);

/**
 * Runs one call on the plan's session and records it. False, and nothing recorded, when the call fails or when an argument
 * that should have been observed was not.
 */
export const perform = (plan: Plan, tool: NamedTool, args: readonly PlannedArg[]): boolean => {
  const service = tool.service;
  const written = surfaceArgs(service, tool, args);
  const index = plan.calls.length;
  const sources: Source[] = [];
  for (const planned of args) {
    const path = argPath(service.spec, planned.name, tool.tool.tool.args[planned.name] as Arg);
    const value = leaf(written, path);
    const arg = path.join('.');
    if ('observed' in planned.origin) {
      const seen = seenAt(plan, value);
      if (!seen) return false;
      sources.push({ call: index, arg, from: seen });
    } else {
      sources.push({ call: index, arg, from: planned.origin });
    }
  }
  const outcome = plan.session.call(tool.name, written);
  if (!outcome.ok) return false;
  plan.calls.push({ service: service.id, tool: tool.name, args: written });
  plan.sources.push(...sources);
  plan.observations.push(outcome.result);
  return true;
};
