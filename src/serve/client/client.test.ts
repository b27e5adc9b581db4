import { request } from 'node:http';
import { createServer, connect as dial, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import type { OpenedSession } from '../api.js';
import { doorBefore, type Listening, listenOn, READ, TOKEN, taskOn, WRITE } from './bench.fixture.js';
import { type ConnectOptions, connect, type RemoteTrainer } from './client.js';
import { type FakeOptions, type FakeTrainer, fakeTrainer } from './trainer.fixture.js';

let engine: Engine;
let world: LoadedWorld;
const cleanups: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => engine.close());

const serve = async (listener: Parameters<typeof listenOn>[0]): Promise<Listening> => {
  const server = await listenOn(listener);
  cleanups.push(() => server.close());
  return server;
};

const to = (url: string, options: Partial<ConnectOptions> = {}): RemoteTrainer => {
  const client = connect({ url, token: TOKEN, ...options, retry: { firstMs: 1, longestMs: 20, ...options.retry } });
  cleanups.push(() => client.disconnect());
  return client;
};

const fakeServer = async (options: FakeOptions = {}): Promise<{ fake: FakeTrainer; server: Listening }> => {
  const fake = fakeTrainer(world, { tasks: [taskOn(world.spec)], ...options });
  return { fake, server: await serve(doorBefore(fake)) };
};

