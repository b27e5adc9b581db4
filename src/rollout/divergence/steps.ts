/** Calls as what they do: two calls are one step where tool and arguments are the same, or where they change the same. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Call } from '../../artifacts/task.js';
import type { Tool } from '../../artifacts/tool.js';
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { WorldSpec } from '../../artifacts/world.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { argSpecs } from '../../world/surface/args.js';
import type { ServiceChange } from '../retrace/retrace.js';

export interface KnownTool {
  spec: ServiceSpec;
  tool: Tool;
}

/** By the name an agent uses: the service's prefix and the tool's name. */
export type ToolIndex = ReadonlyMap<string, KnownTool>;

export const toolIndex = (world: Pick<WorldSpec, 'services'>, services: readonly ServiceSpec[]): ToolIndex =>
  new Map(
    world.services.flatMap(({ id, prefix }) => {
      const spec = services.find((one) => one.id === id);
      return spec
        ? Object.entries(spec.tools).map(([name, tool]): [string, KnownTool] => [prefix + name, { spec, tool }])
        : [];
    }),
  );

export interface Step {
  tool: string;
  args: Json;
  /** Tool and arguments as the service reads them: `60.00` and `60`, keys in any order, an instant in any zone. */
  key: string;
  /** It is there to change something. */
  writes: boolean;
  /** It changed something; of a planned one: it is to. */
  changes: boolean;
  /** What it changed, without what only tells when; absent where that is not known or nothing was changed. */
  effect?: string;
  ok: boolean;
  /** Error code of a call that failed. */
  error?: string;
}

type Fields = Record<string, Json | undefined>;

const fieldsOf = (value: Json | undefined): Fields | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : undefined;

/** The arguments as the service reads them; what it would refuse stays as it was written. */
const readArguments = ({ spec, tool }: KnownTool, args: Json): Json => {
  const out: Record<string, Json> = {};
  const rest = structuredClone(args);
  for (const [name, { path, codec, list, nullable }] of argSpecs(spec, tool)) {
    const parent = path.slice(0, -1).reduce<Fields | undefined>((at, part) => fieldsOf(at?.[part]), fieldsOf(rest));
    const last = path.at(-1) as string;
    const written = parent?.[last];
    if (!parent || written === undefined) continue;
    delete parent[last];
    if (written === null && !nullable) continue;
    const read = (item: Json): Json => {
      try {
        return item === null ? null : (codec.decode(item) as Json);
      } catch {
        return item;
      }
    };
    out[name] = list && Array.isArray(written) ? written.map(read) : read(written);
  }
  return { read: out, rest: emptied(rest) };
};

/** Without objects from which everything was read. */
const emptied = (value: Json): Json => {
  const fields = fieldsOf(value);
  if (!fields) return value;
  const left = Object.entries(fields).flatMap(([name, inner]) => {
    const kept = emptied(inner ?? null);
    const isEmpty = kept === null || (fieldsOf(kept) && Object.keys(kept as object).length === 0);
    return isEmpty ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(left);
};

const keyOf = (index: ToolIndex, tool: string, args: Json): string => {
  const known = index.get(tool);
  return canonicalJson([tool, known ? readArguments(known, args) : args]);
};

/** Changes without the keys of new rows and without columns that only hold the moment of the call. */
const effectOf = (changes: readonly ServiceChange[], at: number): string | undefined => {
  if (changes.length === 0) return undefined;
  const said = changes.map(({ service, table, key, change, cols, before, after }) => {
    const told = cols.filter((col) => after?.[col] !== at && (change !== 'insert' || after?.[col] !== key));
    const values = Object.fromEntries(told.map((col) => [col, after?.[col] ?? null]));
    return canonicalJson({
      service,
      table,
      change,
      ...(change === 'insert' ? {} : { key }),
      ...(change === 'delete' ? {} : { values }),
      ...(change === 'delete' && before === undefined ? { unknown: true } : {}),
    });
  });
  return said.sort().join('\n');
};

const writesOf = (index: ToolIndex, tool: string): boolean => (index.get(tool)?.tool.writes.length ?? 0) > 0;

/** A call that somebody plans to make. */
export const plannedStep = (index: ToolIndex, { tool, args }: Call): Step => ({
  tool,
  args,
  key: keyOf(index, tool, args),
  writes: writesOf(index, tool),
  changes: writesOf(index, tool),
  ok: true,
});

/** A call that was made; `changes` where it is known what it changed, with values. */
export const madeStep = (index: ToolIndex, entry: LedgerEntry, changes?: readonly ServiceChange[]): Step => {
  const effect = changes && effectOf(changes, entry.at);
  return {
    tool: entry.tool,
    args: entry.args,
    key: keyOf(index, entry.tool, entry.args),
    writes: writesOf(index, entry.tool) || entry.touched.length > 0,
    changes: entry.touched.length > 0,
    ...(effect === undefined ? {} : { effect }),
    ok: entry.ok,
    ...(entry.error ? { error: entry.error.code } : {}),
  };
};

export const isSameStep = (a: Step, b: Step): boolean =>
  a.key === b.key || (a.effect !== undefined && a.effect === b.effect);
