/** The document's operations with their parameters, body and answer, references followed one hop at a time. */
import { isNode, type Node } from '../../document/node.js';
import type { Refs } from '../../document/refs.js';
import { isPlumbing } from './paths.js';
import { schemaOfExample } from './schema.js';
import type { DocBody, DocOperation, DocParam, Method } from './types.js';

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];
const MAX_OPERATIONS = 20_000;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() ? value.trim() : undefined;

const exampleOf = (media: Node, refs: Refs): unknown => {
  if (media.example !== undefined) return media.example;
  if (!isNode(media.examples)) return undefined;
  const first = Object.values(media.examples)[0];
  const example = refs.resolve(first).node;
  return 'value' in example ? example.value : undefined;
};

/** JSON first, then forms, then whatever is there. */
const bestMedia = (content: unknown): Node | undefined => {
  if (!isNode(content)) return undefined;
  const types = Object.keys(content);
  const pick =
    types.find((type) => /^application\/json/i.test(type)) ??
    types.find((type) => /[+/]json/i.test(type)) ??
    types.find((type) => /form/i.test(type)) ??
    types.find((type) => /^(\*\/\*|application\/(\*|xml)|text\/(json|xml))/i.test(type));
  const media = pick === undefined ? undefined : content[pick];
  return isNode(media) ? media : undefined;
};

const schemaIn = (holder: Node, refs: Refs): Node | undefined => {
  const media = bestMedia(holder.content);
  if (!media) return undefined;
  const schema = isNode(media.schema) && Object.keys(media.schema).length > 0 ? media.schema : undefined;
  if (schema && !isBare(schema)) return schema;
  const example = exampleOf(media, refs);
  const text = typeof example === 'string' ? parsedExample(example) : example;
  return isNode(text) || Array.isArray(text) ? schemaOfExample(text) : schema;
};

/** `{type: object}` and nothing more says less than an example. */
const isBare = (schema: Node): boolean =>
  !(
    '$ref' in schema ||
    'properties' in schema ||
    'items' in schema ||
    'allOf' in schema ||
    'oneOf' in schema ||
    'anyOf' in schema
  ) &&
  (schema.type === 'object' || schema.type === undefined);

const parsedExample = (text: string): unknown => {
  if (text.length > 100_000 || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const paramsOf = (lists: unknown[], refs: Refs): DocParam[] => {
  const byKey = new Map<string, DocParam>();
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      const { node } = refs.resolve(item);
      const name = textOf(node.name);
      if (!name || (node.in !== 'path' && node.in !== 'query')) continue;
      const media = bestMedia(node.content);
      const schema = isNode(node.schema)
        ? node.schema
        : isNode(media?.schema)
          ? media.schema
          : { type: node.type ?? 'string' };
      byKey.set(`${node.in} ${name}`, {
        name,
        in: node.in,
        required: node.in === 'path' || node.required === true,
        schema,
        description: textOf(node.description),
      });
    }
  }
  return [...byKey.values()];
};

const bodyOf = (value: unknown, refs: Refs): DocBody | undefined => {
  const { node } = refs.resolve(value);
  const schema = schemaIn(node, refs);
  return schema ? { schema, required: node.required === true } : undefined;
};

const answerOf = (responses: Node, refs: Refs): Node | undefined => {
  const good = Object.keys(responses)
    .filter((status) => /^2(\d\d|XX)$/i.test(status))
    .sort();
  for (const status of [...good, 'default']) {
    if (responses[status] === undefined) continue;
    const schema = schemaIn(refs.resolve(responses[status]).node, refs);
    if (schema) return schema;
  }
  return undefined;
};

const aboutOf = ({ summary, description }: Node): { about?: string } => {
  const about = textOf(summary) === undefined ? undefined : textOf(description);
  return about === undefined ? {} : { about };
};

const readOperation = (method: Method, path: string, item: Node, raw: Node, refs: Refs): DocOperation => {
  const responses = isNode(raw.responses) ? raw.responses : {};
  return {
    method,
    path,
    label: `${method.toUpperCase()} ${path}`,
    id: textOf(raw.operationId),
    text: textOf(raw.summary) ?? textOf(raw.description),
    ...aboutOf(raw),
    tag: Array.isArray(raw.tags) ? textOf(raw.tags[0]) : undefined,
    params: paramsOf([item.parameters, raw.parameters], refs),
    body: raw.requestBody === undefined ? undefined : bodyOf(raw.requestBody, refs),
    answer: answerOf(responses, refs),
    failures: Object.keys(responses)
      .map(Number)
      .filter((status) => status >= 400 && status <= 599),
  };
};

/** `https://x.test/v1/calls` with the paths `/` and `/{id}`: the address itself names the collection. */
const baseOf = (root: Node, paths: readonly string[]): string | undefined => {
  if (!paths.includes('/') || !paths.some((path) => /^\/\{[^}]+\}(\/|$)/.test(path))) return undefined;
  const server = Array.isArray(root.servers) && isNode(root.servers[0]) ? textOf(root.servers[0].url) : undefined;
  const segments = (server ?? '').replace(/^[a-z]+:\/\/[^/]*/i, '').split('/');
  return segments.filter((one) => /^[a-z]/i.test(one) && !isPlumbing(one)).at(-1) ?? 'item';
};

/** Operations in document order; deprecated ones are left out where others remain, unless `every` one is wanted. */
export const operationsOf = (root: Node, refs: Refs, every = false): DocOperation[] => {
  const out: { op: DocOperation; deprecated: boolean }[] = [];
  const paths = isNode(root.paths) ? root.paths : {};
  for (const [path, value] of Object.entries(paths)) {
    const item = refs.resolve(value).node;
    for (const method of METHODS) {
      const raw = item[method];
      if (!isNode(raw) || out.length >= MAX_OPERATIONS) continue;
      out.push({ op: readOperation(method, path, item, raw, refs), deprecated: raw.deprecated === true });
    }
  }
  const current = out.filter((entry) => !entry.deprecated);
  const base = baseOf(root, Object.keys(paths));
  return (!every && current.length > out.length / 3 ? current : out).map(({ op }) =>
    base !== undefined && /^\/(\{|$)/.test(op.path) ? { ...op, base } : op,
  );
};
