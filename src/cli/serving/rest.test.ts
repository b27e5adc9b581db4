/** A corpus served as the APIs that its worlds were built from, with MCP and the trainers' door in one process. */
import { rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Binding } from '../../artifacts/face.js';
import type { Task } from '../../artifacts/task.js';
import type { Corpus } from '../../corpus/corpus.js';
import { addWorld, corpusFolder, DESK_SOURCE, type MadeWorld, TILL_SOURCE } from '../../fake/corpus.fixture.js';
import type { Json } from '../../kit/hash.js';
import { inProcess } from '../../serve/sessions/server/in-process.js';
import type { Trainer } from '../../serve/trainer.js';
import { type House, openHouse } from './house.js';
import { openRest, type RestDoorOptions, type ServedRest } from './rest.js';

let corpus: Corpus;
let desk: MadeWorld;
let both: MadeWorld;
let bare: MadeWorld;
beforeAll(async () => {
  corpus = corpusFolder();
  desk = await addWorld(corpus, [DESK_SOURCE], { tasks: 3 });
  both = await addWorld(corpus, [DESK_SOURCE, TILL_SOURCE], { seed: '2' });
  bare = await addWorld(corpus, [DESK_SOURCE], { seed: '3', isFaced: false });
});
afterAll(() => rmSync(corpus.dir, { recursive: true, force: true }));

interface Served {
  rest: ServedRest;
  trainer: Trainer;
  house: House;
}

const OPTIONS: Omit<RestDoorOptions, 'world'> = {
  host: '127.0.0.1',
  restPort: 0,
  allowHost: [],
  strict: false,
  needsKey: false,
  control: true,
};

const defects: unknown[] = [];
const onDefect = (error: unknown): void => void defects.push(error);

const serving = async (world: string | undefined, act: (served: Served) => Promise<void>, options = OPTIONS) => {
  const house = await openHouse({ dir: corpus.dir, servers: [], limits: {}, onDefect });
  let rest: ServedRest | undefined;
  try {
    rest = await openRest(house, world === undefined ? corpus.worlds() : [world], { ...options, world });
    await act({ rest, trainer: inProcess(house.server), house });
  } finally {
    await rest?.close();
    await house.close();
  }
};

const ask = async (
  base: string | undefined,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: Json,
) => {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} };
};
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const ANA = { name: 'Ana', email: 'ana@mail.example' };

/** The request that a call of a tool is over REST. */
const requestOf = ({ operation, args }: Binding, given: Record<string, Json>) => {
  const [method = '', template = ''] = operation.split(' ');
  let path = template;
  const query = new URLSearchParams();
  let body: { [key: string]: Json } | undefined;
  for (const { to, in: place, name = '', at = [] } of args) {
    const value = to.reduce<Json | undefined>(
      (held, key) => (held as { [key: string]: Json } | undefined)?.[key],
      given,
    );
    if (value === undefined) continue;
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'query') query.set(name, String(value));
    else if (place === 'body') {
      body ??= {};
      let inner = body;
      for (const key of at.slice(0, -1)) {
        inner[key] ??= {};
        inner = inner[key] as { [key: string]: Json };
      }
      inner[at.at(-1) as string] = value;
    }
  }
  return { method, path: query.size > 0 ? `${path}?${query}` : path, body };
};

const bindingsOf = ({ faces }: MadeWorld): Map<string, Binding> =>
  new Map(faces.flatMap(({ bindings }) => bindings.map((one) => [one.tool, one] as const)));

it('is a second surface on the state of a trainer’s session: one ledger, one verdict', () =>
  serving(undefined, async ({ rest, trainer }) => {
    const bindings = bindingsOf(desk);
    const isReached = (task: Task): boolean => task.reference.calls.every(({ tool }) => bindings.has(tool));
    const task = desk.tasks.find((one) => isReached(one) && one.reference.calls.length > 0) as Task;
    expect(task).toBeDefined();
    const opened = await trainer.open({ task: `${desk.id}/${task.id}` });
    expect(opened.rest).toBe(rest.url);
    expect((await trainer.verify(opened.id, { answer: '' })).pass).toBe(false);
    for (const { tool, args } of task.reference.calls) {
      const { method, path, body } = requestOf(bindings.get(tool) as Binding, args as Record<string, Json>);
      const answer = await ask(opened.rest, method, path, bearer(opened.token), body);
      expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    }
    const answer = task.reference.answer ?? '';
    expect(await trainer.verify(opened.id, { answer: String(answer) })).toMatchObject({ pass: true });
    const { entries } = await trainer.ledger(opened.id);
    expect(entries.map(({ tool }) => tool)).toEqual(task.reference.calls.map(({ tool }) => tool));
    const list = await trainer.call(opened.id, { tool: 'listCustomers', arguments: {} });
    expect(list.ok).toBe(true);
    const [branch] = await trainer.fork(opened.id);
    expect(branch?.rest).toBe(rest.url);
  }));

