/** A fake of an API as its clients see it: the document's own paths, forms and errors, and a state of each caller's own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESK_TEXT } from './desk.fixture.js';
import { type Fake, openFake } from './fake.js';

let fake: Fake;
beforeAll(async () => {
  fake = await openFake({ documents: [{ name: 'desk', text: DESK_TEXT }], seed: '1' });
});
afterAll(() => fake.close());

interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

let callers = 0;
/** A client with a key of its own. */
const client = (key = `key-${++callers}`) => {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const answer = await fake.fetch(
      new Request(`http://desk.test${path}`, {
        method,
        headers: {
          'x-desk-key': key,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} };
  };
  return ask;
};

const ANA = { name: 'Ana Ruiz', email: 'ana@mail.example', tags: ['vip'], address: { city: 'Graz', street: 'Ring 1' } };

it('creates, reads, lists, changes and deletes', async () => {
  const ask = client();
  const made = await ask('POST', '/customers', ANA);
  expect(made).toMatchObject({ status: 201, body: ANA });
  const { id } = made.body as { id: string };
  expect(await ask('GET', `/customers/${id}`)).toMatchObject({ status: 200, body: { id, ...ANA } });
  const found = await ask('GET', '/customers?email=ana%40mail.example');
  expect(found.body).toMatchObject({ data: [{ id }], total: 1 });
  expect(await ask('PATCH', `/v1/customers/${id}`, { name: 'Ana R.' })).toMatchObject({
    status: 200,
    body: { ...ANA, name: 'Ana R.' },
  });
  expect((await ask('DELETE', `/customers/${id}`)).status).toBe(204);
  expect(await ask('GET', `/customers/${id}`)).toMatchObject({
    status: 404,
    body: { error: { code: expect.any(String) } },
  });
});

it('moves a ticket along its life cycle, once', async () => {
  const ask = client();
  const { data } = (await ask('GET', '/customers?limit=1')).body as { data: { id: string }[] };
  const made = await ask('POST', '/tickets', { customer_id: data[0]?.id, subject: 'It is broken' });
  expect(made).toMatchObject({ status: 201, body: { status: 'open', priority: 'normal' } });
  const { id } = made.body as { id: string };
  expect(await ask('POST', `/tickets/${id}/close`)).toMatchObject({ status: 200, body: { status: 'closed' } });
  expect(await ask('POST', `/tickets/${id}/close`)).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringMatching(/closed/) } },
  });
});

it('deletes what others refer to, and what cannot be without it, where no conflict is documented', async () => {
  const ask = client();
  const { id } = (await ask('POST', '/customers', ANA)).body as { id: string };
  const ticket = (await ask('POST', '/tickets', { customer_id: id, subject: 'Gone soon' })).body as { id: string };
  expect((await ask('DELETE', `/customers/${id}`)).status).toBe(204);
  const touched = fake.callers.list().at(-1)?.live.record().entries.at(-1)?.touched;
  expect(touched?.map(({ table, change }) => `${table} ${change}`).sort()).toEqual([
    'customer delete',
    'ticket delete',
  ]);
  expect((await ask('GET', `/tickets/${ticket.id}`)).status).toBe(404);
});

it('keeps what belongs to a parent with it', async () => {
  const ask = client();
  const { data } = (await ask('GET', '/tickets?limit=2')).body as { data: { id: string }[] };
  const [one, two] = data as [{ id: string }, { id: string }];
  const made = await ask('POST', `/tickets/${one.id}/comments`, { body: 'Have a look' });
  expect(made).toMatchObject({ status: 201, body: { ticket_id: one.id, body: 'Have a look', internal: false } });
  const of = async ({ id }: { id: string }) =>
    JSON.stringify((await ask('GET', `/tickets/${id}/comments?limit=50`)).body);
  expect(await of(one)).toContain('Have a look');
  expect(await of(two)).not.toContain('Have a look');
});

it('gives every key a fork of its own, and one key the same one', async () => {
  const [ask, other] = [client('a'), client('b')];
  const { id } = (await ask('POST', '/customers', ANA)).body as { id: string };
  expect((await other('GET', `/customers/${id}`)).status).toBe(404);
  expect((await client('a')('GET', `/customers/${id}`)).status).toBe(200);
});

it('pages through all rows and stops', async () => {
  const ask = client();
  const seen = new Set<string>();
  for (let offset = 0; offset < 1_000; offset += 7) {
    const { data, total } = (await ask('GET', `/customers?limit=7&offset=${offset}`)).body as {
      data: { id: string }[];
      total: number;
    };
    for (const { id } of data) seen.add(id);
    if (data.length < 7) {
      expect(seen.size).toBe(total);
      break;
    }
  }
  expect(seen.size).toBeGreaterThan(7);
});

