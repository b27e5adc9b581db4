/** Writes a call's arguments as an agent would: each value in the surface's form, at the place the surface gives it. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Table } from '../artifacts/table.js';
import type { Arg, Tool } from '../artifacts/tool.js';
import type { Json } from '../kit/hash.js';
import type { SqlValue } from '../world/state/types.js';
import { argPath, encodeArg } from '../world/surface/args.js';
import { currencyColumn } from '../world/surface/values.js';

export type CallArgs = Record<string, Json>;
/** Canonical values by argument name. */
export type Values = Readonly<Record<string, SqlValue | readonly SqlValue[]>>;

/** Puts a value at a path, making the objects on the way; an undefined one takes the last key away. */
export const placed = (args: CallArgs, path: readonly string[], value: Json | undefined): CallArgs => {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    if (value !== undefined) return { ...args, [head]: value };
    const { [head]: _, ...others } = args;
    return others;
  }
  const inner = args[head];
  const held = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as CallArgs) : {};
  return { ...args, [head]: placed(held, rest, value) };
};

/** What stands at a path. */
export const valueAt = (args: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (at, key) =>
      typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, key) ? at[key] : undefined,
    args,
  );

/** The currency the call itself says, where the tool takes one. */
const currencyIn = (spec: ServiceSpec, tool: Tool, values: Values): string | undefined => {
  const column = currencyColumn(spec.tables[tool.table] as Table);
  const name = Object.keys(tool.args).find((arg) => column !== undefined && (tool.args[arg]?.col ?? arg) === column);
  const said = name === undefined ? undefined : values[name];
  return typeof said === 'string' ? said : undefined;
};

/** The arguments object of a call. Throws `unknown_argument`. */
export const writeArgs = (spec: ServiceSpec, tool: Tool, values: Values): CallArgs => {
  const currency = currencyIn(spec, tool, values);
  return Object.entries(values).reduce<CallArgs>(
    (args, [name, value]) =>
      placed(
        args,
        argPath(spec, name, tool.args[name] as Arg),
        encodeArg(spec, tool, name, value, tool.args[name]?.type === 'money' ? currency : undefined),
      ),
    {},
  );
};
