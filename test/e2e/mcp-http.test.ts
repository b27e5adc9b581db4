/** The agents' door over raw HTTP: every rule of serving.md's security section, and bodies that mean harm. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedSession, type SessionDirectory, sessionDirectory } from '../../src/serve/http/directory.js';
import { type Serving, serveHttp } from '../../src/serve/http/serve.js';
import { type NoteHost, noteHost } from './mcp-host.js';
import { ask, modern, type RawAnswer, type RawRequest, rpc, speak } from './mcp-raw.js';

let directory: SessionDirectory;
let serving: Serving;
let origin: string;
let now = 1000;
let host: NoteHost;
let session: OpenedSession;

beforeAll(async () => {
  directory = sessionDirectory({ idleSeconds: 60, lifetimeSeconds: 600, now: () => now });
  serving = await serveHttp({
    keeper: directory,
    port: 0,
    allowed: { hosts: ['worlds.example'], origins: ['studio.example'] },
    limits: { bodyBytes: 4096 },
  });
  origin = serving.url.replace('/mcp', '');
});
afterAll(() => serving.close());
beforeEach(() => {
  host = noteHost();
  session = directory.open({ host });
});

const LIST = rpc('tools/list');
const send = (request: RawRequest): Promise<RawAnswer> =>
  ask(origin, {
    body: request.method === undefined ? LIST : undefined,
    ...request,
    headers: { ...authorised(), ...request.headers },
  });

const authorised = (): Record<string, string> => ({
  authorization: `Bearer ${session.token}`,
  'content-type': 'application/json',
});

describe('who is let in', () => {
  it.each([
    ['none', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['a stranger', { authorization: 'Bearer trd_0000' }],
    ['two in one', { authorization: 'Bearer a b' }],
  ])('401 with a challenge for a token that is %s', async (_label, headers) => {
    const answer = await ask(origin, { body: LIST, headers: { 'content-type': 'application/json', ...headers } });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(host.ledger).toHaveLength(0);
  });

  it('a token in the query is no token', async () => {
    const path = `/mcp?token=${session.token}`;
    expect((await ask(origin, { path, body: LIST, headers: { 'content-type': 'application/json' } })).status).toBe(404);
  });

  it('a token with a letter changed is no token', async () => {
    const token = `${session.token.slice(0, -1)}${session.token.endsWith('A') ? 'B' : 'A'}`;
    expect((await send({ headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
  });

  it('404 once the session is closed, idle too long, or too old', async () => {
    directory.close(session.id);
    expect((await send({})).status).toBe(404);
    session = directory.open({ host });
    now += 60;
    expect((await send({})).status).toBe(404);
    session = directory.open({ host });
    for (let i = 0; i < 12; i++) {
      now += 50;
      const expected = i < 11 ? 200 : 404;
      expect((await send({})).status).toBe(expected);
    }
  });

  it('403 on the path of another session, whether there is one or not', async () => {
    const other = directory.open({ host: noteHost() });
    expect((await send({ path: `/s/${session.id}/mcp` })).status).toBe(200);
    expect((await send({ path: `/s/${other.id}/mcp` })).status).toBe(403);
    expect((await send({ path: '/s/nobody/mcp' })).status).toBe(403);
  });
});

describe('where a request comes from and goes to', () => {
  it.each([
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:5',
    'https://studio.example',
    'https://STUDIO.example',
  ])('origin %s is taken', async (from) => expect((await send({ headers: { origin: from } })).status).toBe(200));
  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'file://localhost',
    'https://studio.example/path',
    '',
  ])('403 for origin "%s"', async (from) => expect((await send({ headers: { origin: from } })).status).toBe(403));

  it.each(['worlds.example', 'worlds.example:8080', 'LOCALHOST:1', '[::1]:7'])('host %s is ours', async (name) =>
    expect((await send({ headers: { host: name } })).status).toBe(200),
  );
  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80', 'localhost:80:80', 'a@localhost'])(
    '403 for host "%s"',
    async (name) => expect((await send({ headers: { host: name } })).status).toBe(403),
  );
  it('403 for a host that is empty, 400 for none', async () => {
    expect(await speak(origin, 'POST /mcp HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 403/);
    expect(await speak(origin, 'POST /mcp HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
  });
});

describe('how a request is made', () => {
  it('404 beside /mcp', async () => {
    for (const path of ['/', '/mcp/', '/s//mcp', '/sessions', '/health', '/s/../mcp', '/mcp%00'])
      expect((await send({ path })).status).toBe(404);
  });

  it('405 for anything but POST; a DELETE does not end the session', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PATCH']) {
      const answer = await send({ method, headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' } });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('POST');
    }
    expect((await send({})).status).toBe(200);
  });

  it.each(['text/plain', 'text/plain; a=application/json', 'application/jsonp', 'multipart/form-data', ''])(
    '415 for content type "%s"',
    async (type) => expect((await send({ headers: { 'content-type': type } })).status).toBe(415),
  );
  it('takes parameters and capitals in the content type, and refuses compression', async () => {
    expect((await send({ headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).status).toBe(200);
    expect((await send({ headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
  });

  it('answers JSON unless only an event stream is read', async () => {
    for (const accept of ['application/json, text/event-stream', '*/*', 'application/*;q=0.1'])
      expect((await send({ headers: { accept } })).headers['content-type']).toBe('application/json');
    const streamed = await send({ headers: { accept: 'text/event-stream' } });
    expect(streamed.headers['content-type']).toBe('text/event-stream');
    expect(streamed.json.result).toHaveProperty('tools');
    expect((await send({ headers: { accept: 'text/html' } })).status).toBe(406);
  });

  it('202 without a body for a notification', async () => {
    const answer = await send({ body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });
});

describe('bodies that mean harm', () => {
  it('413, told or not how long the body is', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { pad: 'x'.repeat(5000) } });
    expect((await send({ body })).status).toBe(413);
    expect((await send({ body, headers: { 'transfer-encoding': 'chunked' } })).status).toBe(413);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nContent-Type: application/json\r\n`;
    const heard = await speak(origin, `${head}Content-Length: 99999999999\r\n\r\n{`);
    expect(heard).toMatch(/^HTTP\/1\.1 413/);
  });

  it('an unwanted body is not read for ever', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    const heard = await speak(origin, head, ...Array<string>(20).fill(chunk));
    expect(heard === '' || heard.startsWith('HTTP/1.1 401')).toBe(true);
  });

  it('408 for a head or a body that never comes', async () => {
    const hasty = await serveHttp({ keeper: directory, port: 0, limits: { requestMs: 200 } });
    const at = new URL(hasty.url).origin;
    expect(await speak(at, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toMatch(/^HTTP\/1\.1 408/);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nContent-Type: application/json\r\n`;
    expect(await speak(at, `${head}Content-Length: 100\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 408/);
    await hasty.close();
  });

  it.each([
    ['', -32700],
    ['{', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700],
    ['null', -32600],
    ['7', -32600],
    ['"x"', -32600],
    ['{}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"x":1}}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"\\u005f_proto__":1}]}}', -32602],
  ])('400 for %s', async (body, code) => {
    const answer = await send({ body });
    expect([answer.status, answer.json.error?.code]).toEqual([400, code]);
    expect(answer.json).toHaveProperty('id');
  });

  it('400 for bytes that are not UTF-8', async () => {
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"pi\xff\xfeng"}', 'latin1');
    const answer = await send({ body });
    expect([answer.status, answer.json.error?.code]).toEqual([400, -32700]);
  });

  it('deep nesting is refused before anything recurses', async () => {
    const nest = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const call = (args: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":{"title":"t","x":${args}}}}`;
    expect((await send({ body: call(nest(20)) })).status).toBe(200);
    expect((await send({ body: call(nest(1900)) })).status).toBe(400);
    const roomy = await serveHttp({ keeper: directory, port: 0 });
    const answer = await ask(roomy.url.replace('/mcp', ''), {
      body: call(nest(500_000)),
      headers: authorised(),
    });
    expect(answer.status).toBe(400);
    await roomy.close();
  });

  it('stays itself after all that', async () => {
    expect(({} as { x?: unknown }).x).toBeUndefined();
    const { json } = await send({
      body: rpc('tools/call', { name: 'write_note', arguments: { title: 'constructor' } }),
      headers: { 'mcp-protocol-version': '2025-11-25' },
    });
    expect(json.result).toMatchObject({ structuredContent: { title: 'constructor', size: 0 } });
    expect(host.ledger).toHaveLength(1);
  });

  it('says nothing of what went on inside', async () => {
    const answer = await send({ body: rpc('tools/call', { name: 'break' }) });
    expect([answer.status, answer.json.error?.code]).toEqual([200, -32603]);
    expect(answer.text).not.toMatch(/secret|Error:|\.ts/);
  });
});

describe('the modern era over HTTP', () => {
  it('404 with -32601 for methods that are not there', async () => {
    for (const method of ['ping', 'initialize', 'resources/list', 'subscriptions/listen', 'constructor', '__proto__']) {
      const answer = await send(modern(method));
      expect([answer.status, answer.json.error?.code, answer.json.id]).toEqual([404, -32601, 1]);
    }
  });

  it('-32020 where a header is missing or says something else', async () => {
    const call = modern('tools/call', { name: 'count_notes' });
    expect((await send(call)).status).toBe(200);
    const changes: Record<string, string>[] = [
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'drop_note' },
      { 'mcp-name': '=?base64?!!?=' },
    ];
    for (const change of changes) {
      const answer = await send({ body: call.body, headers: { ...call.headers, ...change } });
      expect([answer.status, answer.json.error?.code]).toEqual([400, -32020]);
    }
    for (const name of Object.keys(call.headers)) {
      const { [name]: _gone, ...headers } = call.headers;
      const answer = await send({ body: call.body, headers });
      expect([answer.status, answer.json.error?.code]).toEqual([400, -32020]);
    }
    const wrapped = `=?base64?${Buffer.from('count_notes').toString('base64')}?=`;
    expect((await send({ body: call.body, headers: { ...call.headers, 'mcp-name': wrapped } })).status).toBe(200);
  });
});

describe('life and death', () => {
  it('503 with Retry-After when too many bodies are being read', async () => {
    const busy = await serveHttp({ keeper: directory, port: 0, limits: { pendingBodies: 0 } });
    const answer = await ask(busy.url.replace('/mcp', ''), {
      body: LIST,
      headers: authorised(),
    });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    await busy.close();
  });

  it('a client that hangs up half-way takes nothing down with it', async () => {
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nContent-Type: application/json\r\n`;
    const alone = await serveHttp({ keeper: directory, port: 0, limits: { pendingBodies: 1 } });
    const at = new URL(alone.url);
    for (let i = 0; i < 5; i++) {
      const socket = connect(Number(at.port), at.hostname);
      socket.write(`${head}Content-Length: 100\r\n\r\n{`);
      await once(socket, 'connect');
      socket.destroy();
    }
    await expect
      .poll(async () => (await ask(at.origin, { body: LIST, headers: authorised() })).status, { timeout: 10_000 })
      .toBe(200);
    await alone.close();
  });

  it.each([
    { label: 'finishes a request under way', closeMs: 300_000, sent: LIST, heard: /HTTP\/1\.1 200[\s\S]*"tools":/ },
    { label: 'cuts a request that never ends', closeMs: 50, sent: '', heard: /^HTTP\/1\.1 100 Continue\s*$/ },
  ])('closing $label', async ({ closeMs, sent, heard }) => {
    const own = await serveHttp({ keeper: directory, port: 0, limits: { closeMs } });
    const at = new URL(own.url);
    const socket = connect(Number(at.port), at.hostname);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const gone = once(socket, 'close');
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nContent-Type: application/json\r\nContent-Length: ${LIST.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The server says to go on once it has the request in hand.
    await once(socket, 'data');
    const closing = own.close();
    socket.write(sent);
    await Promise.all([gone, closing]);
    expect(text).toMatch(heard);
    await expect(ask(at.origin, { body: LIST, headers: authorised() })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('a body that outlasts its session runs nothing', async () => {
    const body = rpc('tools/call', { name: 'list_notes' });
    const at = new URL(origin);
    const socket = connect(Number(at.port), at.hostname);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data');
    directory.close(session.id);
    socket.write(body);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404/);
    expect(host.ledger).toHaveLength(0);
    socket.destroy();
  });

  it('reaps abandoned sessions by itself', async () => {
    let later = 0;
    const own = sessionDirectory({ idleSeconds: 5, now: () => later });
    const dropped = new Promise<void>((resolve) => {
      own.open({ host: noteHost(), drop: resolve });
    });
    const server = await serveHttp({ keeper: own, port: 0, limits: { reapMs: 5 } });
    later = 5;
    await dropped;
    expect(own.size).toBe(0);
    await server.close();
  });

  it('a port that is taken is one clear error', async () => {
    const port = Number(new URL(origin).port);
    await expect(serveHttp({ keeper: directory, port })).rejects.toMatchObject({ code: 'cannot_listen', value: port });
  });

  it('closes with idle connections open, and leaves sessions alone', async () => {
    let dropped = 0;
    const own = sessionDirectory();
    const { token } = own.open({ host: noteHost(), drop: () => dropped++ });
    const server = await serveHttp({ keeper: own, port: 0 });
    const answer = await fetch(server.url, {
      method: 'POST',
      body: LIST,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    await server.close();
    expect([own.size, dropped]).toEqual([1, 0]);
    own.closeAll();
    expect([own.size, dropped]).toEqual([0, 1]);
  });
});