/** Passes bytes on, but hangs up instead of giving back the first `lost` answers, each after it reached the proxy in part. */
const losing = async (origin: string, lost: number, keptBytes: number): Promise<string> => {
  let left = lost;
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = dial(Number(new URL(origin).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (chunk) => {
      if (left === 0) return near.write(chunk);
      left--;
      if (keptBytes > 0) near.write(chunk.subarray(0, keptBytes));
      return near.end();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
};

const refusal = (code: string, rest: object = {}): unknown =>
  expect.objectContaining({ name: 'TreadleError', code, ...rest });

describe('a connection that breaks', () => {
  it.each([
    [1, 0],
    [3, 0],
    [2, 40],
    [2, 400],
  ])('%i times after %i bytes of the answer: everything still runs once', async (lost, bytes) => {
    const { fake, server } = await fakeServer();
    const run = async (work: (client: RemoteTrainer) => Promise<unknown>): Promise<unknown> =>
      work(to(await losing(server.origin, lost, bytes)));
    const { id } = (await run((client) => client.open({ world: 'fixture' }))) as OpenedSession;
    expect(await run((client) => client.call(id, WRITE))).toMatchObject({ ok: true });
    expect(await run((client) => client.fork(id, { count: 2 }))).toHaveLength(2);
    const { snapshot } = (await run((client) => client.snapshot(id))) as { snapshot: string };
    expect(await run((client) => client.dropSnapshot(id, snapshot))).toBeUndefined();
    expect(await run((client) => client.close(id))).toMatchObject({ status: 'closed' });
    const once = { open: 1, call: 1, fork: 1, snapshot: 1, dropSnapshot: 1, close: 1 };
    expect(fake.runs).toEqual(once);
    expect((await fake.sessions()).length).toBe(3);
  });

  it('too often is told as what it is', async () => {
    const { server } = await fakeServer();
    const client = to(await losing(server.origin, 100, 0), { retry: { retries: 2 } });
    await expect(client.info()).rejects.toEqual(
      refusal('no_connection', { isRetryable: true, fault: 'infrastructure' }),
    );
  });

  it('because nobody is there', async () => {
    const server = await listenOn(() => {});
    await server.close();
    const client = to(server.origin, { retry: { retries: 1 } });
    await expect(client.info()).rejects.toEqual(
      refusal('no_connection', { value: server.origin, message: expect.stringContaining('ECONNREFUSED') }),
    );
  });
});

describe('refusals', () => {
  it('come back as they were thrown', async () => {
    const { server } = await fakeServer();
    const client = to(server.origin);
    await expect(client.session('x')).rejects.toEqual(
      refusal('unknown_session', {
        message: 'There is no such session',
        value: 'x',
        fault: 'input',
        isRetryable: false,
      }),
    );
    await expect(client.open({ labels: { step: -1 } } as never)).rejects.toEqual(
      refusal('bad_request', { message: expect.stringMatching(/^body\.labels\.step: /), value: -1 }),
    );
    await expect(to(server.origin, { token: 'wrong' }).info()).rejects.toEqual(refusal('unauthorized'));
  });

  it('that may pass are tried again, as long as the server asks to wait', async () => {
    const { fake, server } = await fakeServer({ capacity: 1 });
    const client = to(server.origin, { retry: { retries: 50, firstMs: 1, longestMs: 5 } });
    const first = await client.open({ world: 'fixture' });
    const second = client.open({ world: 'fixture' });
    await vi.waitFor(() => expect(fake.runs.open).toBeGreaterThan(3), { timeout: 20_000 });
    await client.close(first.id);
    expect((await second).status).toBe('open');
    expect(fake.living).toBe(1);
    const hurried = to(server.origin, { retry: { retries: 2 } });
    await expect(hurried.open({ world: 'fixture' })).rejects.toEqual(refusal('at_capacity', { isRetryable: true }));
  });

  it.each([
    [200, 'text/html', '<html>hello</html>', 'bad_answer', 1],
    [502, 'text/html', '<html>bad gateway</html>', 'bad_answer', 3],
    [404, 'text/plain', 'nothing', 'bad_answer', 1],
    [500, 'application/json', '{"error":"text"}', 'bad_answer', 1],
    [500, 'application/json', '{"error":{"code":"new","message":"m","fault":"nobody","more":1}}', 'new', 1],
    [301, 'text/html', '', 'bad_answer', 1],
    [200, 'application/json', '', 'bad_answer', 1],
  ])('%i %s %s from something else is %s', async (status, type, body, code, tries) => {
    let asked = 0;
    const server = await serve((_, response) => {
      asked++;
      response.writeHead(status, { 'content-type': type, 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' });
      response.end(body);
    });
    await expect(to(server.origin, { retry: { retries: 2 } }).info()).rejects.toEqual(refusal(code));
    expect(asked).toBe(tries);
  });
});

describe('what the caller decides', () => {
  it('calls off what is under way, and only that', async () => {
    let waiting = 0;
    const server = await serve((asked, response) => {
      if (asked.url === '/v1/info') waiting++;
      else response.end('[]');
    });
    const client = to(server.origin);
    const warnings: Error[] = [];
    const hear = (warning: Error): number => warnings.push(warning);
    process.on('warning', hear);
    const calling = new AbortController();
    const off = client.with({ signal: calling.signal });
    const asked = Array.from({ length: 100 }, () => off.info());
    const settled = Promise.allSettled(asked);
    await vi.waitFor(() => expect(waiting).toBe(100), { timeout: 20_000 });
    calling.abort(new Error('enough'));
    for (const result of await settled)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'aborted', cause: { message: 'enough' } } });
    await expect(off.sessions()).rejects.toEqual(refusal('aborted'));
    expect(await client.sessions()).toEqual([]);
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  });

  it('ends the waiting between two tries, too', async () => {
    const { server } = await fakeServer({ capacity: 0 });
    const calling = new AbortController();
    const client = to(server.origin, { retry: { retries: 9, longestMs: 60_000 }, signal: calling.signal });
    const opening = expect(client.open({ world: 'fixture' })).rejects.toEqual(refusal('aborted'));
    setTimeout(() => calling.abort(), 50);
    await opening;
  });

  it('keeps to its sockets and keeps them open', async () => {
    const { server } = await fakeServer();
    let opened = 0;
    server.server.on('connection', () => opened++);
    const client = to(server.origin, { sockets: 4 });
    await Promise.all(Array.from({ length: 200 }, () => client.open({ world: 'fixture' })));
    expect((await client.sessions()).length).toBe(200);
    expect(opened).toBeLessThanOrEqual(4);
  });

  it('sends the key that it was given', async () => {
    const { fake, server } = await fakeServer();
    const [one, other] = [to(server.origin), to(server.origin)];
    const opened = await one.open({ world: 'fixture' }, { key: 'mine' });
    expect(await other.open({ world: 'fixture' }, { key: 'mine' })).toEqual(opened);
    await expect(other.open({ task: 'x' }, { key: 'mine' })).rejects.toEqual(refusal('idempotency_conflict'));
    expect(fake.runs.open).toBe(1);
  });

  it('finds the API below a path', async () => {
    const { server } = await fakeServer();
    const prefixed = await serve((asked, response) => {
      const path = asked.url?.replace(/^\/treadle\/west/, '') ?? '';
      const { port } = new URL(server.origin);
      const onward = request({ port, method: asked.method, path, headers: asked.headers }, (heard) => {
        response.writeHead(heard.statusCode ?? 0, heard.headers);
        heard.pipe(response);
      });
      asked.pipe(onward);
    });
    for (const end of ['', '/'])
      expect((await to(`${prefixed.origin}/treadle/west${end}`).info()).capacity).toBe(10_000);
    const { id } = await to(`${prefixed.origin}/treadle/west`).open({ world: 'fixture' });
    expect((await to(server.origin).call(id, READ)).ok).toBe(true);
  });

  it('takes no address and no token that cannot be', () => {
    for (const url of ['', 'localhost:80', 'ftp://x', 'http://', 'http://a:b@c', 'http://a/?x=1', 'file:///etc'])
      expect(() => connect({ url, token: TOKEN })).toThrowError(refusal('bad_url') as Error);
    for (const token of ['', 'a b', 'a\r\nx: y', 'ü'])
      expect(() => connect({ url: 'http://127.0.0.1:1', token })).toThrowError(refusal('bad_token') as Error);
  });

  it('asks nothing of a server for an id that would lead elsewhere', async () => {
    const client = to('http://127.0.0.1:1');
    for (const id of ['', '.', '..']) await expect(client.session(id)).rejects.toEqual(refusal('bad_request'));
  });
});