it('takes a token wherever it is sent, and no caller’s admin path with it', () =>
  serving(desk.id, async ({ rest, trainer }) => {
    const { id, token, services } = await trainer.open({ world: desk.id });
    const basic = Buffer.from(`${token}:`).toString('base64');
    for (const headers of [
      bearer(token),
      { 'x-desk-key': token },
      { authorization: `Basic ${basic}` },
      { 'x-other': token },
    ])
      expect(await ask(rest.url, 'POST', '/customers', headers as Record<string, string>, ANA)).toMatchObject({
        status: 201,
      });
    expect((await trainer.session(id)).calls).toBe(4);
    for (const [method, path] of [
      ['POST', '/reset'],
      ['GET', '/diff'],
      ['GET', '/calls'],
      ['POST', '/fork'],
      ['POST', '/clock'],
      ['POST', '/mcp'],
      ['DELETE', '/session'],
    ])
      for (const headers of [bearer(token), bearer(services.mail?.token ?? '')])
        expect(await ask(rest.url, method as string, `/_treadle${path}`, headers)).toMatchObject({
          status: 403,
          body: { code: 'not_for_agents' },
        });
    // Neither a name nor a path leads into it.
    for (const name of [`session:${id}`, encodeURIComponent(`session:${id}`)]) {
      expect((await ask(rest.url, 'GET', '/customers', { 'x-treadle-session': name })).status).toBe(400);
      expect((await ask(rest.url, 'POST', `/_treadle/s/${name}/_treadle/reset`, bearer(token))).status).toBe(400);
    }
    expect((await trainer.session(id)).calls).toBe(4);
    await trainer.pause(id);
    expect(await ask(rest.url, 'GET', '/customers', bearer(token))).toMatchObject({
      status: 409,
      body: { code: 'session_paused' },
    });
    await trainer.close(id);
    expect(await ask(rest.url, 'GET', '/customers', bearer(token))).toMatchObject({ status: 401 });
    const forged = `${token.slice(0, -4)}AAAA`;
    expect(await ask(rest.url, 'GET', '/customers', bearer(forged))).toMatchObject({ status: 401 });
  }));

it('gives callers forks of the one world, by key, name and path', () =>
  serving(desk.id, async ({ rest }) => {
    const { id } = (await ask(rest.url, 'POST', '/customers', { 'x-desk-key': 'mine' }, ANA)).body;
    expect((await ask(rest.url, 'GET', `/customers/${id}`, { 'x-desk-key': 'mine' })).status).toBe(200);
    expect((await ask(rest.url, 'GET', `/customers/${id}`, { 'x-treadle-session': 'other' })).status).toBe(404);
    expect((await ask(rest.url, 'GET', '/_treadle/s/other/customers', {})).status).toBe(200);
    expect((await ask(rest.url, 'POST', '/_treadle/reset', { 'x-desk-key': 'mine' })).status).toBe(200);
    expect((await ask(rest.url, 'GET', `/customers/${id}`, { 'x-desk-key': 'mine' })).status).toBe(404);
  }));

it('has no admin paths, and takes no request without a key, where that is asked for', () =>
  serving(
    desk.id,
    async ({ rest }) => {
      expect((await ask(rest.url, 'GET', '/_treadle/session', { 'x-desk-key': 'mine' })).status).toBe(404);
      expect((await ask(rest.url, 'GET', '/customers', {})).status).toBe(401);
      expect((await ask(rest.url, 'POST', '/quotes/estimate', { 'x-desk-key': 'mine' }, {})).status).toBe(501);
    },
    { ...OPTIONS, control: false, needsKey: true, strict: true },
  ));

it('offers what the session offers: of one service’s token, and of a task’s services, the rest is unbound', () =>
  serving(undefined, async ({ rest, trainer }) => {
    const whole = await trainer.open({ world: both.id });
    const tills = bearer(whole.services.till?.token ?? '');
    expect((await ask(rest.url, 'GET', '/invoices', tills)).status).toBe(200);
    expect((await ask(rest.url, 'GET', '/tickets', tills)).status).toBe(404);
    const mail = await ask(rest.url, 'GET', '/tickets', bearer(whole.services.mail?.token ?? ''));
    expect(mail).toMatchObject({ status: 404, body: { code: 'no_face' } });
    const some = await trainer.open({ world: both.id, services: ['mail'] });
    expect(some.rest).toBeUndefined();
    expect(await ask(rest.url, 'GET', '/tickets', bearer(some.token))).toMatchObject({ body: { code: 'no_face' } });
  }));

