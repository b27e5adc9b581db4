/** Messages as a client of each era writes them, put to a handler in memory. */
import { mcpHandler } from '../../src/serve/mcp/handler.js';
import { type Reply, textOf } from '../../src/serve/mcp/messages.js';
import type { Exchange } from '../../src/serve/mcp/route.js';
import { noteHost } from '../e2e/mcp-host.js';
import { envelope } from '../e2e/mcp-raw.js';
import { fixtureFeatures } from './fixture.js';

export interface Body {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

export const host = noteHost();
export const full = fixtureFeatures();
export const handle = mcpHandler({ server: { name: 'acme', version: '9' }, features: full });
export const ABLE = { sampling: {}, elicitation: {}, roots: {} };

export const rpc = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 'a', method, params });
export const modern = (method: string, params: object = {}, capabilities: object = ABLE, meta: object = {}): object =>
  rpc(method, {
    ...params,
    _meta: { ...envelope(), 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta },
  });
export const bodyOf = (reply: Reply): Body => (reply.body === undefined ? {} : JSON.parse(textOf(reply.body)));
export const ask = async (message: object, exchange: Exchange = {}, handler = handle): Promise<Body> =>
  bodyOf(await handler(host, message, exchange));
export const tool = (name: string, args: object = {}, rest: object = {}): object =>
  modern('tools/call', { name, arguments: args, ...rest });
export const accept = (content: object): object => ({ action: 'accept', content });
