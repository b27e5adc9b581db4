/** OpenEnv's door against clients that are careless, slow, dead or ill-willed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GymLimits } from '../../src/serve/gym/limits.js';
import type { GymListening } from '../../src/serve/gym/listen.js';
import { serveOpenEnv } from '../../src/serve/gym/openenv/serve.js';
import { ASK, type GymFixture, gymFixture, ZED } from './trainer.fixture.js';
import { deafSocket, deepJson, type GymSocket, openSocket, request } from './wire.fixture.js';

let gym: GymFixture;
beforeAll(async () => {
  gym = await gymFixture();
});
afterAll(() => gym.close());

const TOKEN = 'x'.repeat(32);

/** A door of its own for a test; afterwards no session may be left. */
const atDoor = async (
  run: (door: GymListening) => Promise<void>,
  limits: Partial<GymLimits> = {},
  more: { token?: string } = {},
): Promise<void> => {
  const door = await serveOpenEnv({ trainer: gym.trainer, defaults: { tasks: [ASK] }, limits, ...more });
  gym.seen.length = 0;
  gym.opened.length = 0;
  try {
    await run(door);
  } finally {
    await door.close();
  }
  expect(gym.server.size).toBe(0);
};

const create = (n: number): object => ({
  type: 'step',
  data: { type: 'call_tool', tool_name: 'create_customer', arguments: { name: `N ${n}`, email: `n${n}@mail.example` } },
});
const begun = async (door: GymListening): Promise<GymSocket> => {
  const socket = await openSocket(`${door.url}/ws`);
  await socket.ask({ type: 'reset', data: { task: ZED } });
  return socket;
};

describe('messages', () => {
  it('what is no message is told what it is, and the socket goes on', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      const code = async (text: string): Promise<unknown> => (await socket.ask(text)).data.code;
      expect(await code('')).toBe('INVALID_JSON');
      expect(await code('{"type":')).toBe('INVALID_JSON');
      expect(await code(deepJson(10_000))).toBe('INVALID_JSON');
      expect(await code('{"type":"reset","data":{"__proto__":{"task":1}}}')).toBe('INVALID_JSON');
      expect(await code('{"type":"step","data":{"type":"call_tool","tool_name":"x","arguments":{"n":1e999}}}')).toBe(
        'INVALID_JSON',
      );
      expect(await code('null')).toBe('VALIDATION_ERROR');
      expect(await code('[]')).toBe('VALIDATION_ERROR');
      expect(await code('{"type":7}')).toBe('VALIDATION_ERROR');
      expect(await code('{"type":"verify"}')).toBe('UNKNOWN_TYPE');
      expect(await code('{"type":"step"}')).toBe('VALIDATION_ERROR');
      expect(await code('{"type":"step","data":{"type":"call_tool"}}')).toBe('VALIDATION_ERROR');
      expect(await code('{"type":"step","data":{"type":"verify"}}')).toBe('VALIDATION_ERROR');
      expect(await code(`{"type":"step","data":${JSON.stringify(deepJson(10_000))}}`)).toBe('VALIDATION_ERROR');
      expect(await code('{"type":"step","data":{"action":{"action":{"action":{"action":{}}}}}}')).toBe(
        'VALIDATION_ERROR',
      );
      expect(await code('{"type":"reset","data":{"task":7}}')).toBe('VALIDATION_ERROR');
      expect(await code(`{"type":"reset","data":{"episode_id":"${'e'.repeat(300)}"}}`)).toBe('VALIDATION_ERROR');
      expect(await code('{"type":"reset","data":{"labels":{"evil":1}}}')).toBe('VALIDATION_ERROR');
      socket.raw.send(Buffer.from(JSON.stringify({ type: 'state' })), { binary: true });
      expect((await socket.next()).type).toBe('state');
      expect((await socket.ask(create(1))).data).toMatchObject({ observation: { error: null } });
      socket.raw.close();
    }));

  it('a task that does not exist costs the episode nothing', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      await socket.ask(create(1));
      const refused = await socket.ask({ type: 'reset', data: { task: 'fixture/none' } });
      expect(refused).toMatchObject({ type: 'error', data: { code: 'VALIDATION_ERROR', reason: 'unknown_record' } });
      expect((await socket.ask({ type: 'state' })).data).toMatchObject({ step_count: 1, task: `${ZED}@1` });
      socket.raw.close();
    }));

  it('20 MB end the socket, not the server', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      const other = await begun(door);
      socket.send(JSON.stringify({ type: 'step', data: 'x'.repeat(20_000_000) }));
      expect(await socket.closed).toBe(1009);
      expect((await other.ask(create(1))).type).toBe('observation');
      expect(
        (await request(`${door.url}/step`, 'POST', { action: 'x'.repeat(2_000_000) }).catch(() => ({ status: 413 })))
          .status,
      ).toBe(413);
      other.raw.close();
    }));

  it('a frame that is no UTF-8 ends the socket', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      socket.raw.send(Buffer.from([0xff, 0xfe]), { binary: false });
      expect(await socket.closed).toBe(1007);
    }));
});

