/**
 * The operations of an API document as HTTP has them: parameters with their styles, bodies and answers by media type. Schemas stay as
 * they are written; each operation is read when it is first asked for.
 */
import { isNode, type Node } from './node.js';
import type { Refs } from './refs.js';

export const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];
export type ParamPlace = 'path' | 'query' | 'header' | 'cookie';

export interface HttpParam {
  name: string;
  in: ParamPlace;
  required: boolean;
  /** `form`, `simple`, `label`, `matrix`, `spaceDelimited`, `pipeDelimited`, `deepObject`: OpenAPI 3.1, 4.8.12.2. */
  style: string;
  explode: boolean;
  schema: Node;
  /** Media type its value is written in, where the document gives one in place of a style. */
  content?: string;
  /** Of a path: its value may hold slashes that are not encoded. */
  multi?: true;
  /** Of a query: sent with nothing behind its name it says nothing (`allowEmptyValue`). */
  empty?: true;
  example?: unknown;
  description?: string;
}

export interface HttpMedia {
  /** As written: `application/json; charset=utf-8`, `application/*`. */
  type: string;
  schema: Node | undefined;
  example?: unknown;
  /** By property, for forms. */
  encoding: Record<string, { contentType?: string; style?: string; explode?: boolean }>;
}

export interface HttpBody {
  required: boolean;
  media: HttpMedia[];
}

export interface HttpAnswer {
  /** `200`, `4XX` or `default`, as written but in capitals. */
  status: string;
  description: string;
  media: HttpMedia[];
  headers: { name: string; required: boolean; schema: Node; example?: unknown }[];
}

export interface HttpOperation {
  method: HttpMethod;
  /** As the document writes it: `/pets/{petId}`. */
  path: string;
  /** `GET /pets/{petId}` */
  label: string;
  id: string | undefined;
  deprecated: boolean;
  readonly params: readonly HttpParam[];
  readonly body: HttpBody | undefined;
  /** In the document's order. */
  readonly answers: readonly HttpAnswer[];
  /** The whole of it, as written. */
  raw: Node;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const DEFAULT_STYLE: Record<ParamPlace, string> = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' };

const exampleOf = (holder: Node, refs: Refs): { example?: unknown } => {
  if (holder.example !== undefined) return { example: holder.example };
  if (!isNode(holder.examples)) return {};
  const [first] = Object.values(holder.examples);
  const { node } = refs.resolve(first);
  return 'value' in node ? { example: node.value } : {};
};

const mediaOf = (content: unknown, refs: Refs): HttpMedia[] =>
  isNode(content)
    ? Object.entries(content).flatMap(([type, value]) => {
        const { node } = refs.resolve(value);
        const encoding = isNode(node.encoding) ? (node.encoding as HttpMedia['encoding']) : {};
        return [{ type, schema: isNode(node.schema) ? node.schema : undefined, ...exampleOf(node, refs), encoding }];
      })
    : [];

const paramOf = (value: unknown, refs: Refs): HttpParam | undefined => {
  const { node } = refs.resolve(value);
  const name = textOf(node.name);
  const place = node.in as ParamPlace;
  if (name === undefined || !Object.hasOwn(DEFAULT_STYLE, place)) return undefined;
  const [content] = mediaOf(node.content, refs);
  const style = textOf(node.style) ?? DEFAULT_STYLE[place];
  return {
    name,
    in: place,
    required: place === 'path' || node.required === true,
    style,
    explode: typeof node.explode === 'boolean' ? node.explode : style === 'form',
    schema: isNode(node.schema) ? node.schema : (content?.schema ?? { type: node.type ?? 'string' }),
    ...(content ? { content: content.type } : {}),
    ...(place === 'query' && node.allowEmptyValue === true ? { empty: true as const } : {}),
    ...(node['x-multi-segment'] === true ? { multi: true as const } : {}),
    ...exampleOf(node, refs),
    ...(typeof node.description === 'string' ? { description: node.description } : {}),
  };
};

/** Those of the operation replace those of its path. */
const paramsOf = (lists: readonly unknown[], refs: Refs): HttpParam[] => {
  const byKey = new Map<string, HttpParam>();
  for (const list of lists)
    for (const item of Array.isArray(list) ? list : []) {
      const param = paramOf(item, refs);
      if (param) byKey.set(`${param.in} ${param.name}`, param);
    }
  return [...byKey.values()];
};

const answersOf = (responses: unknown, refs: Refs): HttpAnswer[] =>
  isNode(responses)
    ? Object.entries(responses)
        .filter(([status]) => /^([1-5](\d\d|XX)|default)$/i.test(status))
        .map(([status, value]) => {
          const { node } = refs.resolve(value);
          const headers = Object.entries(isNode(node.headers) ? node.headers : {}).map(([name, header]) => {
            const { node: held } = refs.resolve(header);
            const schema = isNode(held.schema) ? held.schema : { type: held.type ?? 'string' };
            return { name, required: held.required === true, schema, ...exampleOf(held, refs) };
          });
          const description = typeof node.description === 'string' ? node.description : '';
          const plain = status.toLowerCase() === 'default' ? 'default' : status.toUpperCase();
          return { status: plain, description, media: mediaOf(node.content, refs), headers };
        })
    : [];

class ReadOperation implements HttpOperation {
  readonly label: string;
  readonly id: string | undefined;
  readonly deprecated: boolean;
  readonly #refs: Refs;
  readonly #shared: unknown;
  #params: HttpParam[] | undefined;
  #body: HttpBody | null | undefined;
  #answers: HttpAnswer[] | undefined;

