/** Streamable HTTP with sessions and streams over real sockets, and over none where there would be ten thousand. */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FixtureServer, startFixture } from '../../../../test/conformance/fixture.js';
import { type Event, type Reading, readEvents } from '../../../../test/conformance/stream-client.js';
import { noteHost } from '../../../../test/e2e/mcp-host.js';
import { ask, envelope, modern, type RawAnswer, type RawRequest, rpc, VERSION } from '../../../../test/e2e/mcp-raw.js';
import { readEventId } from './event-stream.js';

let server: FixtureServer;
const start = async (...how: Parameters<typeof startFixture>): Promise<void> => {
  server = await startFixture(...how);
};
afterEach(() => server?.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const BOTH = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };
const post = (body: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  ask(server.origin, { headers: { ...BOTH, ...headers }, body });
const send = (raw: RawRequest): Promise<RawAnswer> => ask(server.origin, raw);

const CAPABILITIES = { sampling: {}, elicitation: {} };
const opening = (protocolVersion = '2025-11-25'): string =>
  rpc('initialize', { protocolVersion, capabilities: CAPABILITIES, clientInfo: { name: 'c', version: '1' } });
const begin = async (protocolVersion?: string, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await post(opening(protocolVersion), headers);
  expect(answer.status).toBe(200);
  return answer.headers['mcp-session-id'] as string;
};
const named = (session: string): Record<string, string> => ({ 'mcp-session-id': session });

const read = (raw: RawRequest): Promise<Reading> => readEvents(server.origin, raw);
const listen = (session: string, more: Record<string, string> = {}): Promise<Reading> =>
  read({ headers: { accept: 'text/event-stream', ...named(session), ...more } });
const call = (session: string, tool: string, args: object = {}): Promise<Reading> =>
  read({
    method: 'POST',
    headers: { ...BOTH, ...named(session) },
    body: rpc('tools/call', { name: tool, arguments: args }, 'c1'),
  });
/** For what takes its time on a busy machine. */
const PATIENT = { timeout: 30_000 };
const parsed = (event: Event | undefined): { id?: string; method?: string; result?: Record<string, unknown> } =>
  JSON.parse(event?.data || '{}');

describe('what a client accepts', () => {
  it('must be something we have', async () => {
    await start();
    for (const accept of ['text/html', 'image/*', 'application/xml', ''])
      expect((await send({ headers: { ...JSON_TYPE, accept }, body: rpc('ping') })).status, accept).toBe(406);
    const session = await begin();
    for (const accept of ['application/json', 'text/html'])
      expect((await send({ method: 'GET', headers: { accept, ...named(session) } })).status, accept).toBe(406);
    expect((await send({ method: 'GET', headers: named(session) })).status).toBe(406);
    expect((await send({ headers: { accept: '*/*', 'content-type': 'text/plain' }, body: '{}' })).status).toBe(415);
  });

  it('is what it gets', async () => {
    await start();
    const events = await send({ headers: { ...JSON_TYPE, accept: 'text/event-stream' }, body: rpc('ping') });
    expect([events.headers['content-type'], events.json.result]).toEqual(['text/event-stream', {}]);
    const plain = await send({ headers: { ...JSON_TYPE, accept: 'application/json' }, body: rpc('ping') });
    expect(plain.headers['content-type']).toBe('application/json');
    const { headers, body } = modern('subscriptions/listen', { notifications: {} });
    const refused = await send({ headers: { ...JSON_TYPE, accept: 'application/json', ...headers }, body });
    expect(refused.status).toBe(406);
  });

  it('does not save it from being a stranger, from elsewhere, or garbled', async () => {
    await start({ bodyBytes: 1000 }, () => undefined);
    expect((await post(rpc('ping'))).status).toBe(401);
    await server.close();
    await start({ bodyBytes: 1000 });
    expect((await post(rpc('ping'), { host: 'evil.example' })).status).toBe(403);
    expect((await post(rpc('ping'), { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post('{"jsonrpc":')).status).toBe(400);
    expect((await post(`"${'x'.repeat(2000)}"`)).status).toBe(413);
    expect((await send({ path: '/mcp/x', headers: BOTH, body: rpc('ping') })).status).toBe(404);
    expect((await send({ method: 'PUT', headers: BOTH, body: rpc('ping') })).status).toBe(405);
  });
});

describe('sessions', () => {
  it('are known by their id alone, and to their own caller alone', async () => {
    const hosts = { one: noteHost(), two: noteHost() };
    await start({}, ({ headers }) => (headers.authorization === 'two' ? hosts.two : hosts.one));
    const session = await begin();
    expect(session).toMatch(/^[\x21-\x7e]{22,}$/);
    expect((await post(rpc('tools/list'), named(session))).status).toBe(200);
    for (const id of ['x', session.slice(1), `${session}x`, '__proto__', '']) {
      expect((await post(rpc('tools/list'), named(id))).status, id).toBe(404);
      for (const method of ['GET', 'DELETE'])
        expect((await send({ method, headers: { ...BOTH, ...named(id) } })).status).toBe(404);
    }
    const stolen = { ...named(session), authorization: 'two' };
    expect((await post(rpc('tools/list'), stolen)).status).toBe(404);
    expect((await send({ method: 'DELETE', headers: stolen })).status).toBe(404);
    for (const method of ['GET', 'DELETE']) expect((await send({ method, headers: BOTH })).status).toBe(400);
  });

  it('end for good, with all that hangs on them', async () => {
    await start();
    const session = await begin();
    const standing = await listen(session);
    const asking = await call(session, 'test_sampling', { prompt: 'x' });
    await asking.until(2);
    expect((await send({ method: 'DELETE', headers: named(session) })).status).toBe(204);
    await Promise.all([standing.ended, asking.ended]);
    expect((await post(rpc('tools/list'), named(session))).status).toBe(404);
    expect((await send({ method: 'DELETE', headers: named(session) })).status).toBe(404);
    expect([server.door.sessions, server.features.changes.listeners]).toEqual([0, 0]);
  });

  it('are none of 2026-07-28', async () => {
    await start();
    const session = await begin();
    const version = { 'mcp-protocol-version': VERSION, accept: 'text/event-stream', ...named(session) };
    for (const method of ['GET', 'DELETE']) {
      const answer = await send({ method, headers: version });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    }
    const { headers, body } = modern('tools/list');
    const answer = await post(body, { ...headers, ...named('unknown') });
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined]);
  });

  it('have room for so many, and idle ones make room', async () => {
    await start({ sessions: 2 });
    await begin();
    await begin();
    const full = await post(opening());
    expect([full.status, full.headers['retry-after'], full.headers['mcp-session-id']]).toEqual([503, '5', undefined]);
    await server.close();
    await start({ sessions: 2, idleSeconds: 0 });
    const listened = await begin();
    const stream = await listen(listened);
    const idle = await begin();
    await begin();
    expect((await post(rpc('ping'), named(idle))).status).toBe(404);
    expect((await post(rpc('ping'), named(listened))).status).toBe(200);
    stream.hangUp();
  });

  it('are not opened by a handshake that fails', async () => {
    await start();
    const answer = await post(rpc('initialize', {}));
    expect([answer.json.error?.code, answer.headers['mcp-session-id'], server.door.sessions]).toEqual([
      -32602,
      undefined,
      0,
    ]);
  });
});

describe('questions over a stream', () => {
  const answered = (id: string | undefined): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } },
    });

  it.each(['2025-11-25', '2025-06-18'])('are answered by another request (%s)', async (version) => {
    await start();
    const session = await begin(version);
    const asking = await call(session, 'test_sampling', { prompt: 'x' });
    // Only 2025-11-25 has clients that know an event without data.
    const primes = version === '2025-11-25' ? 1 : 0;
    const question = parsed((await asking.until(primes + 1))[primes]);
    expect(question.method).toBe('sampling/createMessage');
    const stranger = await begin();
    expect((await post(answered(question.id), named(stranger))).status).toBe(202);
    expect((await post(answered(question.id), named(session))).status).toBe(202);
    await asking.ended;
    expect(asking.events).toHaveLength(primes + 2);
    expect(JSON.stringify(parsed(asking.events.at(-1)).result)).toContain('Paris');
  });

  it('end when the client never answers', async () => {
    await start({ askMs: 30 });
    const asking = await call(await begin(), 'test_sampling', { prompt: 'x' });
    await asking.ended;
    expect(asking.events.map((event) => parsed(event).method)).toEqual([
      undefined,
      'sampling/createMessage',
      'notifications/cancelled',
      undefined,
    ]);
    expect(parsed(asking.events.at(-1)).result?.isError).toBe(true);
    await vi.waitFor(() => expect(server.door.streams).toBe(0), PATIENT);
  });

  it('wait for a client that lost its stream and comes back for it', async () => {
    await start();
    const session = await begin();
    const asking = await call(session, 'test_sampling', { prompt: 'x' });
    const [prime] = await asking.until(2);
    asking.hangUp();
    await asking.ended;
    const again = await listen(session, { 'last-event-id': prime?.id ?? '' });
    const question = parsed((await again.until(1))[0]);
    expect(question.method).toBe('sampling/createMessage');
    await post(answered(question.id), named(session));
    await again.ended;
    expect(again.events).toHaveLength(2);
    // And once more from the end, which has been kept.
    const late = await listen(session, { 'last-event-id': again.events[0]?.id ?? '' });
    await late.ended;
    expect(late.events).toEqual([again.events[1]]);
  });

  it('do not outlive a modern client, whose hanging up is how it cancels', async () => {
    await start();
    const meta = { ...envelope(), progressToken: 1 };
    const { headers } = modern('tools/call', { name: 'test_tool_with_progress' });
    const body = rpc('tools/call', { name: 'test_tool_with_progress', _meta: meta });
    const calling = await read({ method: 'POST', headers: { ...BOTH, ...headers }, body });
    await calling.until(1);
    calling.hangUp();
    await calling.ended;
    await vi.waitFor(() => expect(server.door.streams).toBe(0), PATIENT);
  });
});

