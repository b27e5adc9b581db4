/** JSON Schema of a tool's arguments, as an agent sees them. */
import type { Json } from '../../kit/hash.js';
import { type ArgSpec, canonicalLiteral, MAX_ITEMS } from './args.js';
import type { Codec } from './value.js';

type Schema = { [key: string]: Json };

/** Patterns that can take time exponential in the text are not checked. */
const RISKY = /\([^()]*[+*}][^()]*\)[+*{]|\\[1-9]/;

/** The pattern when a schema may carry it: it compiles and cannot blow up. */
export const safePattern = (pattern: string): string | undefined => {
  if (pattern.length > 200 || RISKY.test(pattern)) return undefined;
  try {
    new RegExp(pattern, 'u');
    return pattern;
  } catch {
    return undefined;
  }
};

const described = ({ arg }: ArgSpec, codec: Codec): string => {
  const text = arg.description?.trim() ?? '';
  if (!codec.hint || codec.schema.format) return text;
  return text ? `${text.replace(/\.$/, '')} (${codec.hint}).` : codec.hint;
};

const scalar = (spec: ArgSpec): Schema => {
  const { arg, codec } = spec;
  const out: Schema = { ...codec.schema };
  const numeric = out.type === 'integer' || out.type === 'number';
  const counted = arg.role !== 'page' && arg.type !== 'date' && arg.type !== 'datetime';
  if (numeric && counted && spec.min !== undefined) out.minimum = codec.encode(spec.min);
  if (numeric && counted && spec.max !== undefined) out.maximum = codec.encode(spec.max);
  if (out.type === 'string' && !out.enum && !out.format && arg.type !== 'date' && arg.type !== 'datetime') {
    if (spec.minLength !== undefined) out.minLength = spec.minLength;
    if (spec.maxLength !== undefined) out.maxLength = spec.maxLength;
    const pattern = arg.pattern === undefined ? undefined : safePattern(arg.pattern);
    if (pattern !== undefined) out.pattern = pattern;
    if (arg.format !== undefined && (arg.type === 'text' || arg.items === 'text')) out.format = arg.format;
  }
  return out;
};

const orNull = (schema: Schema): Schema => {
  const out: Schema = { ...schema };
  if (typeof out.type === 'string') out.type = [out.type, 'null'];
  if (Array.isArray(out.enum)) out.enum = [...out.enum, null];
  return out;
};

const leaf = (spec: ArgSpec): Schema => {
  const one = scalar(spec);
  const value: Schema = spec.list ? { type: 'array', items: one, maxItems: MAX_ITEMS } : one;
  const schema = spec.nullable ? orNull(value) : value;
  const description = described(spec, spec.codec);
  if (description) schema.description = description;
  if (spec.arg.default !== undefined && spec.arg.default !== null) {
    const standard = canonicalLiteral(spec.arg.default);
    schema.default = spec.arg.role === 'page' ? standard : spec.codec.encode(standard);
  }
  return schema;
};

interface Branch {
  properties: Schema;
  required: string[];
}
const object = ({ properties, required }: Branch): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

const branch = (specs: readonly ArgSpec[], depth: number): Schema => {
  const out: Branch = { properties: {}, required: [] };
  const heads = [...new Set(specs.map((spec) => spec.path[depth] as string))];
  for (const head of heads) {
    const under = specs.filter((spec) => spec.path[depth] === head);
    const [first] = under as [ArgSpec];
    out.properties[head] = first.path.length === depth + 1 ? leaf(first) : branch(under, depth + 1);
    if (under.some(({ arg }) => arg.required && arg.default === undefined)) out.required.push(head);
  }
  return object(out);
};

/** The schema of the arguments object: nested by dotted fields, nothing else allowed. */
export const inputSchemaOf = (specs: Iterable<ArgSpec>): Schema => branch([...specs], 0);