  constructor(
    readonly method: HttpMethod,
    readonly path: string,
    readonly raw: Node,
    shared: unknown,
    refs: Refs,
  ) {
    this.label = `${method.toUpperCase()} ${path}`;
    this.id = textOf(raw.operationId);
    this.deprecated = raw.deprecated === true;
    this.#shared = shared;
    this.#refs = refs;
  }

  get params(): HttpParam[] {
    this.#params ??= paramsOf([this.#shared, this.raw.parameters], this.#refs);
    return this.#params;
  }

  get body(): HttpBody | undefined {
    if (this.#body === undefined) {
      const { node } = this.#refs.resolve(this.raw.requestBody);
      const media = mediaOf(node.content, this.#refs);
      this.#body = this.raw.requestBody === undefined ? null : { required: node.required === true, media };
    }
    return this.#body ?? undefined;
  }

  get answers(): HttpAnswer[] {
    this.#answers ??= answersOf(this.raw.responses, this.#refs);
    return this.#answers;
  }
}

/** Every operation in document order. */
export const httpOperations = (root: Node, refs: Refs): HttpOperation[] =>
  Object.entries(isNode(root.paths) ? root.paths : {}).flatMap(([path, value]) => {
    const item = refs.resolve(value).node;
    return HTTP_METHODS.flatMap((method) => {
      const raw = item[method];
      return isNode(raw) ? [new ReadOperation(method, path, raw, item.parameters, refs)] : [];
    });
  });

/** Paths that the document's addresses put before its own, `''` always among them: `https://x.test/api/v1` has `/api/v1`. */
export const basesOf = (root: Node): string[] => {
  const bases = new Set<string>(['']);
  for (const server of Array.isArray(root.servers) ? root.servers : []) {
    if (!isNode(server) || typeof server.url !== 'string') continue;
    const variables = isNode(server.variables) ? server.variables : {};
    const url = server.url.replace(/\{([^}]+)\}/g, (whole, name: string) => {
      const variable = variables[name];
      return isNode(variable) && variable.default !== undefined ? String(variable.default) : whole;
    });
    const path = url
      .replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '')
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '');
    bases.add(path === '' || path.startsWith('/') ? path : `/${path}`);
  }
  return [...bases].sort((a, b) => b.length - a.length);
};
