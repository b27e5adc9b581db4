import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fake, openFake } from './fake.js';

const row = (extra: Record<string, unknown>, required: string[]) => ({
  type: 'object',
  required: ['id', ...required],
  properties: { id: { type: 'string', readOnly: true }, ...extra },
});
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const collection = (name: string, deletes: Record<string, unknown>) => {
  const ref = { $ref: `#/components/schemas/${name}` };
  const path = `/${name.toLowerCase()}s`;
  const id = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  return {
    [path]: {
      get: { responses: { 200: { description: 'All', ...json({ type: 'array', items: ref }) } } },
      post: {
        requestBody: { required: true, ...json(ref) },
        responses: { 201: { description: 'Made', ...json(ref) } },
      },
    },
    [`${path}/{id}`]: {
      parameters: id,
      get: { responses: { 200: { description: 'One', ...json(ref) }, 404: { description: 'None' } } },
      delete: { responses: { 204: { description: 'Gone' }, ...deletes } },
    },
  };
};

const DOCUMENT = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Depots', version: '1' },
  paths: {
    ...collection('Depot', { 404: { description: 'None' } }),
    ...collection('Shelf', {}),
    ...collection('Parcel', {}),
    ...collection('Carrier', { 409: { description: 'It still has parcels' } }),
    ...collection('Label', {}),
  },
  components: {
    schemas: {
      Depot: row({ name: { type: 'string' } }, ['name']),
      Shelf: row({ name: { type: 'string' }, depot_id: { type: 'string' } }, ['name', 'depot_id']),
      Parcel: row({ weight: { type: 'integer' }, shelf_id: { type: 'string' }, carrier_id: { type: 'string' } }, [
        'weight',
        'shelf_id',
        'carrier_id',
      ]),
      Carrier: row({ name: { type: 'string' } }, ['name']),
      Label: row({ text: { type: 'string' }, parcel_id: { type: 'string', nullable: true } }, ['text']),
    },
  },
});

let fake: Fake;
beforeAll(async () => {
  fake = await openFake({ documents: [{ name: 'depots', text: DOCUMENT }], seed: 'cascade' });
});
afterAll(() => fake.close());

const ask = async (session: string, method: string, path: string, body?: unknown) => {
  const headers = { 'x-treadle-session': session, 'content-type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fake.fetch(new Request(`http://depots.test${path}`, init));
  const text = await response.text();
  return { status: response.status, value: text === '' ? undefined : JSON.parse(text) };
};

const filled = async (session: string) => {
  const { value: depot } = await ask(session, 'POST', '/depots', { name: 'North' });
  const { value: shelf } = await ask(session, 'POST', '/shelfs', { name: 'A', depot_id: depot.id });
  const { value: carrier } = await ask(session, 'POST', '/carriers', { name: 'Fleet' });
  const parcel = { weight: 4, shelf_id: shelf.id, carrier_id: carrier.id };
  const { value: made } = await ask(session, 'POST', '/parcels', parcel);
  const { value: label } = await ask(session, 'POST', '/labels', { text: 'Fragile', parcel_id: made.id });
  return { depot, shelf, carrier, parcel: made, label };
};

describe('a row that others refer to is deleted', () => {
  it('takes along what cannot be without it, and empties what may be', async () => {
    const { depot, shelf, parcel, label, carrier } = await filled('along');
    expect((await ask('along', 'DELETE', `/depots/${depot.id}`)).status).toBe(204);
    for (const path of [`/depots/${depot.id}`, `/shelfs/${shelf.id}`, `/parcels/${parcel.id}`])
      expect((await ask('along', 'GET', path)).status).toBe(404);
    expect((await ask('along', 'GET', `/carriers/${carrier.id}`)).status).toBe(200);
    const left = await ask('along', 'GET', `/labels/${label.id}`);
    expect(left.status).toBe(200);
    expect(left.value.parcel_id ?? null).toBeNull();
  });

  it('stays where the document says 409', async () => {
    const { carrier, parcel } = await filled('stays');
    expect((await ask('stays', 'DELETE', `/carriers/${carrier.id}`)).status).toBe(409);
    expect((await ask('stays', 'DELETE', `/parcels/${parcel.id}`)).status).toBe(204);
    expect((await ask('stays', 'DELETE', `/carriers/${carrier.id}`)).status).toBe(204);
  });
});