it('answers what breaks the schema in the document’s own form', async () => {
  const ask = client();
  const bad = await ask('POST', '/customers', { name: '', email: 7 });
  expect(bad.status).toBe(422);
  expect(bad.body).toMatchObject({ error: { code: expect.any(String), message: expect.stringMatching(/name|email/) } });
  expect((await ask('POST', '/customers', '{"name":')).status).toBeGreaterThanOrEqual(400);
  expect((await ask('GET', '/customers?limit=ten')).status).toBe(400);
});

it('tells unknown paths and methods apart', async () => {
  const ask = client();
  expect(await ask('GET', '/nowhere')).toMatchObject({ status: 404, body: { code: 'unknown_path' } });
  const wrong = await ask('PUT', '/customers', {});
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get('allow')).toMatch(/GET.*POST/);
});

it('honours ETag and If-Match', async () => {
  const ask = client();
  const { id } = (await ask('POST', '/customers', ANA)).body as { id: string };
  const etag = (await ask('GET', `/customers/${id}`)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"/);
  expect((await ask('GET', `/customers/${id}`, undefined, { 'if-none-match': etag })).status).toBe(304);
  expect((await ask('PATCH', `/customers/${id}`, { name: 'B' }, { 'if-match': '"other"' })).status).toBe(412);
  expect((await ask('PATCH', `/customers/${id}`, { name: 'B' }, { 'if-match': etag })).status).toBe(200);
  expect((await ask('PATCH', `/customers/${id}`, { name: 'C' }, { 'if-match': etag })).status).toBe(412);
});

it('runs a request with an idempotency key once', async () => {
  const ask = client();
  const key = { 'idempotency-key': 'k1' };
  const first = await ask('POST', '/customers', ANA, key);
  const again = await ask('POST', '/customers', ANA, key);
  expect(again.body).toEqual(first.body);
  expect((await ask('POST', '/customers', { ...ANA, name: 'Else' }, key)).status).toBeGreaterThanOrEqual(400);
  const { total } = (await ask('GET', '/customers?email=ana%40mail.example')).body as { total: number };
  expect(total).toBe(1);
});

it('answers by example what nothing grounds, always the same, and refuses it where that is wanted', async () => {
  const ask = client();
  const answered = await ask('POST', '/quotes/estimate', { hours: 3 });
  expect(answered.status).toBe(200);
  expect(answered.headers.get('x-treadle-tier')).toBe('synthetic');
  expect(answered.body.cents).toEqual(expect.any(Number));
  expect((await ask('POST', '/quotes/estimate', { hours: 3 })).body).toEqual(answered.body);
  const strict = await openFake({
    documents: [{ name: 'desk', text: DESK_TEXT }],
    seed: '1',
    strict: true,
    needsKey: true,
  });
  const post = (headers: Record<string, string>) =>
    strict.fetch(new Request('http://desk.test/quotes/estimate', { method: 'POST', headers }));
  const keyless = await post({});
  expect(keyless.status).toBe(401);
  expect(keyless.headers.get('www-authenticate')).toMatch(/^Bearer/);
  expect((await post({ 'x-desk-key': 'k' })).status).toBe(501);
  await strict.close();
});

it('is not acceptable in a form that the document does not have', async () => {
  expect((await client()('GET', '/customers', undefined, { accept: 'text/csv' })).status).toBe(406);
});

it('draws faults by a seed of their own: other rows are another seed’s affair', async () => {
  const struck = async (seed: string, faultSeed?: string) => {
    const documents = [{ name: 'desk', text: DESK_TEXT }];
    const one = await openFake({ documents, seed, faults: ['GET /customers=503@50%'], faultSeed });
    const answers: string[] = [];
    const rows = await (await one.fetch(new Request('http://desk.test/tickets'))).text();
    for (let n = 0; n < 24; n++)
      answers.push(String((await one.fetch(new Request('http://desk.test/customers'))).status));
    await one.close();
    return { rows, statuses: answers.join(' ') };
  };
  const [plain, other, again, elsewhere] = [
    await struck('1'),
    await struck('1', 'x'),
    await struck('1', 'x'),
    await struck('2', 'x'),
  ];
  expect(new Set(plain.statuses.split(' '))).toEqual(new Set(['200', '503']));
  expect(other.statuses).not.toBe(plain.statuses);
  expect(other.rows).toBe(plain.rows);
  expect(again).toEqual(other);
  expect(elsewhere.statuses).toBe(other.statuses);
  expect(elsewhere.rows).not.toBe(other.rows);
});
