/** From what an agent wrote to canonical arguments. */
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import type { SqlValue } from '../state/types.js';
import { type ArgSpec, canonicalLiteral } from './args.js';
import { AgentError, badValue } from './value.js';

/** By argument name; an absent argument has no key. The page or cursor argument holds the row offset. */
export type Args = Record<string, SqlValue | SqlValue[]>;
type JsonObject = { [key: string]: Json };

const at = (raw: JsonObject, path: readonly string[]): Json | undefined => {
  let value: Json | undefined = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
};

const within = (spec: ArgSpec, value: SqlValue): void => {
  const { min, max, codec } = spec;
  if (typeof value === 'number') {
    if (min !== undefined && value < min)
      throw badValue(`must be at least ${codec.encode(min)}, not ${codec.encode(value)}`, value);
    if (max !== undefined && value > max)
      throw badValue(`must be at most ${codec.encode(max)}, not ${codec.encode(value)}`, value);
  }
};

const decodeOne = (spec: ArgSpec, json: Json, currency: string | undefined): SqlValue => {
  const value = spec.codec.decode(json, currency);
  if (spec.min !== undefined || spec.max !== undefined) within(spec, value);
  return value;
};

/** Throws the codec's error with the argument named as the agent wrote it. */
const named = (thrown: unknown, spec: ArgSpec): never => {
  if (!(thrown instanceof TreadleError)) throw thrown;
  const path = spec.path.join('.');
  throw new AgentError(thrown.code, `${path} ${thrown.message}`, path);
};

/** Decodes validated arguments. Throws `invalid_argument` with the surface name of the argument as `field`. */
export const decodeArgs = (specs: ReadonlyMap<string, ArgSpec>, raw: JsonObject): Args => {
  const out: Args = Object.create(null) as Args;
  let page: ArgSpec | undefined;
  for (const spec of specs.values()) {
    const json =
      spec.path.length === 1 && Object.hasOwn(raw, spec.path[0] as string)
        ? raw[spec.path[0] as string]
        : at(raw, spec.path);
    if (spec.arg.role === 'page') page = spec;
    if (json === undefined) {
      const standard = spec.arg.default;
      if (standard !== undefined && standard !== null)
        out[spec.name] = spec.arg.role === 'page' ? spec.codec.decode(standard) : canonicalLiteral(standard);
      continue;
    }
    if (json === null) {
      out[spec.name] = null;
      continue;
    }
    try {
      const said = spec.currencyArg === undefined || spec.arg.type !== 'money' ? undefined : out[spec.currencyArg];
      const currency = typeof said === 'string' ? said : undefined;
      out[spec.name] = spec.list
        ? (json as Json[]).map((item) => decodeOne(spec, item, currency))
        : decodeOne(spec, json, currency);
    } catch (thrown) {
      named(thrown, spec);
    }
  }
  if (page) pageToOffset(specs, page, out);
  return out;
};

const pageToOffset = (specs: ReadonlyMap<string, ArgSpec>, page: ArgSpec, out: Args): void => {
  const limit = [...specs.values()].find(({ arg }) => arg.role === 'limit');
  const size = (limit && (out[limit.name] as number | undefined)) ?? DEFAULT_LIMIT;
  if (out[page.name] !== undefined) out[page.name] = Number(out[page.name]) * size;
};

/** Rows of a list whose caller does not say how many. */
export const DEFAULT_LIMIT = 20;
