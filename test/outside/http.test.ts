/** Servers behind a URL: nothing is known of their state, and whatever they answer stays their fault. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OutsideSpec, parseOutsideSpec } from '../../src/serve/outside/spec.js';
import { Hosting, until } from './hosting.js';

let hosting: Hosting;
let server: Server;
/** What the next `tools/call` gets instead of its answer. */
let trouble: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
let sessions: Set<string>;
let opened: number;
let seen: IncomingMessage['headers'];

const reply = (response: ServerResponse, status: number, body?: object, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { ...(body ? { 'content-type': 'application/json' } : {}), ...headers });
  response.end(body && JSON.stringify(body));
};

/** A server of the old era with sessions, by hand. */
const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const id = String(request.headers['mcp-session-id'] ?? '');
  if (request.method === 'DELETE') {
    sessions.delete(id);
    return reply(response, 204);
  }
  if (request.method !== 'POST') return reply(response, 405);
  const message = JSON.parse((await request.toArray()).join(''));
  const answer = (result: object): void => reply(response, 200, { jsonrpc: '2.0', id: message.id, result });
  if (message.method === 'initialize') {
    const session = `s${++opened}`;
    sessions.add(session);
    const result = {
      protocolVersion: message.params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'by hand', version: '1' },
    };
    return reply(response, 200, { jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': session });
  }
  if (message.method === 'server/discover') return reply(response, 400, { error: 'what?' });
  if (!sessions.has(id))
    return reply(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } });
  if (message.id === undefined) return reply(response, 202);
  if (message.method === 'tools/list') return answer({ tools: [{ name: 'who', inputSchema: { type: 'object' } }] });
  seen = request.headers;
  if (trouble) return trouble(request, response);
  return answer({ content: [{ type: 'text', text: id }] });
};

beforeEach(async () => {
  hosting = new Hosting();
  sessions = new Set();
  opened = 0;
  trouble = undefined;
  server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  await hosting.close();
  server.closeAllConnections();
  server.close();
});

const spec = (keeps: string, more: object = {}): OutsideSpec =>
  parseOutsideSpec({
    treadle: 'server/1',
    id: 'remote',
    title: 'Remote',
    transport: {
      http: {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
        headers: { authorization: 'Bearer x' },
      },
    },
    keeps,
    callSeconds: 30,
    ...more,
  });

it('is called with its headers, and its session is ended at the close', async () => {
  const service = await hosting.open(spec('unknown'));
  expect(await service.call('who', {})).toEqual({ ok: true, result: 's1' });
  expect(seen.authorization).toBe('Bearer x');
  expect(service.canFork).toBe(false);
  await expect(service.fork(hosting.folder())).rejects.toMatchObject({ code: 'not_forkable' });
  await service.pause();
  await service.resume();
  await service.close();
  expect([...sessions]).toEqual([]);
});

it('a branch of what keeps nothing is a session of its own', async () => {
  const service = await hosting.open(spec('nothing'));
  const branch = hosting.keep(await service.fork(hosting.folder()));
  expect([(await service.call('who', {})).result, (await branch.call('who', {})).result]).toEqual(['s1', 's2']);
});

it.each([
  ['401', (_: unknown, response: ServerResponse) => reply(response, 401), 'server_refused', 502],
  ['503', (_: unknown, response: ServerResponse) => reply(response, 503), 'server_unreachable', 502],
  [
    'a redirect elsewhere',
    (_: unknown, response: ServerResponse) => reply(response, 307, undefined, { location: 'http://127.0.0.2:1/' }),
    'server_unreachable',
    502,
  ],
  [
    'HTML',
    (_: unknown, response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    'server_bad_answer',
    502,
  ],
  [
    'broken JSON',
    (_: unknown, response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
    'server_bad_answer',
    502,
  ],
  ['a cut connection', (request: IncomingMessage) => request.socket.destroy(), 'server_unreachable', 502],
  ['silence', () => {}, 'server_timeout', 504],
])('%s is an infrastructure failure, and the next call works', async (_, how, code, status) => {
  const service = await hosting.open(spec('unknown', status === 504 ? { callSeconds: 3 } : {}));
  trouble = how as typeof trouble;
  const outcome = await service.call('who', {});
  expect(outcome).toMatchObject({ ok: false, error: { code, fault: 'infrastructure', status } });
  trouble = undefined;
  expect(await service.call('who', {})).toEqual({ ok: true, result: 's1' });
});

it.each(['application/json', 'text/event-stream'])('an answer without end (%s) is cut', async (type) => {
  const service = await hosting.open(spec('unknown'));
  let sent = 0;
  trouble = (_, response) => {
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
    };
    response.on('drain', more);
    more();
  };
  const outcome = await service.call('who', {});
  expect(outcome).toMatchObject({ ok: false, error: { code: 'result_too_large' } });
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  trouble = undefined;
  expect((await service.call('who', {})).ok).toBe(true);
});

it('a session that the server forgot is told, and begun again only where that loses nothing', async () => {
  const keeps = await hosting.open(spec('unknown'));
  const nothing = await hosting.open(spec('nothing'));
  sessions.clear();
  for (const service of [keeps, nothing]) expect((await service.call('who', {})).error?.code).toBe('server_gone');
  expect((await keeps.call('who', {})).error?.code).toBe('server_gone');
  expect((await nothing.call('who', {})).result).toBe('s3');
});

it('server-everything over HTTP', async () => {
  const remote = spec('unknown');
  // A port that was free a moment ago.
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const packages = dirname(dirname(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/client'))));
  const script = join(packages, 'server-everything', 'dist', 'index.js');
  const child = spawn(process.execPath, [script, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  try {
    await until(() => said.includes('listening'));
    const service = await hosting.open(remote);
    expect(await service.call('get_sum', { a: 2, b: 40 })).toMatchObject({ ok: true });
    await service.close();
  } finally {
    child.kill('SIGKILL');
  }
});

it.each([
  ['workspace behind a URL', { keeps: 'workspace' }],
  ['another scheme', { transport: { http: { url: 'file:///etc/passwd' } } }],
  ['a header that is two', { transport: { http: { url: 'http://a', headers: { a: 'b\r\nc: d' } } } }],
  ['a NUL in an argument', { transport: { stdio: { command: 'a', args: ['\0'] } } }],
  ['two transports', { transport: { http: { url: 'http://a' }, stdio: { command: 'a' } } }],
  ['no id', { id: undefined }],
  ['an unknown key', { restart: true }],
])('a description with %s is refused', (_, wrong) => {
  expect(() => spec('unknown', wrong)).toThrowError(expect.objectContaining({ code: 'bad_server' }));
});
