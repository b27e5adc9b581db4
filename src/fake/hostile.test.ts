/** What a client may send or a document say that must neither end the process nor be answered wrong: over a real port. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESK_TEXT } from './desk.fixture.js';
import { type Fake, openFake } from './fake.js';

const note = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, text: { type: 'string' } } };
const list = { type: 'object', required: ['data'], properties: { data: { type: 'array', items: note } } };
const json = (schema: object) => ({ 'application/json': { schema } });
const ODD = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Odd', version: '1' },
  paths: {
    '/notes': {
      get: {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
          { name: 'pretty', in: 'query', allowEmptyValue: true, schema: { type: 'boolean' } },
        ],
        responses: {
          200: {
            description: 'Some',
            headers: {
              'X-Unit': { required: true, schema: { type: 'string' }, example: '€ 5\r\nx: ü\ud800' },
              'X Bad Name': { required: true, schema: { type: 'string' }, example: 'a' },
            },
            content: json(list),
          },
        },
      },
    },
    '/notes/{noteId}': {
      get: {
        parameters: [{ name: 'noteId', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'It', content: json(note) } },
      },
    },
  },
});

const fakes: Fake[] = [];
const open = async (text: string, more: Partial<Parameters<typeof openFake>[0]> = {}): Promise<Fake> => {
  const fake = await openFake({ documents: [{ name: 'doc', text }], seed: '1', ...more });
  fakes.push(fake);
  return fake;
};
let desk: string;
let odd: string;
let small: string;
beforeAll(async () => {
  desk = (await (await open(DESK_TEXT, { bodyBytes: 1_000 })).listen()).origin;
  odd = (await (await open(ODD)).listen()).origin;
  small = (await (await open(DESK_TEXT, { needsKey: true, limits: { capacity: 1 } })).listen()).origin;
});
afterAll(async () => {
  for (const fake of fakes) await fake.close();
});

/** What comes back for bytes as they are, until the other side hangs up. */
const raw = (origin: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let out = '';
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      out += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(out));
  });
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

it('sends no header that HTTP cannot carry, whatever a document has as an example', async () => {
  const answer = await fetch(`${odd}/notes`);
  expect([answer.status, answer.headers.get('x-unit')]).toEqual([200, '%e2%82%ac 5  x: %c3%bc%ef%bf%bd']);
});

it('takes an empty page mark as none, an empty value where the document allows it, and an offset beyond all rows', async () => {
  const whole = await (await fetch(`${odd}/notes?limit=3`)).json();
  expect(await (await fetch(`${odd}/notes?limit=3&cursor=&pretty=`)).json()).toEqual(whole);
  expect((await fetch(`${odd}/notes?cursor=never-given`)).status).toBe(422);
  const beyond = await fetch(`${desk}/customers?offset=9007199254740991`);
  expect([beyond.status, ((await beyond.json()) as { data: unknown[] }).data]).toEqual([200, []]);
});

it('takes a target that names its host, and only its own', async () => {
  const ask = (target: string): Promise<string> =>
    raw(desk, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(statusOf(await ask('http://localhost/customers?limit=1'))).toBe(200);
  expect(statusOf(await ask('http://elsewhere.example/customers'))).toBe(403);
});

it('tells HEAD no length, and whoever sends too much that it is so', async () => {
  const head = await raw(desk, 'HEAD /customers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(statusOf(head)).toBe(200);
  expect(head).not.toMatch(/content-length/i);
  const body = 'a'.repeat(3_000_000);
  const line = 'POST /customers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
  expect(statusOf(await raw(desk, `${line}Content-Length: ${body.length}\r\n\r\n${body}`))).toBe(413);
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(statusOf(await raw(desk, `${line}Transfer-Encoding: chunked\r\n\r\n${chunk}`))).toBe(413);
  expect(statusOf(await raw(desk, `${line}Content-Length: 999999999999\r\n\r\n`))).toBe(413);
});

it('says which methods a control request has', async () => {
  const ask = async (method: string, path: string) => {
    const answer = await fetch(`${desk}/_treadle${path}`, { method });
    return [answer.status, answer.headers.get('allow')];
  };
  expect(await ask('PUT', '/session')).toEqual([405, 'GET, DELETE']);
  expect(await ask('GET', '/reset')).toEqual([405, 'POST']);
  expect(await ask('OPTIONS', '/mcp')).toEqual([204, 'POST']);
  expect(await ask('HEAD', '/session')).toEqual([200, null]);
  expect(await ask('POST', '/__proto__')).toEqual([404, null]);
});

it('tells a full house as such, with the time to come again, and wants the key beside a name', async () => {
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(small + path, { headers });
    return [answer.status, answer.headers.get('retry-after')];
  };
  expect(await ask('/customers', { 'x-treadle-session': 'one' })).toEqual([401, null]);
  expect(await ask('/customers', { 'x-treadle-session': 'one', 'x-desk-key': 'k' })).toEqual([200, null]);
  expect(await ask('/customers', { 'x-desk-key': 'two' })).toEqual([503, '5']);
  expect(await ask('/_treadle/session', { 'x-treadle-session': 'three' })).toEqual([503, '5']);
  expect(await ask('/customers', { 'x-treadle-session': 'session:abc', 'x-desk-key': 'k' })).toEqual([400, null]);
});

it('goes on after bodies that are never finished', async () => {
  for (let i = 0; i < 20; i += 1) {
    const socket = connect(Number(new URL(desk).port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.write('POST /customers HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"na');
    socket.destroy();
  }
  const made = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const headers = { 'x-desk-key': 'many', 'content-type': 'application/json' };
      const body = '{"name": "Ana", "email": "many@mail.example"}';
      return ((await (await fetch(`${desk}/customers`, { method: 'POST', headers, body })).json()) as { id: string })
        .id;
    }),
  );
  expect(new Set(made).size).toBe(40);
});
