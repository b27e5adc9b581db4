import { once } from 'node:events';
import { request } from 'node:http';
import { connect as dial } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { speak } from '../../../test/e2e/mcp-raw.js';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { TreadleError } from '../../errors.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { READ, TOKEN, WRITE } from '../client/bench.fixture.js';
import { type Answered, AUTH, codeOf, type Door, type DoorOptions, openDoor } from './door.fixture.js';

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

describe('what goes wrong behind it', () => {
  const failing = (thrown: unknown): DoorOptions => ({
    trainer: (fake) => ({
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
    const { ask, trainer } = await doorOn({ fake: { capacity: 1000 } });
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
    const { ask, origin } = await doorOn({ limits: { pendingBodies: 2 } });
    const { hostname, port } = new URL(origin);
    const start = `POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 70000\r\n\r\n{"world"`;
    const slow = [0, 1].map(() => dial(Number(port), hostname));
    for (const socket of slow) socket.on('error', () => {}).write(start);
    const tried = (): Promise<Answered> => ask({ path: '/v1/sessions', json: { world: 'fixture' } });
    await vi.waitFor(async () => expect(codeOf(await tried())).toBe('503 too_many_requests'), { timeout: 20_000 });
    expect((await ask({ method: 'GET', path: '/v1/info' })).status).toBe(200);
    slow[0]!.destroy();
    await vi.waitFor(async () => expect((await tried()).status).toBe(201), { timeout: 20_000 });
    slow[1]!.write(`:"fixture"${' '.repeat(69_981)}}`);
    const [heard] = (await once(slow[1]!, 'data')) as [Buffer];
    expect(heard.toString()).toMatch(/^HTTP\/1.1 201 /);
    slow[1]!.destroy();
  });

  it("leaves a body that does not come to the server's own patience", async () => {
    const { origin } = await doorOn({
      timeouts: { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 },
    });
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
    await vi.waitFor(() => expect(door.trainer.living).toBe(1), { timeout: 20_000 });
    const gone = new Promise((resolve) => door.server.server.on('connection', (socket) => socket.on('close', resolve)));
    sent.destroy();
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 50))]);
    return { door, go };
  };

  it('closes what it opened for who went away, and keeps it for who can ask again', async () => {
    const lost = await abandoned({});
    lost.go();
    await vi.waitFor(() => expect(lost.door.trainer.living).toBe(0), { timeout: 20_000 });
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
    const { ask, trainer } = await doorOn({ fake: { capacity: 1 } });
    const json = { world: 'fixture' };
    const first = await ask({ path: '/v1/sessions', json, key: 'a' });
    expect(codeOf(await ask({ path: '/v1/sessions', json, key: 'b' }))).toBe('503 at_capacity');
    await ask({ method: 'DELETE', path: `/v1/sessions/${first.json.id}` });
    expect((await ask({ path: '/v1/sessions', json, key: 'b' })).status).toBe(201);
    expect(trainer.living).toBe(1);
  });
});
