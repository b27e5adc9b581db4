import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { speak } from '../../../test/e2e/mcp-raw.js';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { memoryBlobs } from '../blobs/memory.js';
import { TOKEN } from '../client/bench.fixture.js';
import { processClock } from '../durable/clock.js';
import type { NewJob } from '../durable/jobs/jobs.js';
import { memoryJobs } from '../durable/jobs/memory.js';
import { JobDesk } from '../jobs/desk.js';
import { type Answered, codeOf, type Door, type DoorOptions, openDoor } from './door.fixture.js';
import { HANDLERS } from './handlers.js';
import { ROUTES } from './routes.js';

let engine: Engine;
let world: LoadedWorld;
const open: Door[] = [];

beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
});
afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close();
});
afterAll(() => engine.close());

const doorOn = async (options: DoorOptions = {}): Promise<Door> => {
  const door = await openDoor(world, options);
  open.push(door);
  return door;
};

const filled = (path: string, id = 'nobody'): string =>
  path.replace('{id}', id).replace('{snapshot}', 's1').replace('{service}', 'billing').replace('{kind}', 'world');

const BODIES: Partial<Record<string, object>> = {
  openSession: { world: 'fixture' },
  callTool: { tool: 'x' },
  publishRecord: { name: 'a', content: 1 },
  deprecateRecord: { reference: 'nothing', because: 'x' },
  submitJob: { kind: 'gate' },
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
    const at = (headers: Record<string, string>): Promise<Answered> => ask({ method: 'GET', path: '/health', headers });
    expect(codeOf(await at({ host: 'evil.example' }))).toBe('403 wrong_host');
    expect(codeOf(await at({ origin: 'https://evil.example' }))).toBe('403 wrong_origin');
    expect((await at({ origin: 'http://localhost:3000' })).status).toBe(200);
  });

  it('opens /metrics only when told to', async () => {
    const metrics = async (): Promise<string> => 'up 1\n';
    const closed = await doorOn({ rest: { metrics } });
    const headers = { authorization: '' };
    expect((await closed.ask({ method: 'GET', path: '/metrics', headers })).status).toBe(401);
    const shown = await closed.ask({ method: 'GET', path: '/metrics' });
    expect([shown.status, shown.text, shown.headers['content-type']]).toEqual([
      200,
      'up 1\n',
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const opened = await doorOn({ rest: { metrics, isMetricsOpen: true } });
    expect((await opened.ask({ method: 'GET', path: '/metrics', headers })).text).toBe('up 1\n');
    expect((await opened.ask({ method: 'GET', path: '/v1/info', headers })).status).toBe(401);
    expect(codeOf(await (await doorOn()).ask({ method: 'GET', path: '/metrics' }))).toBe('404 unknown_metrics');
  });
});

/** Routes about what a session has only once something else was asked, or opened with it. */
const NEEDING_MORE = new Set(['restoreSnapshot', 'dropSnapshot', 'verifySession', 'getEvents', 'takeNotices']);

describe('what is asked', () => {
  it('answers every route, and HEAD where there is a GET', async () => {
    const plan = (): NewJob[] => [{ id: 'one', payload: null }];
    const jobs = await JobDesk.open({ jobs: memoryJobs(processClock), blobs: memoryBlobs(), plan });
    const { ask, opened } = await doorOn({ rest: { metrics: () => 'up 1\n', jobs } });
    const job = await jobs.submit({ kind: 'gate' });
    expect(new Set(ROUTES.map(({ operation }) => operation)).size).toBe(Object.keys(HANDLERS).length);
    for (const { method, path, operation, status, request } of ROUTES) {
      if (NEEDING_MORE.has(operation)) continue;
      const id = path.startsWith('/v1/jobs') ? job.id : await opened();
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
