/** What our rates are held against, in a process each: a bare node:http JSON echo, and the official SDK's server with the same tool. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Corpus } from '../../src/corpus/corpus.js';
import { actorOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { loadWorld } from '../../src/world/loaded.js';
import { Engine } from '../../src/world/state/engine.js';
import type { Target } from './targets.js';

export type PeerJob = { echo: true } | { sdk: { corpus: string; target: Target; sessions: number } };

export interface SdkPeer {
  port: number;
  /** Sessions of the stateful transport that were opened ahead. */
  ids: string[];
}

const readJson = (request: IncomingMessage, done: (value: unknown) => void): void => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
};

const listen = (listener: RequestListener): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer({ keepAliveTimeout: 600_000 }, listener);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const echo = (): Promise<number> =>
  listen((request, response) =>
    readJson(request, (value) => {
      const text = JSON.stringify(value);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    }),
  );

type InputSchema = Parameters<typeof fromJsonSchema>[0];
type Result = {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
};

/** The SDK checks arguments and we do too; results are not checked on either side, so no output schema is given to it. */
const sdk = async (folder: string, { world: id, tool }: Target, sessions: number): Promise<SdkPeer> => {
  const world = loadWorld(await Engine.start(), Corpus.open(folder).readWorld(id));
  const session = Session.open(world, { id: 'sdk', me: actorOf(world) });
  const listed = session.tools().find(({ name }) => name === tool);
  if (!listed) throw new Error(`no tool ${tool}`);
  const inputSchema = fromJsonSchema(listed.inputSchema as InputSchema);
  const call = (args: unknown): Result => {
    const { result, ok } = session.call(tool, args);
    const text = JSON.stringify(result);
    return { content: [{ type: 'text', text }], structuredContent: result as Record<string, unknown>, isError: !ok };
  };
  const made = (): McpServer => {
    const server = new McpServer({ name: 'peer', version: '1' });
    server.registerTool(tool, { description: listed.description, inputSchema }, async (args) => call(args));
    return server;
  };
  const handler = createMcpHandler(made);
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const openOne = async (n: number): Promise<string> => {
    const name = `session-${n}`;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => name,
      enableJsonResponse: true,
    });
    await made().connect(transport);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const answer = await transport.handleRequest(
      new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }),
    );
    await answer.text();
    transports.set(name, transport);
    return name;
  };
  const ids: string[] = [];
  for (let n = 0; n < sessions; n++) ids.push(await openOne(n));
  const port = await listen((request, response) =>
    readJson(request, (parsedBody) => {
      const headers = new Headers(request.headers as Record<string, string>);
      const asked = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(parsedBody) });
      const transport = transports.get(String(request.headers['mcp-session-id'] ?? ''));
      const answered = transport
        ? transport.handleRequest(asked, { parsedBody })
        : handler.fetch(asked, { parsedBody });
      void answered.then(async (answer) => {
        const text = await answer.text();
        const type = answer.headers.get('content-type') ?? 'application/json';
        response.writeHead(answer.status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
        response.end(text);
      });
    }),
  );
  return { port, ids };
};

export const work = async (job: PeerJob): Promise<SdkPeer> => {
  if ('echo' in job) return { port: await echo(), ids: [] };
  return sdk(job.sdk.corpus, job.sdk.target, job.sdk.sessions);
};
