/** An agent's call over MCP, as its harness sends it: the session's token, and a name for the call. */
import { request } from 'node:http';
import { TreadleError } from '../../../src/errors.js';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'drill', version: '1' },
};

interface Told {
  result?: { structuredContent?: unknown; isError?: boolean };
}

const failed = (code: string, message: string, value?: unknown): TreadleError =>
  new TreadleError({ code, message, value, fault: 'infrastructure' });

const post = (url: string, headers: Record<string, string>, body: string, ms: number) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const broke = (error: Error): void => reject(failed('no_connection', error.message));
    const sent = request(url, { method: 'POST', headers, signal: AbortSignal.timeout(ms) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', broke);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', broke);
    sent.end(body);
  });

/** What an agent is told of a loss are words. */
const lossIn = (message: string): { seq: number; lost: number } | undefined => {
  const found = /is back at request (\d+): .* and (\d+) later ones/.exec(message);
  return found ? { seq: Number(found[1]), lost: Number(found[1]) + Number(found[2]) } : undefined;
};

export interface McpCall {
  url: string;
  token: string;
  tool: string;
  args: unknown;
  operation: string;
  ms: number;
}

/** What the tool returned. Throws as the trainer's client does, `no_connection` among it. */
export const mcpCall = async ({ url, token, tool, args, operation, ms }: McpCall): Promise<unknown> => {
  const params = { name: tool, arguments: args, _meta: META };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'idempotency-key': operation,
    'mcp-protocol-version': VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': tool,
  };
  const { status, text } = await post(url, headers, body, ms);
  if (status !== 200) throw failed(`mcp_${status}`, text.slice(0, 200));
  const { result } = JSON.parse(text) as Told;
  if (result === undefined) throw failed('mcp_error', text.slice(0, 200));
  const { structuredContent: said, isError } = result;
  if (!isError) return said;
  const { code = 'tool_error', message = '' } = (said as { error?: { code?: string; message?: string } }).error ?? {};
  throw failed(code, message, code === 'rolled_back' ? lossIn(message) : undefined);
};
