/** Calls of one session over MCP on kept connections, as lean as they get: what is measured is to be the server. */
import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { TreadleError } from '../../../errors.js';

export interface McpTarget {
  url: string;
  token: string;
  /** A tool that takes no arguments; tools/list is asked for where there is none. */
  tool?: string | undefined;
}

export interface McpCaller {
  /** Throws `no_connection` and `failed_call`. */
  call(target: McpTarget): Promise<void>;
  close(): void;
}

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'treadle doctor', version: '1' },
};

const failedCall = (message: string, value: string): TreadleError =>
  new TreadleError({ code: 'failed_call', message, value: value.slice(0, 200), fault: 'infrastructure' });

/** Throws `failed_call` for an answer that is none. */
const check = (status: number, text: string): void => {
  if (status !== 200) throw failedCall(`The MCP endpoint answered ${status}`, text);
  let told: { error?: unknown; result?: { isError?: boolean } };
  try {
    told = JSON.parse(text);
  } catch {
    throw failedCall('The MCP endpoint answered with something else than JSON', text);
  }
  if (told.result === undefined || told.result.isError) throw failedCall('A read-only call failed', text);
};

export const mcpCaller = (sockets: number): McpCaller => {
  const options = { keepAlive: true, maxSockets: sockets };
  const agents = { plain: new Agent(options), secure: new SecureAgent(options) };
  let id = 0;
  const call = ({ url, token, tool }: McpTarget): Promise<void> =>
    new Promise((resolve, reject) => {
      const isSecure = url.startsWith('https:');
      const method = tool === undefined ? 'tools/list' : 'tools/call';
      const params = tool === undefined ? { _meta: META } : { name: tool, arguments: {}, _meta: META };
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
      const fail = (cause: NodeJS.ErrnoException): void =>
        reject(
          new TreadleError({
            code: 'no_connection',
            message: `The connection to the agents' door failed: ${cause.code ?? cause.message}`,
            value: new URL(url).origin,
            fault: 'infrastructure',
            cause,
          }),
        );
      const sent = (isSecure ? secureRequest : request)(
        url,
        {
          agent: isSecure ? agents.secure : agents.plain,
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'mcp-protocol-version': VERSION,
            'mcp-method': method,
            ...(tool !== undefined && { 'mcp-name': tool }),
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('error', fail);
          response.on('end', () => {
            try {
              check(response.statusCode ?? 0, text);
              resolve();
            } catch (thrown) {
              reject(thrown);
            }
          });
        },
      );
      sent.on('error', fail);
      sent.end(body);
    });
  return {
    call,
    close: () => {
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
};