describe('order', () => {
  it('two steps at once run one after the other, in the order they came', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      const release = gym.hold();
      for (let n = 0; n < 40; n++) socket.send(create(n));
      await expect.poll(() => gym.seen.filter((name) => name.startsWith('call '))).toHaveLength(1);
      release();
      for (let n = 0; n < 40; n++)
        expect((await socket.next()).data.observation).toMatchObject({ result: { name: `N ${n}` } });
      const calls = gym.seen.filter((name) => name.startsWith('call'));
      expect(calls).toEqual(
        Array.from({ length: 40 }, () => ['call create_customer', 'called create_customer']).flat(),
      );
      socket.raw.close();
    }));

  it('also over HTTP and from two sockets on one session', () =>
    atDoor(async (door) => {
      const reset = await request(`${door.url}/reset`, 'POST', {});
      const { session_id } = reset.body.metadata as { session_id: string };
      const sockets = await Promise.all([1, 2].map(() => openSocket(`${door.url}/ws?session_id=${session_id}`)));
      const posts = Array.from({ length: 20 }, (_, n) =>
        request(`${door.url}/step`, 'POST', { session_id, action: (create(100 + n) as { data: object }).data }),
      );
      const asks = sockets.flatMap((socket, s) => Array.from({ length: 10 }, (_, n) => socket.ask(create(s * 10 + n))));
      await Promise.all([...posts, ...asks]);
      const calls = gym.seen.filter((name) => name.startsWith('call'));
      expect(calls).toHaveLength(80);
      expect(calls.every((name, i) => name.startsWith(i % 2 === 0 ? 'call ' : 'called '))).toBe(true);
      for (const socket of sockets) socket.raw.close();
    }));

  it('a close while a step runs waits for it, and steps behind it are refused', () =>
    atDoor(async (door) => {
      const { body } = await request(`${door.url}/reset`, 'POST', { task: ZED });
      const { session_id } = body.metadata as { session_id: string };
      const action = (create(1) as { data: object }).data;
      const release = gym.hold();
      const running = request(`${door.url}/step`, 'POST', { session_id, action });
      await expect.poll(() => gym.seen.includes('call create_customer')).toBe(true);
      const behind = request(`${door.url}/step`, 'POST', { session_id, action });
      const close = request(`${door.url}/mcp`, 'POST', {
        jsonrpc: '2.0',
        id: 1,
        method: 'openenv/session/close',
        params: { session_id },
      });
      await expect
        .poll(async () => (await request(`${door.url}/state?session_id=${session_id}`, 'GET')).status)
        .toBe(404);
      expect(gym.seen).not.toContain('close');
      release();
      expect((await running).body).toMatchObject({ observation: { error: null } });
      expect((await close).body).toMatchObject({ result: { closed: true } });
      expect((await behind).status).toBe(409);
      expect(gym.seen.indexOf('close')).toBeGreaterThan(gym.seen.indexOf('called create_customer'));
    }));

  it('a socket that goes while its step runs takes its session with it, after the step', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      const release = gym.hold();
      socket.send(create(1));
      await expect.poll(() => gym.seen.includes('call create_customer')).toBe(true);
      socket.raw.terminate();
      await socket.closed;
      release();
      await expect.poll(() => gym.server.size).toBe(0);
      expect(gym.seen.indexOf('close')).toBeGreaterThan(gym.seen.indexOf('called create_customer'));
    }));

  it('closing the door while steps run ends them all', async () => {
    const door = await serveOpenEnv({ trainer: gym.trainer, defaults: { tasks: [ASK] } });
    const sockets = await Promise.all(Array.from({ length: 5 }, () => begun(door)));
    const release = gym.hold();
    for (const socket of sockets) socket.send(create(1));
    const closing = door.close();
    release();
    await closing;
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual(new Array(5).fill(1001));
    expect(gym.server.size).toBe(0);
  });
});

