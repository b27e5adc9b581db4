/** The HTTP headers that mirror a modern request's body, and what is wrong when they do not (-32020). */
import type { Params } from './messages.js';

export interface McpHeaders {
  /** MCP-Protocol-Version */
  version?: string;
  /** Mcp-Method */
  method?: string;
  /** Mcp-Name */
  name?: string;
  /** Mcp-Param-<name>, where the transport gives them. */
  param?: (name: string) => string | undefined;
}

export interface Mismatch {
  header: string;
  body: string;
}

/** Which field of `params` the Mcp-Name header repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const WRAPPED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** A header's text: plain, or UTF-8 in `=?base64?...?=`; undefined when the wrapping does not hold what it should. */
export const decodeHeader = (value: string): string | undefined => {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const inner = WRAPPED.exec(value)?.[1];
  if (inner === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(inner, 'base64'));
  } catch {
    return undefined;
  }
};

/** Headers that are there and contradict the body. */
export const contradiction = (headers: McpHeaders, method: string, version: string): Mismatch | undefined => {
  if (headers.version !== undefined && headers.version !== version)
    return { header: headers.version, body: `protocol version ${version}` };
  if (headers.method !== undefined && headers.method !== method)
    return { header: headers.method, body: `method ${method}` };
  return undefined;
};

/** Headers that a modern request must carry and does not, and a name that is not the body's. */
export const omission = (headers: McpHeaders, method: string, params: Params): Mismatch | undefined => {
  if (headers.version === undefined) return { header: '(no MCP-Protocol-Version)', body: 'a modern request' };
  if (headers.method === undefined) return { header: '(no Mcp-Method)', body: `method ${method}` };
  const field = NAMED.get(method);
  if (field === undefined) return undefined;
  const value = params[field];
  if (typeof value !== 'string') return undefined;
  const body = `params.${field} "${value}"`;
  if (headers.name === undefined) return { header: '(no Mcp-Name)', body };
  return decodeHeader(headers.name) === value ? undefined : { header: headers.name, body };
};

/** The arguments that a tool's listing says are mirrored (`x-mcp-header`), held against their headers (SEP-2243). */
export const contradictingParam = (
  headers: McpHeaders | undefined,
  tools: readonly object[],
  tool: string,
  args: Params,
): Mismatch | undefined => {
  const param = headers?.param;
  if (param === undefined) return undefined;
  const listed = tools.find((candidate) => (candidate as Params).name === tool) as Params | undefined;
  const schema = listed?.inputSchema as { properties?: Record<string, Params> } | undefined;
  for (const [key, property] of Object.entries(schema?.properties ?? {})) {
    const name = property['x-mcp-header'];
    if (typeof name !== 'string') continue;
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    const given = param(name);
    if (value === undefined || value === null) {
      if (given !== undefined) return { header: given, body: `no ${key}` };
      continue;
    }
    const body = `params.arguments.${key} "${String(value)}"`;
    if (given === undefined) return { header: `(no Mcp-Param-${name})`, body };
    if (decodeHeader(given) !== String(value)) return { header: given, body };
  }
  return undefined;
};