it('has all APIs of a world; paths that two of them have are the first’s, the other’s below its service', () =>
  serving(both.id, async ({ rest }) => {
    const key = { 'x-treadle-session': 'a' };
    expect((await ask(rest.url, 'GET', '/tickets', key)).body).toMatchObject({ data: expect.any(Array) });
    expect((await ask(rest.url, 'GET', '/invoices', key)).body).toMatchObject({ items: expect.any(Array) });
    expect((await ask(rest.url, 'GET', '/customers', key)).body).toMatchObject({ data: expect.any(Array) });
    const made = await ask(rest.url, 'POST', '/till/customers', key, ANA);
    expect(made.status).toBe(201);
    expect((await ask(rest.url, 'GET', `/till/customers/${made.body.id}`, key)).body).toMatchObject(ANA);
    expect((await ask(rest.url, 'GET', `/customers/${made.body.id}`, key)).status).toBe(404);
    expect((await ask(rest.url, 'GET', '/desk/customers', key)).body).toMatchObject({ data: expect.any(Array) });
    expect((await ask(rest.url, 'GET', '/till', key)).status).toBe(404);
    expect((await ask(rest.url, 'GET', '/%E0%A4%A/customers', key)).status).toBe(404);
    expect(rest.lines.join('\n')).toContain("GET /customers is desk's; that of till is below /till");
  }));

it('wants a token where there are several worlds, and says which worlds have no API', () =>
  serving(undefined, async ({ rest, trainer }) => {
    for (const headers of [{}, { 'x-desk-key': 'mine' }, { 'x-treadle-session': 'a' }])
      expect(await ask(rest.url, 'GET', '/customers', headers as Record<string, string>)).toMatchObject({
        status: 401,
        body: { code: 'token_needed' },
      });
    expect(rest.lines.join('\n')).toContain('1 of 3 worlds have no API');
    const { token, rest: url } = await trainer.open({ world: bare.id });
    expect(url).toBeUndefined();
    expect(await ask(rest.url, 'GET', '/customers', bearer(token))).toMatchObject({
      status: 404,
      body: { code: 'no_face' },
    });
  }));

it('answers an operation whose tool the world has not as one that nothing stands behind', () =>
  serving(desk.id, async ({ rest, house }) => {
    const tools = house.server.worlds.get(house.registry.resolve('world', desk.id).hash).tools as Map<string, unknown>;
    const kept = tools.get('getTicket');
    tools.delete('getTicket');
    const answer = await ask(rest.url, 'GET', '/tickets/1', { 'x-desk-key': 'k' });
    expect([answer.status, answer.headers.get('x-treadle-tier')]).toEqual([200, 'synthetic']);
    tools.set('getTicket', kept);
  }));

it('never breaks over what is sent to it', () =>
  serving(both.id, async ({ rest, trainer }) => {
    const { token } = await trainer.open({ world: both.id });
    defects.length = 0;
    const part = fc.constantFrom(
      'till',
      'desk',
      'customers',
      'tickets',
      '_treadle',
      's',
      'close',
      '%2e%2e',
      '%',
      '',
      '7',
      '{id}',
      'x'.repeat(300),
    );
    const key = fc.constantFrom(
      token,
      `${token}x`,
      'trd_',
      'mine',
      'session:x',
      `Basic ${btoa(`:${token}`)}`,
      'Basic ====',
      '"',
    );
    const headers = fc.record({
      name: fc.constantFrom('authorization', 'x-desk-key', 'x-treadle-session', 'cookie'),
      key,
    });
    const request = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      path: fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
      query: fc.constantFrom('', `?key=${token}`, '?limit=-1', '?%'),
      headers,
      body: fc.constantFrom('', '{}', '[', '{"name": 1}', '{"name": "Ana", "email": "a@b.example"}'),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, query, headers: { name, key: value }, body }) => {
        const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method) && body !== '';
        const answer = await fetch(`${rest.url}${path}${query}`, {
          method,
          headers: { [name]: value, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
          ...(hasBody ? { body } : {}),
        });
        await answer.arrayBuffer();
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 250, seed: 7 },
    );
    expect(defects).toEqual([]);
  }));

it('refuses to start without faces, and with damaged documents', async () => {
  await expect(serving(bare.id, async () => undefined)).rejects.toMatchObject({
    code: 'no_face',
    next: expect.stringContaining('Build it again'),
  });
  const file = corpus.path('documents', `${desk.faces[0]?.document}.json`);
  writeFileSync(file, '{}');
  await expect(serving(undefined, async () => undefined)).rejects.toMatchObject({ code: 'changed_file' });
});