describe('the dead and the many', () => {
  it('a half-open socket is found by its silence, and its session closed; a living one is kept', () =>
    atDoor(
      async (door) => {
        const alive = await begun(door);
        const deaf = await deafSocket(`${door.url}/ws`);
        const frame = Buffer.from(JSON.stringify({ type: 'reset' }));
        deaf.write(Buffer.concat([Buffer.from([0x81, 0x80 | frame.length, 0, 0, 0, 0]), frame]));
        await expect.poll(() => gym.server.size).toBe(2);
        // It reads nothing more, pings included, and does not hang up.
        deaf.pause();
        await expect.poll(() => gym.server.size, { timeout: 10_000 }).toBe(1);
        expect((await alive.ask(create(1))).type).toBe('observation');
        alive.raw.close();
        deaf.destroy();
      },
      { heartbeatMs: 100 },
    ));

  it('one that asks and asks and never reads the answers is hung up on', () =>
    atDoor(
      async (door) => {
        const deaf = await deafSocket(`${door.url}/ws`);
        deaf.pause();
        deaf.on('error', () => {});
        const frame = Buffer.from(JSON.stringify({ type: 'step', data: { type: 'list_tools' } }));
        const wire = Buffer.concat([Buffer.from([0x81, 0x80 | frame.length, 0, 0, 0, 0]), frame]);
        for (let n = 0; n < 2_000; n++) deaf.write(wire);
        await expect.poll(() => gym.server.size).toBe(1);
        await expect.poll(() => gym.server.size, { timeout: 20_000 }).toBe(0);
        deaf.destroy();
      },
      { heartbeatMs: 100 },
    ));

  it('a step longer than two heartbeats keeps its socket', () =>
    atDoor(
      async (door) => {
        const socket = await begun(door);
        let pings = 0;
        socket.raw.on('ping', () => pings++);
        const release = gym.hold();
        for (let n = 0; n < 30; n++) socket.send(create(n));
        await expect.poll(() => pings).toBeGreaterThan(2);
        release();
        for (let n = 0; n < 30; n++) expect((await socket.next()).type).toBe('observation');
        socket.raw.close();
      },
      { heartbeatMs: 40 },
    ));

  it('a full door says CAPACITY_REACHED and closes; room is room again', () =>
    atDoor(
      async (door) => {
        const [first] = [await begun(door), await begun(door)];
        const third = await openSocket(`${door.url}/ws`);
        expect(await third.next()).toMatchObject({
          type: 'error',
          data: { code: 'CAPACITY_REACHED', active_sessions: 2, max_sessions: 2, retry_after_s: 5 },
        });
        expect(await third.closed).toBe(1013);
        const post = await request(`${door.url}/reset`, 'POST', {});
        expect([post.status, post.headers.get('retry-after')]).toEqual([503, '5']);
        const rpc = { jsonrpc: '2.0', id: 1, method: 'openenv/session/create' };
        expect((await request(`${door.url}/mcp`, 'POST', rpc)).body.error).toMatchObject({ code: -32000 });
        first.raw.close();
        await expect
          .poll(async () => {
            const next = await openSocket(`${door.url}/ws`);
            const answer = await next.ask({ type: 'reset' }).catch(() => undefined);
            next.raw.close();
            return answer?.type;
          })
          .toBe('observation');
      },
      { sessions: 2 },
    ));

  it('a full server says the same at the reset, and the socket may try again', async () => {
    const small = await gymFixture(1);
    const door = await serveOpenEnv({ trainer: small.trainer, defaults: { tasks: [ASK] } });
    const [first, second] = [await openSocket(`${door.url}/ws`), await openSocket(`${door.url}/ws`)];
    await first.ask({ type: 'reset' });
    expect(await second.ask({ type: 'reset' })).toMatchObject({ type: 'error', data: { code: 'CAPACITY_REACHED' } });
    first.raw.close();
    await first.closed;
    await expect.poll(async () => (await second.ask({ type: 'reset' })).type).toBe('observation');
    // A reset makes room for itself.
    expect((await second.ask({ type: 'reset' })).type).toBe('observation');
    await door.close();
    await small.close();
  });

  it('sessions made over HTTP and left alone are reaped; those with a socket are not', async () => {
    let now = 1_000;
    const { openEnvDoor } = await import('../../src/serve/gym/openenv/door.js');
    const { listenDoor } = await import('../../src/serve/gym/listen.js');
    const { DEFAULT_GYM_LIMITS } = await import('../../src/serve/gym/limits.js');
    const { guardOf } = await import('../../src/serve/http/guard.js');
    const limits = { ...DEFAULT_GYM_LIMITS, reapMs: 20, idleSeconds: 60 };
    const door = await listenDoor(
      () =>
        openEnvDoor({ trainer: gym.trainer, guard: guardOf({}), limits, defaults: { tasks: [ASK] }, now: () => now }),
      { host: '127.0.0.1', port: 0, token: undefined, limits },
    );
    const left = (await request(`${door.url}/reset`, 'POST', {})).body.metadata as { session_id: string };
    const kept = (await request(`${door.url}/reset`, 'POST', {})).body.metadata as { session_id: string };
    const socket = await openSocket(`${door.url}/ws?session_id=${kept.session_id}`);
    now += 61;
    await expect.poll(() => gym.server.size).toBe(1);
    expect((await request(`${door.url}/state?session_id=${left.session_id}`, 'GET')).status).toBe(404);
    expect((await socket.ask({ type: 'state' })).type).toBe('state');
    await door.close();
    expect(gym.server.size).toBe(0);
  });

  it('a session that the server let go of is told, and a reset mends it', () =>
    atDoor(async (door) => {
      const socket = await begun(door);
      await gym.trainer.close(gym.opened[0]!);
      expect(await socket.ask(create(1))).toMatchObject({
        type: 'error',
        data: { code: 'SESSION_ERROR', reason: 'session_closed' },
      });
      expect((await socket.ask({ type: 'reset', data: { task: ZED } })).type).toBe('observation');
      expect((await socket.ask(create(1))).type).toBe('observation');
      socket.raw.close();
    }));

  it('an unknown session_id is told on the socket', () =>
    atDoor(async (door) => {
      const socket = await openSocket(`${door.url}/ws?session_id=nobody`);
      expect(await socket.next()).toMatchObject({ type: 'error', data: { code: 'SESSION_ERROR' } });
      expect(await socket.closed).toBe(1008);
    }));

  it('no more sockets than a few speak to one session', () =>
    atDoor(async (door) => {
      const { session_id } = (await request(`${door.url}/reset`, 'POST', {})).body.metadata as { session_id: string };
      const open = (): Promise<GymSocket> => openSocket(`${door.url}/ws?session_id=${session_id}`);
      const sockets = await Promise.all(Array.from({ length: 16 }, open));
      expect((await (await open()).next()).data).toMatchObject({ code: 'CAPACITY_REACHED' });
      for (const socket of sockets) socket.raw.close();
    }));
});

