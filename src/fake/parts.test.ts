import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fake, openFake } from './fake.js';

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const id = [{ name: 'shipId', in: 'path', required: true, schema: { type: 'string' } }];
const ok = (name: string) => ({ 200: { description: 'It', ...json(ref(name)) } });
const missing = (description: string) => ({ 404: { description } });
const body = (name: string) => ({ requestBody: { required: true, ...json(ref(name)) } });
const part = (operations: Record<string, unknown>) => ({ parameters: id, ...operations });

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Harbour', version: '1' },
  paths: {
    '/ships': {
      get: { responses: { 200: { description: 'All', ...json({ type: 'array', items: ref('Ship') }) } } },
      post: { ...body('Ship'), responses: { 201: { description: 'Made', ...json(ref('Ship')) } } },
    },
    '/ships/{shipId}': part({
      get: { responses: { ...ok('Ship'), ...missing('No ship') } },
      delete: { responses: { 204: { description: 'Gone' }, ...missing('No ship'), 409: { description: 'In use' } } },
    }),
    // Read, and nothing writes it.
    '/ships/{shipId}/cooldown': part({ get: { responses: ok('Cooldown') } }),
    // Changed, never made; the 404 is that of the ship.
    '/ships/{shipId}/settings': part({
      get: { responses: { ...ok('Settings'), ...missing('No such ship') } },
      put: { ...body('Settings'), responses: { ...ok('Settings'), ...missing('No such ship') } },
    }),
    // Not there until it is written.
    '/ships/{shipId}/insurance': part({
      get: { responses: { ...ok('Insurance'), ...missing('Not insured') } },
      put: { ...body('Insurance'), responses: ok('Insurance') },
    }),
    '/ships/{shipId}/flag': part({
      get: { responses: { ...ok('Flag'), ...missing('The ship has no flag') } },
      post: { ...body('Flag'), responses: { 201: { description: 'Made', ...json(ref('Flag')) } } },
    }),
    '/ships/{shipId}/pennant': part({
      get: { responses: { ...ok('Pennant'), ...missing('No pennant') } },
      put: { ...body('Pennant'), responses: { ...ok('Pennant'), ...missing('No pennant') } },
    }),
  },
  components: {
    schemas: {
      Ship: {
        type: 'object',
        required: ['id', 'name'],
        properties: { id: { type: 'string', readOnly: true }, name: { type: 'string' } },
      },
      Cooldown: {
        type: 'object',
        required: ['seconds', 'reason'],
        properties: {
          seconds: { type: 'integer', minimum: 0 },
          reason: { type: 'string' },
          until: { type: 'string', format: 'date-time' },
        },
      },
      Settings: {
        type: 'object',
        required: ['theme'],
        properties: { theme: { type: 'string', enum: ['light', 'dark'] }, loud: { type: 'boolean' } },
      },
      Insurance: { type: 'object', properties: { company: { type: 'string' }, amount: { type: 'integer' } } },
      Flag: { type: 'object', properties: { colour: { type: 'string' }, stripes: { type: 'integer' } } },
      Pennant: { type: 'object', properties: { colour: { type: 'string' }, tails: { type: 'integer' } } },
    },
  },
};

let fake: Fake;
beforeAll(async () => {
  fake = await openFake({ documents: [{ name: 'harbour', text: JSON.stringify(DOCUMENT) }], seed: 'parts' });
});
afterAll(() => fake.close());

const ask = async (session: string, method: string, path: string, sent?: unknown) => {
  const headers = { 'x-treadle-session': session, 'content-type': 'application/json' };
  const init = { method, headers, ...(sent === undefined ? {} : { body: JSON.stringify(sent) }) };
  const response = await fake.fetch(new Request(`http://harbour.test${path}`, init));
  const text = await response.text();
  return { status: response.status, value: text === '' ? undefined : JSON.parse(text) };
};
const newShip = async (session: string): Promise<string> => {
  const { status, value } = await ask(session, 'POST', '/ships', { name: 'Ana' });
  expect(status).toBe(201);
  return value.id;
};

