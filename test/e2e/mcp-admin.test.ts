/** The owners' door: what it does, and that an agent's token opens nothing there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TreadleError } from '../../src/errors.js';
import { type SessionDirectory, sessionDirectory } from '../../src/serve/http/directory.js';
import { type Serving, serveHttp } from '../../src/serve/http/serve.js';
import { noteHost } from './mcp-host.js';
import { ask, type RawAnswer, type RawRequest, rpc } from './mcp-raw.js';

let directory: SessionDirectory;
let serving: Serving;
let asked: unknown[] = [];
let dropped = 0;

beforeAll(async () => {
  directory = sessionDirectory({ capacity: 2 });
  serving = await serveHttp({
    directory,
    port: 0,
    limits: { bodyBytes: 1024 },
    admin: {
      open: (request) => {
        asked.push(request);
        const { world } = request as { world?: string };
        if (world === 'nowhere')
          throw new TreadleError({
            code: 'unknown_world',
            message: 'No such world',
            value: world,
            next: 'See treadle show.',
          });
        if (world === 'broken') throw new Error('at /home/someone/secret.ts');
        return { host: noteHost(), drop: () => dropped++ };
      },
    },
  });
});
afterAll(() => serving.close());

const admin = (request: RawRequest, token = serving.adminToken!): Promise<RawAnswer> =>
  ask(serving.adminUrl!, {
    ...request,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...request.headers },
  });
const open = (body: unknown): Promise<RawAnswer> => admin({ path: '/sessions', body: JSON.stringify(body) });
const list = (url: string, token: string): Promise<RawAnswer> =>
  ask(new URL(url).origin, {
    path: new URL(url).pathname,
    body: rpc('tools/list'),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });

describe('the admin door', () => {
  it('opens a session that its token can use and closes it again', async () => {
    asked = [];
    const opened = await open({ world: 'acme', task: 't1' });
    expect(opened.status).toBe(201);
    expect(asked).toEqual([{ world: 'acme', task: 't1' }]);
    const { id, token, url } = JSON.parse(opened.text) as { id: string; token: string; url: string };
    expect((await list(url, token)).status).toBe(200);
    expect((await list(serving.url, token)).status).toBe(200);
    const before = dropped;
    expect((await admin({ method: 'DELETE', path: `/sessions/${id}` })).status).toBe(204);
    expect(dropped).toBe(before + 1);
    expect((await list(url, token)).status).toBe(404);
    expect((await admin({ method: 'DELETE', path: `/sessions/${id}` })).status).toBe(404);
  });

  it('keeps the doors apart: neither token works at the other', async () => {
    const { id, token } = directory.open({ host: noteHost() });
    for (const request of [
      { method: 'POST', path: '/sessions', body: '{}' },
      { method: 'DELETE', path: `/sessions/${id}` },
      { method: 'GET', path: '/nothing' },
    ])
      expect((await admin(request, token)).status).toBe(401);
    expect((await list(serving.url, serving.adminToken!)).status).toBe(401);
    expect(new URL(serving.adminUrl!).port).not.toBe(new URL(serving.url).port);
    directory.close(id);
  });

  it('answers 503 with Retry-After when full, and makes no session then', async () => {
    const held = [directory.open({ host: noteHost() }), directory.open({ host: noteHost() })];
    asked = [];
    const answer = await open({});
    expect([answer.status, asked.length]).toEqual([503, 0]);
    expect(answer.headers['retry-after']).toBe('5');
    for (const { id } of held) directory.close(id);
  });

  it('tells the owner what was wrong, and nothing of what broke', async () => {
    const unknown = await open({ world: 'nowhere' });
    expect(unknown.status).toBe(422);
    expect(JSON.parse(unknown.text)).toMatchObject({ error: { code: 'unknown_world', value: 'nowhere' } });
    const broken = await open({ world: 'broken' });
    expect(broken.status).toBe(500);
    expect(broken.text).not.toMatch(/secret/);
    expect(directory.size).toBe(0);
  });

  it('says that it lives to anybody, and how full it is only to its owner', async () => {
    const anybody = await ask(serving.adminUrl!, { method: 'GET', path: '/health' });
    expect([anybody.status, anybody.text]).toEqual([200, '{"status":"ok"}']);
    const owner = await admin({ method: 'GET', path: '/health' });
    expect(JSON.parse(owner.text)).toEqual({ status: 'ok', sessions: 0, capacity: 2 });
  });

  it("holds requests to the same rules as the agents' door", async () => {
    const path = '/sessions';
    expect((await admin({ path, body: '{}', headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await admin({ path, body: '{}', headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await admin({ path, body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await admin({ path, body: `"${'x'.repeat(2000)}"` })).status).toBe(413);
    expect((await admin({ path, body: '{' })).status).toBe(400);
    expect((await admin({ path, body: '{"a":{"__proto__":1}}' })).status).toBe(400);
    expect((await admin({ path, body: Buffer.from([0x22, 0xff, 0x22]) })).status).toBe(400);
    expect((await admin({ method: 'GET', path })).status).toBe(404);
    expect((await admin({ method: 'DELETE', path: '/sessions/../health' })).status).toBe(404);
  });

  it('takes no weak token', async () => {
    for (const token of ['short', 'x'.repeat(21), 'has a space in it, and is long enough'])
      await expect(
        serveHttp({ directory, port: 0, admin: { open: () => ({ host: noteHost() }), token } }),
      ).rejects.toMatchObject({
        code: 'weak_token',
      });
  });
});
