import { once } from 'node:events';
import { request } from 'node:http';
import { connect as dial } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RawAnswer, type RawRequest, ask as rawAsk, speak } from '../../../test/e2e/mcp-raw.js';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { TreadleError } from '../../errors.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { doorBefore, type Listening, listenOn, READ, TOKEN, taskOn, WRITE } from '../client/bench.fixture.js';
import { type FakeOptions, type FakeTrainer, fakeTrainer } from '../client/trainer.fixture.js';
import type { HttpLimits } from '../http/limits.js';
import type { Trainer } from '../trainer.js';
import type { RestDoor } from './door.js';
import { HANDLERS } from './handlers.js';
import { ROUTES } from './routes.js';

let engine: Engine;
let world: LoadedWorld;
const open: Listening[] = [];

beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => engine.close());

interface Door {
  origin: string;
  trainer: FakeTrainer;
  server: Listening;
  defects: TreadleError[];
  ask(request: RawRequest & { json?: unknown; key?: string }): Promise<RawAnswer & { json: Answer }>;
  opened(): Promise<string>;
}
type Answer = Record<string, unknown> & { error?: { code: string; message: string; value?: unknown } };

const AUTH = { authorization: `Bearer ${TOKEN}` };

const doorOn = async (
  options: FakeOptions & { trainer?: (fake: FakeTrainer) => Trainer } = {},
  rest: Partial<RestDoor> = {},
  limits: Partial<HttpLimits> = {},
  timeouts: object = {},
): Promise<Door> => {
  const trainer = fakeTrainer(world, { tasks: [taskOn(world.spec)], ...options });
  const defects: TreadleError[] = [];
  const served = options.trainer?.(trainer) ?? trainer;
  const listener = doorBefore(served, { onDefect: (error) => defects.push(error), ...rest }, limits);
  const server = await listenOn(listener, timeouts);
  open.push(server);
  const ask: Door['ask'] = ({ json, key, headers, ...asked }) =>
    rawAsk(server.origin, {
      ...asked,
      headers: {
        ...AUTH,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    }) as Promise<RawAnswer & { json: Answer }>;
  const opened = async (): Promise<string> =>
    (await ask({ path: '/v1/sessions', json: { world: 'fixture' } })).json.id as string;
  return { origin: server.origin, trainer, server, defects, ask, opened };
};

const codeOf = ({ status, json }: { status: number; json: Answer }): string => `${status} ${json.error?.code}`;

const filled = (path: string, id = 'nobody'): string =>
  path.replace('{id}', id).replace('{snapshot}', 's1').replace('{service}', 'billing').replace('{kind}', 'world');

const BODIES: Partial<Record<string, object>> = {
  openSession: { world: 'fixture' },
  callTool: { tool: 'x' },
  publishRecord: { name: 'a', content: 1 },
  deprecateRecord: { reference: 'nothing', because: 'x' },
};

describe('who may ask', () => {
  it('lets nobody in without the token, at any route but the one that says it is alive', async () => {
    const { ask, trainer } = await doorOn();
    for (const { method, path, operation, open: isOpen } of ROUTES)
      for (const authorization of ['', 'Bearer', 'Bearer nonsense', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
        const answer = await ask({ method, path: filled(path), headers: { authorization } });
        expect(`${operation} ${answer.status}`).toBe(`${operation} ${isOpen ? 200 : 401}`);
        if (!isOpen) expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
      }
    expect(trainer.runs).toEqual({});
  });

  it("takes no session's token", async () => {
    const { ask } = await doorOn();
    const { json } = await ask({ path: '/v1/sessions', json: { world: 'fixture' } });
    const headers = { authorization: `Bearer ${json.token}` };
    expect(codeOf(await ask({ method: 'GET', path: `/v1/sessions/${json.id}/ledger`, headers }))).toBe(
      '401 unauthorized',
    );
  });

  it('tells a stranger nothing of which paths exist', async () => {
    const { ask } = await doorOn();
    const headers = { authorization: 'Bearer x' };
    expect((await ask({ method: 'GET', path: '/v1/nothing', headers })).status).toBe(401);
    expect((await ask({ method: 'PUT', path: '/v1/info', headers })).status).toBe(401);
  });

  it('refuses foreign hosts and origins before everything else', async () => {
    const { ask } = await doorOn();
    const at = (headers: Record<string, string>): Promise<RawAnswer & { json: Answer }> =>
      ask({ method: 'GET', path: '/health', headers });
    expect(codeOf(await at({ host: 'evil.example' }))).toBe('403 wrong_host');
    expect(codeOf(await at({ origin: 'https://evil.example' }))).toBe('403 wrong_origin');
    expect((await at({ origin: 'http://localhost:3000' })).status).toBe(200);
  });

  it('opens /metrics only when told to', async () => {
    const metrics = async (): Promise<string> => 'up 1\n';
    const closed = await doorOn({}, { metrics });
    const headers = { authorization: '' };
    expect((await closed.ask({ method: 'GET', path: '/metrics', headers })).status).toBe(401);
    const shown = await closed.ask({ method: 'GET', path: '/metrics' });
    expect([shown.status, shown.text, shown.headers['content-type']]).toEqual([
      200,
      'up 1\n',
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const opened = await doorOn({}, { metrics, isMetricsOpen: true });
    expect((await opened.ask({ method: 'GET', path: '/metrics', headers })).text).toBe('up 1\n');
    expect((await opened.ask({ method: 'GET', path: '/v1/info', headers })).status).toBe(401);
    expect(codeOf(await (await doorOn()).ask({ method: 'GET', path: '/metrics' }))).toBe('404 unknown_metrics');
  });
});

describe('what is asked', () => {
  it('answers every route, and HEAD where there is a GET', async () => {
    const { ask, opened } = await doorOn({}, { metrics: () => 'up 1\n' });
    expect(new Set(ROUTES.map(({ operation }) => operation)).size).toBe(Object.keys(HANDLERS).length);
    for (const { method, path, operation, status, request } of ROUTES) {
      if (operation === 'restoreSnapshot' || operation === 'dropSnapshot' || operation === 'verifySession') continue;
      const id = await opened();
      const query = path.endsWith('/resolve') || path.endsWith('/content') ? '?reference=fixture' : '';
      if (operation === 'deprecateRecord') BODIES.deprecateRecord = { reference: 'fixture', because: 'Old.' };
      const json = request && (BODIES[operation] ?? {});
      const answer = await ask({ method, path: filled(path, id) + query, json });
      expect(`${operation} ${answer.status} ${answer.json.error?.message ?? ''}`).toBe(`${operation} ${status} `);
      if (method !== 'GET') continue;
      const head = await ask({ method: 'HEAD', path: filled(path, id) + query });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-type']).toBe(answer.headers['content-type']);
    }
  });

  it('says what a path takes when asked otherwise', async () => {
    const { ask } = await doorOn();
    const seen = new Map<string, Set<string>>();
    for (const { path, method } of ROUTES) seen.set(path, (seen.get(path) ?? new Set()).add(method));
    for (const [path, methods] of seen)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (methods.has(method)) continue;
        const answer = await ask({ method, path: filled(path) });
        expect(codeOf(answer)).toBe('405 method_not_allowed');
        const allowed = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort().join(', ');
        expect(answer.headers.allow).toBe(allowed);
      }
  });

  it('knows nothing beside its paths', async () => {
    const { ask } = await doorOn();
    for (const path of [
      '/',
      '//',
      '/v1',
      '/v1/',
      '/v1/sessions/',
      '/v1//sessions',
      '/v1/sessions//ledger',
      '/V1/sessions',
      '/v1/sessions/%/ledger',
      '/v1/sessions/%ff/ledger',
      `/v1/sessions/${'a'.repeat(300)}`,
      '/v1/sessions/a/ledger/',
      '/v1/sessions/a/ledger/b',
      '/v1/__proto__',
      '/constructor',
      '/health/..',
      '/healthz',
      'http://evil.example/health',
    ])
      expect(`${path} ${codeOf(await ask({ method: 'GET', path }))}`).toBe(`${path} 404 not_found`);
    for (const id of ['__proto__', 'constructor', '%2e%2e', '%2Fetc', '%00', '%F0%9F%98%80'])
      expect(codeOf(await ask({ method: 'GET', path: `/v1/sessions/${id}` }))).toBe('404 unknown_session');
  });

  it('takes no query it does not know, and none twice', async () => {
    const { ask } = await doorOn();
    const at = async (path: string): Promise<string> => {
      const { status, json } = await ask({ method: 'GET', path });
      return `${status} ${json.error?.message}`;
    };
    expect(await at('/v1/sessions?runs=a')).toBe('422 query.runs: there is no such parameter');
    expect(await at('/v1/sessions?run=a&run=b')).toBe('422 query.run: given twice');
    expect(await at('/v1/sessions?__proto__=a')).toBe('422 query.__proto__: there is no such parameter');
    expect(await at('/v1/info?x')).toBe('422 query.x: there is no such parameter');
    expect(await at('/v1/sessions?status=asleep')).toMatch(/^422 query\.status: /);
    expect(await at('/v1/sessions?run=')).toMatch(/^422 query\.run: /);
    expect(await at('/v1/registry/planet')).toMatch(/^422 path\.kind: /);
    expect(await at('/v1/registry/world/resolve')).toMatch(/^422 query\.reference: /);
    expect(await at('/v1/sessions?')).toBe('200 undefined');
  });

  it('names the place of what is wrong in a body', async () => {
    const { ask, trainer } = await doorOn();
    for (const [json, place] of [
      [{ labels: { step: -1 } }, 'body.labels.step'],
      [{ labels: { step: 1e308 } }, 'body.labels.step'],
      [{ labels: { other: 'x' } }, 'body.labels'],
      [{ task: 7 }, 'body.task'],
      [{ task: 'x'.repeat(300) }, 'body.task'],
      [{ services: ['billing', 'Bad Name'] }, 'body.services.1'],
      [{ idleSeconds: 0.5 }, 'body.idleSeconds'],
      [{ constructor: {} }, 'body'],
      [[], 'body'],
      [null, 'body'],
      ['{}', 'body'],
      [7, 'body'],
    ] as const) {
      const { status, json: told } = await ask({ path: '/v1/sessions', json });
      expect(status).toBe(422);
      expect(told.error?.code).toBe('bad_request');
      expect(told.error?.message.split(':')[0]).toBe(place);
    }
    expect(
      JSON.stringify((await ask({ path: '/v1/sessions', json: { task: 'y'.repeat(9000) } })).json).length,
    ).toBeLessThan(1000);
    expect((await ask({ path: '/v1/sessions/x/pause', json: { now: true } })).status).toBe(422);
    expect((await ask({ path: '/v1/registry/task', json: { name: 'x' } })).json.error?.message).toMatch(
      /^body\.content: /,
    );
    expect(trainer.runs).toEqual({});
  });

  it('takes only JSON, and not any JSON', async () => {
    const { ask, trainer } = await doorOn();
    const path = '/v1/sessions';
    const send = (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
      ask({ path, body, headers });
    expect(codeOf(await send('{"world":'))).toBe('400 not_json');
    expect(codeOf(await send('\ufeff{}'))).toBe('400 not_json');
    expect(codeOf(await send(Buffer.from([0x22, 0xff, 0x22])))).toBe('400 not_utf8');
    expect(codeOf(await send('{"world":"a","__proto__":{"admin":true}}'))).toBe('400 bad_json');
    expect(codeOf(await send(`{"labels":${'['.repeat(100)}${']'.repeat(100)}}`))).toBe('400 bad_json');
    expect(codeOf(await send('['.repeat(400_000)))).toBe('400 not_json');
    expect(codeOf(await send(`${'['.repeat(200_000)}${']'.repeat(200_000)}`))).toBe('400 bad_json');
    expect(codeOf(await send('{"idleSeconds":1e999}'))).toBe('400 bad_json');
    expect(codeOf(await send('{}', { 'content-type': 'text/plain' }))).toBe('415 not_json_type');
    expect(codeOf(await send('{}', {}))).toBe('415 not_json_type');
    const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(codeOf(await send('{}', zipped))).toBe('415 not_json_type');
    expect(trainer.runs).toEqual({});
  });

  it('takes bodies up to their limit', async () => {
    const { ask, origin, opened, trainer } = await doorOn();
    const id = await opened();
    const answer = 'a'.repeat(1_048_576);
    expect((await ask({ path: `/v1/sessions/${id}/close`, json: { answer } })).status).toBe(200);
    expect(codeOf(await ask({ path: '/v1/sessions', json: { world: answer } }))).toBe('413 too_large');
    const chunked = `POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunk = `80000\r\n${' '.repeat(0x80000)}\r\n`;
    expect(await speak(origin, chunked, chunk, chunk, chunk)).toMatch(/^HTTP\/1.1 413 /);
    expect(
      codeOf(await ask({ method: 'DELETE', path: `/v1/sessions/${id}`, json: {}, headers: { 'content-length': '2' } })),
    ).toBe('400 unwanted_body');
    expect(trainer.runs).toEqual({ open: 1, close: 1 });
  });
});

describe('what goes wrong behind it', () => {
  const failing = (thrown: unknown) => ({
    trainer: (fake: FakeTrainer): Trainer => ({
      ...fake,
      open: async () => {
        throw thrown;
      },
    }),
  });
  const error = (code: string, fault: TreadleError['fault'], isRetryable = false): TreadleError =>
    new TreadleError({ code, message: 'm', fault, isRetryable });

  it.each([
    [error('session_paused', 'infrastructure'), 409],
    [error('session_forked', 'infrastructure'), 409],
    [error('not_forkable', 'input'), 409],
    [error('session_gone', 'input'), 410],
    [error('unknown_service', 'world'), 404],
    [error('bad_artifact', 'input'), 422],
    [error('operation_conflict', 'agent'), 422],
    [error('at_capacity', 'infrastructure', true), 503],
    [error('disk_full', 'infrastructure', true), 503],
    [error('broken_verifier', 'verifier'), 500],
    [error('constructor', 'world'), 500],
  ])('%s is %i', async (thrown, status) => {
    const { ask, defects } = await doorOn(failing(thrown));
    const answer = await ask({ path: '/v1/sessions', json: { world: 'fixture' } });
    expect([answer.status, answer.json.error]).toEqual([status, JSON.parse(JSON.stringify(thrown))]);
    expect(answer.headers['retry-after'] !== undefined).toBe(status === 503);
    expect(defects).toEqual(status === 500 ? [thrown] : []);
  });

  it('keeps the inside of a defect to itself and its owner, and lives on', async () => {
    const { ask, defects } = await doorOn(failing(new Error('/home/secret path')));
    const answer = await ask({ path: '/v1/sessions', json: { world: 'fixture' } });
    expect(codeOf(answer)).toBe('500 unexpected');
    expect(answer.text).not.toContain('secret');
    expect(defects.map(({ message }) => message)).toEqual(['/home/secret path']);
    expect((await ask({ method: 'GET', path: '/v1/info' })).status).toBe(200);
  });

  it('sends values that JSON cannot hold, and long ones, shortened', async () => {
    const round: Record<string, unknown> = {};
    round.self = round;
    for (const value of [round, 10n, 'x'.repeat(1e6), { deep: 'x'.repeat(1e6) }]) {
      const { ask } = await doorOn(failing(new TreadleError({ code: 'odd', message: 'm', value })));
      const answer = await ask({ path: '/v1/sessions', json: { world: 'fixture' } });
      expect([answer.status, answer.text.length < 1000]).toEqual([422, true]);
    }
  });
});

describe('many and slow', () => {
  it('opens a thousand at once, and says when it is full', async () => {
    const { ask, trainer } = await doorOn({ capacity: 1000 });
    const answers = await Promise.all(
      Array.from({ length: 1010 }, () => ask({ path: '/v1/sessions', json: { world: 'fixture' } })),
    );
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ json }) => json.id)).size).toBe(1000);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(codeOf)).toEqual(Array(10).fill('503 at_capacity'));
    expect(refused.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
    expect(trainer.living).toBe(1000);
  });

  it('bounds the bodies that are on their way, and gets the places back from who goes away', async () => {
    const { ask, origin } = await doorOn({}, {}, { pendingBodies: 2 });
    const { hostname, port } = new URL(origin);
    const start = `POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 19\r\n\r\n{"world"`;
    const slow = [0, 1].map(() => dial(Number(port), hostname));
    for (const socket of slow) socket.on('error', () => {}).write(start);
    const tried = (): Promise<RawAnswer & { json: Answer }> =>
      ask({ path: '/v1/sessions', json: { world: 'fixture' } });
    await vi.waitFor(async () => expect(codeOf(await tried())).toBe('503 too_many_requests'));
    expect((await ask({ method: 'GET', path: '/v1/info' })).status).toBe(200);
    slow[0]!.destroy();
    await vi.waitFor(async () => expect((await tried()).status).toBe(201));
    slow[1]!.write(':"fixture"}');
    const [heard] = (await once(slow[1]!, 'data')) as [Buffer];
    expect(heard.toString()).toMatch(/^HTTP\/1.1 201 /);
    slow[1]!.destroy();
  });

  it("leaves a body that does not come to the server's own patience", async () => {
    const { origin } = await doorOn(
      {},
      {},
      {},
      { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 },
    );
    const heard = await speak(
      origin,
      `POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`,
    );
    expect(heard).toMatch(/^HTTP\/1.1 408 /);
  });

  const abandoned = async (headers: Record<string, string>): Promise<{ door: Door; go: () => void }> => {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const door = await doorOn({
      trainer: (fake) => ({
        ...fake,
        open: async (...given) => {
          const opened = await fake.open(...given);
          await gate;
          return opened;
        },
      }),
    });
    const sent = request(`${door.origin}/v1/sessions`, {
      method: 'POST',
      headers: { ...AUTH, 'content-type': 'application/json', ...headers },
    });
    sent.on('error', () => {});
    sent.end('{"world":"fixture"}');
    await vi.waitFor(() => expect(door.trainer.living).toBe(1));
    const gone = new Promise((resolve) => door.server.server.on('connection', (socket) => socket.on('close', resolve)));
    sent.destroy();
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 50))]);
    return { door, go };
  };

  it('closes what it opened for who went away, and keeps it for who can ask again', async () => {
    const lost = await abandoned({});
    lost.go();
    await vi.waitFor(() => expect(lost.door.trainer.living).toBe(0));
    const kept = await abandoned({ 'idempotency-key': 'k1' });
    kept.go();
    const again = await kept.door.ask({ path: '/v1/sessions', json: { world: 'fixture' }, key: 'k1' });
    expect(again.status).toBe(201);
    expect([kept.door.trainer.living, kept.door.trainer.runs.open]).toEqual([1, 1]);
  });
});

describe('idempotency keys', () => {
  it('run a request once and answer with the same bytes, also while it runs', async () => {
    const { ask, trainer, opened } = await doorOn();
    const json = { world: 'fixture' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ path: '/v1/sessions', json, key: 'a' })));
    answers.push(await ask({ path: '/v1/sessions', json, key: 'a' }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(trainer.runs.open).toBe(1);
    const id = await opened();
    for (const [path, body] of [
      ['calls', WRITE],
      ['fork', { count: 2 }],
      ['snapshots', {}],
      ['verify', {}],
      ['pause', undefined],
    ] as const) {
      const asked = { path: `/v1/sessions/${id}/${path}`, json: body, key: path };
      const [first, second] = [await ask(asked), await ask(asked)];
      expect([second.status, second.text]).toEqual([first.status, first.text]);
    }
    const { open: _, ...rest } = trainer.runs;
    expect(rest).toEqual({ call: 1, fork: 1, snapshot: 1, verify: 1, pause: 1 });
  });

  it('are for one request only', async () => {
    const { ask, opened } = await doorOn();
    const id = await opened();
    const path = `/v1/sessions/${id}/calls`;
    expect((await ask({ path, json: READ, key: 'k' })).status).toBe(200);
    expect(codeOf(await ask({ path, json: WRITE, key: 'k' }))).toBe('422 idempotency_conflict');
    expect(codeOf(await ask({ path: `/v1/sessions/${await opened()}/calls`, json: READ, key: 'k' }))).toBe(
      '422 idempotency_conflict',
    );
    for (const key of ['x'.repeat(257), 'a b', 'ü'])
      expect(codeOf(await ask({ path, json: READ, key }))).toBe('422 bad_request');
  });

  it('let a request that was put off run later', async () => {
    const { ask, trainer } = await doorOn({ capacity: 1 });
    const json = { world: 'fixture' };
    const first = await ask({ path: '/v1/sessions', json, key: 'a' });
    expect(codeOf(await ask({ path: '/v1/sessions', json, key: 'b' }))).toBe('503 at_capacity');
    await ask({ method: 'DELETE', path: `/v1/sessions/${first.json.id}` });
    expect((await ask({ path: '/v1/sessions', json, key: 'b' })).status).toBe(201);
    expect(trainer.living).toBe(1);
  });
});