describe('standing streams', () => {
  it('tell what changes, to who listens, from where it left off', async () => {
    await start();
    const { changes } = server.features;
    const session = await begin();
    changes.tell({ kind: 'tools' });
    const first = await listen(session);
    await first.until(1);
    changes.tell({ kind: 'prompts' });
    changes.tell({ kind: 'resource', uri: 'test://watched-resource' });
    await post(rpc('resources/subscribe', { uri: 'test://watched-resource' }), named(session));
    changes.tell({ kind: 'resource', uri: 'test://watched-resource' });
    const heard = await first.until(3);
    // Nothing from before it listened, nothing it did not watch.
    expect(heard.slice(1).map((event) => parsed(event).method)).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/updated',
    ]);
    first.hangUp();
    await first.ended;
    changes.tell({ kind: 'tools' });
    const second = await listen(session, { 'last-event-id': heard[1]?.id ?? '' });
    expect((await second.until(2)).map((event) => parsed(event).method)).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    // A client has one; the newer takes over, since the older may be dead without anybody knowing.
    const third = await listen(session);
    await second.ended;
    changes.tell({ kind: 'tools' });
    expect(await third.until(2)).toHaveLength(2);
    third.hangUp();
  });

  it('are not resumed from an id that is none of theirs', async () => {
    await start();
    const session = await begin();
    for (const id of ['call1-0', 'x', 'standing', 'standing-', '-1', 'standing-1-2', 'standing-99999999999999'])
      expect((await listen(session, { 'last-event-id': id })).status, id).toBe(400);
    expect(readEventId('call12-7')).toEqual({ name: 'call12', seen: 7 });
  });

  it('get a sign of life, and idle sessions an end', async () => {
    await start({ beatMs: 5, idleSeconds: 2 });
    const listened = await listen(await begin());
    await begin();
    await vi.waitFor(() => expect([listened.beats > 3, server.door.sessions]).toEqual([true, 1]), PATIENT);
    listened.hangUp();
    await vi.waitFor(() => expect([server.door.sessions, server.features.changes.listeners]).toEqual([0, 0]), PATIENT);
  });

  it('are let go of when the server closes', async () => {
    await start();
    const { headers, body } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const subscribed = await read({ method: 'POST', headers: { ...BOTH, ...headers }, body });
    const standing = await listen(await begin());
    await Promise.all([subscribed.until(1), standing.until(1)]);
    await server.close();
    await Promise.all([subscribed.ended, standing.ended]);
    expect(parsed(subscribed.events.at(-1)).result?.resultType).toBe('complete');
  });
});

