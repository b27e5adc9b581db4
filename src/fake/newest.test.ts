/** Lists that a document has newest first. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fake, openFake } from './fake.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const query = (name: string, schema: object, description = '') => ({ name, in: 'query', schema, description });
const limit = query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 10 });
const all = (name: string, about: { parameters?: object[]; description?: string; summary?: string } = {}) => ({
  ...about,
  parameters: [limit, ...(about.parameters ?? [])],
  responses: {
    200: {
      description: 'Some',
      ...json({
        type: 'object',
        required: ['data', 'has_more'],
        properties: {
          data: { type: 'array', items: ref(name) },
          has_more: { type: 'boolean' },
          next_cursor: { type: 'string', nullable: true },
        },
      }),
    },
  },
});
const collection = (name: string, path: string, list: object) => ({
  [path]: {
    get: list,
    post: {
      requestBody: { required: true, ...json(ref(name)) },
      responses: { 201: { description: 'Made', ...json(ref(name)) } },
    },
  },
  [`${path}/{id}`]: {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    get: { responses: { 200: { description: 'It', ...json(ref(name)) } } },
    delete: { responses: { 204: { description: 'Gone' } } },
  },
});
const thing = {
  type: 'object',
  required: ['id', 'name', 'created'],
  properties: {
    id: { type: 'string', readOnly: true },
    name: { type: 'string' },
    created: { type: 'integer', format: 'unix-time', readOnly: true },
  },
};
const SAID = 'Returns things. They are sorted by creation date, with the most recent ones appearing first.';
const ids = [query('starting_after', { type: 'string' }), query('ending_before', { type: 'string' })];
const DIRECTION = query('direction', { type: 'string', enum: ['asc', 'desc'], default: 'desc' });

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Things', version: '1' },
  paths: {
    ...collection('Charge', '/charges', all('Charge', { description: SAID, summary: 'List charges', parameters: ids })),
    ...collection(
      'Event',
      '/events',
      all('Event', { description: SAID, parameters: [query('cursor', { type: 'string' })] }),
    ),
    ...collection(
      'Order',
      '/orders',
      all('Order', {
        parameters: [query('sort', { type: 'string', enum: ['created', 'name'], default: 'created' }), DIRECTION],
      }),
    ),
    ...collection(
      'Refund',
      '/refunds',
      all('Refund', { description: 'Use sort to have the newest first.', parameters: ids }),
    ),
  },
  components: { schemas: { Charge: thing, Event: thing, Order: thing, Refund: thing } },
};

type Thing = { id: string; name: string; created: number };
let fake: Fake;
beforeAll(async () => {
  // Moments that several rows share.
  const rows = Array.from({ length: 17 }, (_, at) => ({
    at,
    cells: [`ch_${(at * 7) % 17}`, `Own ${at}`, 1_700_000_000 + Math.floor(at / 4)],
  }));
  fake = await openFake({
    documents: [{ name: 'things', text: JSON.stringify(DOCUMENT) }],
    seed: 'newest',
    tables: [{ table: 'charge', file: 'charges.json', columns: ['id', 'name', 'created'], rows }],
  });
});
afterAll(() => fake.close());

const ask = async (session: string, method: string, path: string, body?: object) => {
  const headers = { 'x-treadle-session': session, 'content-type': 'application/json' };
  const response = await fake.fetch(
    new Request(`http://things.test${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }),
  );
  const text = await response.text();
  return { status: response.status, value: text === '' ? undefined : JSON.parse(text) };
};
const page = async (
  session: string,
  path: string,
): Promise<{ data: Thing[]; has_more: boolean; next_cursor?: string | null }> => {
  const { status, value } = await ask(session, 'GET', path);
  expect([path, status]).toEqual([path, 200]);
  return value;
};
const newestFirst = (things: readonly Thing[]): void => {
  const moments = things.map(({ created }) => created);
  expect(moments).toEqual([...moments].sort((a, b) => b - a));
};

describe('a list that the document has newest first', () => {
  it('is so, with what was just made at its head', async () => {
    for (const path of ['/charges', '/events', '/orders']) {
      const { value: made } = await ask('head', 'POST', path, { name: 'New' });
      const { data } = await page('head', `${path}?limit=100`);
      expect([path, data[0]?.id]).toEqual([path, made.id]);
      newestFirst(data);
    }
  });

  it('is in the order of its keys where the document says nothing', async () => {
    const { data } = await page('keys', '/refunds?limit=100');
    const keys = data.map(({ id }) => id);
    expect(keys).toEqual([...keys].sort());
    const rest = await page('keys', `/refunds?limit=100&starting_after=${keys[3]}`);
    expect(rest.data.map(({ id }) => id)).toEqual(keys.slice(4));
  });

  it('is paged by the keys of its rows, forwards and backwards, also where moments are shared', async () => {
    const { data: whole } = await page('pages', '/charges?limit=100');
    expect(whole).toHaveLength(17);
    expect(new Set(whole.map(({ created }) => created)).size).toBeLessThan(6);
    newestFirst(whole);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 16 }), async (size, at) => {
        const mark = whole[at]?.id;
        const next = await page('pages', `/charges?limit=${size}&starting_after=${mark}`);
        expect(next.data).toEqual(whole.slice(at + 1, at + 1 + size));
        expect(next.has_more).toBe(at + 1 + size < whole.length);
        const previous = await page('pages', `/charges?limit=${size}&ending_before=${mark}`);
        expect(previous.data).toEqual(whole.slice(Math.max(0, at - size), at));
        if (at > size) expect(previous.has_more).toBe(true);
      }),
      { numRuns: 40, seed: 7 },
    );
    const first = await page('pages', `/charges?limit=5&ending_before=${whole[4]?.id}`);
    expect([first.data, first.has_more]).toEqual([whole.slice(0, 4), false]);
  });

  it('is wholly met by who deletes as they go', async () => {
    const { data: whole } = await page('gone', '/charges?limit=100');
    const met: string[] = [];
    for (let mark = '', more = true; more; ) {
      const { data, has_more } = await page('gone', `/charges?limit=3${mark}`);
      for (const { id } of data) {
        met.push(id);
        expect((await ask('gone', 'DELETE', `/charges/${id}`)).status).toBe(204);
      }
      mark = `&starting_after=${data.at(-1)?.id}`;
      more = has_more;
    }
    expect(met).toEqual(whole.map(({ id }) => id));
  });

  it('is paged by cursors', async () => {
    const { data: whole } = await page('cursor', '/events?limit=100');
    const met: Thing[] = [];
    for (let cursor = ''; ; ) {
      const { data, next_cursor } = await page('cursor', `/events?limit=4${cursor}`);
      met.push(...data);
      if (!next_cursor) break;
      cursor = `&cursor=${next_cursor}`;
    }
    expect(met).toEqual(whole);
  });

  it('is turned round and sorted otherwise by its parameters', async () => {
    const { data: whole } = await page('turned', '/orders?limit=100');
    newestFirst(whole);
    const up = await page('turned', '/orders?limit=100&direction=asc');
    expect(up.data.map(({ created }) => created)).toEqual(whole.map(({ created }) => created).reverse());
    const names = (await page('turned', '/orders?limit=100&sort=name')).data.map(({ name }) => name);
    expect(names).toEqual([...names].sort().reverse());
    const upwards = (await page('turned', '/orders?limit=100&sort=name&direction=asc')).data.map(({ name }) => name);
    expect(upwards).toEqual([...names].reverse());
  });
});
