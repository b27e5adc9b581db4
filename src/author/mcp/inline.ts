/** JSON Schemas of tools made plain: references followed within the schema itself, loops cut, depth and size bounded. */
import { isNode, type Node } from '../../document/node.js';

const DEEPEST = 8;
const MOST_NODES = 4_000;
const KEPT = [
  'type',
  'enum',
  'const',
  'format',
  'default',
  'minimum',
  'maximum',
  'maxLength',
  'pattern',
  'nullable',
  'readOnly',
  'writeOnly',
  'example',
];

const pointed = (root: Node, ref: string): unknown => {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const name = decodeURIComponentSafe(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isNode(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
};

const decodeURIComponentSafe = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

interface Walk {
  root: Node;
  left: number;
}

const walk = (value: unknown, w: Walk, depth: number, open: readonly unknown[]): Node => {
  if (!isNode(value) || depth > DEEPEST || w.left-- <= 0 || open.includes(value)) return {};
  const within = [...open, value];
  if (typeof value.$ref === 'string') {
    const followed = walk(pointed(w.root, value.$ref), w, depth, within);
    return typeof value.description === 'string' ? { ...followed, description: value.description } : followed;
  }
  const out: Node = {};
  for (const name of KEPT) if (value[name] !== undefined) out[name] = value[name];
  if (typeof value.description === 'string') out.description = value.description.slice(0, 400);
  if (Array.isArray(value.examples) && out.example === undefined) out.example = value.examples[0];
  if (Array.isArray(value.required)) out.required = value.required.filter((name) => typeof name === 'string');
  if (isNode(value.properties)) {
    const properties: Node = Object.create(null) as Node;
    for (const [name, inner] of Object.entries(value.properties)) properties[name] = walk(inner, w, depth + 1, within);
    out.properties = properties;
  }
  if (isNode(value.items)) out.items = walk(value.items, w, depth + 1, within);
  for (const name of ['allOf', 'anyOf', 'oneOf'])
    if (Array.isArray(value[name]))
      out[name] = (value[name] as unknown[]).slice(0, 20).map((inner) => walk(inner, w, depth + 1, within));
  return out;
};

/** The alternative that says most, where a schema leaves a choice between objects: arguments are one set of names. */
const settled = (schema: Node): Node => {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const objects = parts.filter((part): part is Node => isNode(part) && isNode(part.properties));
  if (objects.length === 0) return schema;
  const all = Array.isArray(schema.allOf);
  const properties: Node = Object.create(null) as Node;
  for (const part of [...objects, schema])
    if (isNode(part.properties))
      for (const [name, inner] of Object.entries(part.properties)) properties[name] ??= inner;
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  if (all)
    for (const part of objects) for (const name of (part.required as string[] | undefined) ?? []) required.add(name);
  return { type: 'object', properties, required: [...required] };
};

/** A schema without `$ref`, at most 8 deep and 4,000 nodes large; what lies beyond is any value. Never throws. */
export const inlined = (schema: unknown): Node =>
  isNode(schema) ? settled(walk(schema, { root: schema, left: MOST_NODES }, 0, [])) : {};