describe('what there is one of for each row', () => {
  it('is there for all rows that are seeded', async () => {
    const { value: ships } = await ask('seeded', 'GET', '/ships');
    expect(ships.length).toBeGreaterThan(5);
    for (const ship of ships)
      for (const name of ['cooldown', 'settings'])
        expect([ship.id, (await ask('seeded', 'GET', `/ships/${ship.id}/${name}`)).status]).toEqual([ship.id, 200]);
  });

  it('is there as soon as its row is, and stays as it is', async () => {
    const ship = await newShip('made');
    const first = await ask('made', 'GET', `/ships/${ship}/cooldown`);
    expect(first).toMatchObject({ status: 200, value: { seconds: 0, reason: expect.any(String) } });
    expect(await ask('made', 'GET', `/ships/${ship}/cooldown`)).toEqual(first);
    expect(await ask('made', 'GET', `/ships/${ship}/settings`)).toMatchObject({
      status: 200,
      value: { theme: 'light' },
    });
    expect((await ask('made', 'PUT', `/ships/${ship}/settings`, { theme: 'dark', loud: true })).status).toBe(200);
    expect((await ask('made', 'GET', `/ships/${ship}/settings`)).value).toEqual({ theme: 'dark', loud: true });
  });

  it('goes with its row, also where others would keep the row', async () => {
    const ship = await newShip('gone');
    expect((await ask('gone', 'DELETE', `/ships/${ship}`)).status).toBe(204);
    for (const name of ['cooldown', 'settings', 'insurance'])
      expect((await ask('gone', 'GET', `/ships/${ship}/${name}`)).status).toBe(404);
    expect((await ask('gone', 'PUT', `/ships/${ship}/settings`, { theme: 'dark' })).status).toBe(404);
  });

  it('is not made where the document means that it may be absent', async () => {
    const ship = await newShip('absent');
    for (const name of ['insurance', 'flag', 'pennant'])
      expect([name, (await ask('absent', 'GET', `/ships/${ship}/${name}`)).status]).toEqual([name, 404]);
    expect((await ask('absent', 'PUT', `/ships/${ship}/insurance`, { company: 'Sure', amount: 4 })).status).toBe(200);
    expect((await ask('absent', 'POST', `/ships/${ship}/flag`, { colour: 'red', stripes: 2 })).status).toBe(201);
    expect((await ask('absent', 'GET', `/ships/${ship}/insurance`)).value).toEqual({ company: 'Sure', amount: 4 });
    expect((await ask('absent', 'GET', `/ships/${ship}/flag`)).value).toEqual({ colour: 'red', stripes: 2 });
    const none = await ask('absent', 'POST', '/ships/nobody/flag', { colour: 'red', stripes: 2 });
    expect(none.status).toBe(404);
  });

  it('is there for all rows of one’s own, more than are generated', async () => {
    const own = Array.from({ length: 40 }, (_, at) => ({ at, cells: [`own-${at}`, `Own ${at}`] }));
    const cooldown = { table: 'cooldown', file: 'cooldown.json', columns: ['ship_id', 'seconds'] };
    const other = await openFake({
      documents: [{ name: 'harbour', text: JSON.stringify(DOCUMENT) }],
      seed: 'own',
      tables: [
        { table: 'ship', file: 'ships.json', columns: ['id', 'name'], rows: own },
        { ...cooldown, rows: [{ at: 0, cells: ['own-7', 77] }] },
      ],
    });
    try {
      for (const at of own.keys()) {
        const response = await other.fetch(new Request(`http://harbour.test/ships/own-${at}/cooldown`));
        expect([at, response.status]).toEqual([at, 200]);
        if (at === 7) expect(await response.json()).toMatchObject({ seconds: 77 });
      }
    } finally {
      await other.close();
    }
  });
});