describe('the limit of streams', () => {
  it('is kept, and a stream that ended makes room', async () => {
    await start({ streams: 2 });
    const { headers, body } = modern('subscriptions/listen', { notifications: {} });
    const subscribe = (): Promise<Reading> => read({ method: 'POST', headers: { ...BOTH, ...headers }, body });
    const [first] = [await subscribe(), await listen(await begin())];
    expect(server.door.streams).toBe(2);
    expect((await subscribe()).status).toBe(503);
    const session = await begin();
    expect((await listen(session)).status).toBe(503);
    // A call that would have streamed answers plainly instead.
    const logged = await post(rpc('tools/call', { name: 'test_tool_with_logging' }), named(session));
    expect([logged.status, logged.headers['content-type']]).toEqual([200, 'application/json']);
    first.hangUp();
    await first.ended;
    await vi.waitFor(() => expect(server.door.streams).toBe(1), PATIENT);
    expect((await subscribe()).status).toBe(200);
  });

  it('is ten thousand', async () => {
    await start();
    const { headers, body } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const open = (): ServerResponse => {
      const incoming = new IncomingMessage(new Socket());
      const all = { host: '127.0.0.1', 'content-length': String(body.length), ...BOTH, ...headers };
      Object.assign(incoming, { method: 'POST', url: '/mcp', headers: all });
      const response = new ServerResponse(incoming);
      server.door.listener(incoming, response as Parameters<typeof server.door.listener>[1]);
      incoming.push(body);
      incoming.push(null);
      return response;
    };
    const responses = Array.from({ length: 10_000 }, open);
    await turn();
    await turn();
    expect([server.door.streams, server.features.changes.listeners]).toEqual([10_000, 10_000]);
    const refused = open();
    await once(refused.req, 'end');
    await turn();
    expect([refused.statusCode, server.door.streams]).toEqual([503, 10_000]);
    server.features.changes.tell({ kind: 'tools' });
    // What a socket that closes says.
    for (const response of responses) response.emit('close');
    await turn();
    expect([server.door.streams, server.features.changes.listeners]).toEqual([0, 0]);
  });
});
