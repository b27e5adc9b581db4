/** Requests as a hostile or merely odd client writes them, byte by byte where node's own client would not. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: { result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown }; id?: unknown };
}

export interface RawRequest {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** One request on a connection of its own. */
export const ask = (
  origin: string,
  { method = 'POST', path = '/mcp', headers = {}, body }: RawRequest,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
        let json = {};
        try {
          json = JSON.parse(data);
        } catch {}
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
      response.on('error', reject);
    });
    // A server that refused early may hang up while the body is still being sent.
    sent.on('error', reject);
    sent.end(body);
  });

/** Writes bytes to a socket and returns all that comes back until the server hangs up. */
export const speak = async (origin: string, ...parts: string[]): Promise<string> => {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    heard += text;
  });
  socket.on('error', () => {});
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return heard;
};

export const rpc = (method: string, params?: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export const VERSION = '2026-07-28';
export const envelope = (version = VERSION): Record<string, unknown> => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
});

/** A sound request of the modern era: its body and the headers that mirror it. */
export const modern = (
  method: string,
  params: Record<string, unknown> = {},
): { body: string; headers: Record<string, string> } => ({
  body: rpc(method, { ...params, _meta: envelope() }),
  headers: {
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  },
});