describe('who may come in', () => {
  it('wrong Host, wrong Origin, no token: refused at the handshake and at every route', () =>
    atDoor(
      async (door) => {
        const good = { authorization: `Bearer ${TOKEN}` };
        const status = (headers: Record<string, string>, path = '/ws'): Promise<string> =>
          openSocket(`${door.url}${path}`, headers).then(
            (socket) => {
              socket.raw.close();
              return 'open';
            },
            (error: Error) => error.message,
          );
        expect(await status(good)).toBe('open');
        expect(await status({})).toBe('status 401');
        expect(await status({ authorization: `Bearer ${TOKEN}y` })).toBe('status 401');
        expect(await status({ ...good, origin: 'https://evil.example' })).toBe('status 403');
        expect(await status({ ...good, host: 'evil.example' })).toBe('status 403');
        expect(await status(good, '/elsewhere')).toBe('status 404');
        for (const [method, path] of [
          ['GET', '/health'],
          ['GET', '/state'],
          ['GET', '/schema'],
          ['POST', '/reset'],
          ['POST', '/step'],
          ['POST', '/mcp'],
        ] as const) {
          const body = method === 'POST' ? {} : undefined;
          expect((await request(`${door.url}${path}`, method, body)).status).toBe(401);
          expect(
            (await request(`${door.url}${path}`, method, body, { ...good, origin: 'http://evil.example' })).status,
          ).toBe(403);
        }
        expect((await request(`${door.url}/health`, 'GET', undefined, good)).status).toBe(200);
      },
      {},
      { token: TOKEN },
    ));

  it('a door that others reach needs a token, and a token needs strength', async () => {
    const at = (host: string, token?: string): Promise<unknown> =>
      serveOpenEnv({ trainer: gym.trainer, host, ...(token === undefined ? {} : { token }) }).catch(
        (thrown: { code: string }) => thrown.code,
      );
    expect(await at('0.0.0.0')).toBe('token_needed');
    expect(await at('::')).toBe('token_needed');
    expect(await at('127.0.0.1', 'short')).toBe('weak_token');
    expect(await at('203.0.113.7', TOKEN)).toBe('cannot_listen');
  });

  it('bodies must be JSON and say so', () =>
    atDoor(async (door) => {
      const text = { 'content-type': 'text/plain' };
      expect((await request(`${door.url}/reset`, 'POST', '{}', text)).status).toBe(415);
      expect((await request(`${door.url}/reset`, 'POST', '{"task"')).status).toBe(400);
      expect((await request(`${door.url}/mcp`, 'POST', deepJson(10_000))).status).toBe(400);
    }));
});
