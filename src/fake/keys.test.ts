/** What a client is shown it can ask for: keys fit the parameters of the paths that name them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fake, openFake } from './fake.js';

type Schema = Record<string, unknown>;

const json = (schema: Schema, status = '200') => ({
  [status]: { description: 'ok', content: { 'application/json': { schema } } },
});

interface Kind {
  /** Of the parameter. */
  param: Schema;
  /** Of the property; the parameter's where absent. */
  property?: Schema;
  /** Callers write the key. */
  given?: boolean;
}

const opened = ({ param, property = param, given = false }: Kind): Promise<Fake> => {
  const text = { type: 'string' };
  const thing = { type: 'object', required: ['id', 'text'], properties: { id: property, text } };
  const body = {
    type: 'object',
    required: given ? ['id', 'text'] : ['text'],
    properties: given ? { id: property, text } : { text },
  };
  const document = {
    openapi: '3.0.3',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        get: { responses: json({ type: 'array', items: thing }) },
        post: {
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
          responses: { ...json(thing, '201'), ...json({ type: 'object' }, '409') },
        },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: param }],
        get: { responses: json(thing) },
        delete: { responses: { 204: { description: 'gone' } } },
      },
    },
  };
  return openFake({ seed: 'keys', documents: [{ name: 'things', text: JSON.stringify(document) }] });
};

const ask = (fake: Fake, path: string, method = 'GET', body?: unknown): Promise<Response> =>
  fake.fetch(
    new Request(`http://things.test${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }),
  );

const listed = async (fake: Fake): Promise<(string | number)[]> => {
  const rows = (await (await ask(fake, '/things')).json()) as { id: string | number }[];
  return rows.map(({ id }) => id);
};

const at = (id: string | number): string => `/things/${encodeURIComponent(id)}`;

describe('few keys', () => {
  it('begins with no more rows than there are numbers, and refuses the one after the last', async () => {
    const fake = await opened({ param: { type: 'integer', minimum: 1, maximum: 9 } });
    const seeded = await listed(fake);
    expect(seeded.length).toBeGreaterThan(0);
    expect(seeded.length).toBeLessThanOrEqual(9);
    for (const id of seeded) expect((await ask(fake, at(id))).status).toBe(200);
    const ids = new Set(seeded);
    for (let left = 9 - seeded.length; left > 0; left--) {
      const made = await ask(fake, '/things', 'POST', { text: 'more' });
      expect(made.status).toBe(201);
      const { id } = (await made.json()) as { id: number };
      expect((await ask(fake, at(id))).status).toBe(200);
      ids.add(id);
    }
    expect([...ids].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await ask(fake, '/things', 'POST', { text: 'one more' })).status).toBe(409);
    // A number that is free again is given out again.
    expect((await ask(fake, at(4), 'DELETE')).status).toBe(204);
    expect(await (await ask(fake, '/things', 'POST', { text: 'again' })).json()).toMatchObject({ id: 4 });
    // Bounds of paths hold.
    expect((await ask(fake, at(7_000_000))).status).toBe(400);
    expect((await ask(fake, at('seven'))).status).toBe(400);
    await fake.close();
  });

  it('leaves room to callers who write their keys, and refuses those that no path could name', async () => {
    const fake = await opened({
      param: { type: 'integer', minimum: 1, maximum: 9 },
      property: { type: 'integer' },
      given: true,
    });
    const seeded = await listed(fake);
    expect(seeded.length).toBeGreaterThan(0);
    const free = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((id) => !seeded.includes(id)) as number;
    expect((await ask(fake, '/things', 'POST', { id: free, text: 'mine' })).status).toBe(201);
    expect((await ask(fake, at(free))).status).toBe(200);
    const tenth = await ask(fake, '/things', 'POST', { id: 10, text: 'mine' });
    expect(tenth.status).toBeGreaterThanOrEqual(400);
    expect(tenth.status).toBeLessThan(500);
    await fake.close();
    const words = await opened({
      param: { type: 'string', pattern: '^[a-z]+$' },
      property: { type: 'string' },
      given: true,
    });
    expect((await ask(words, '/things', 'POST', { id: 'Two words', text: 'mine' })).status).toBeGreaterThanOrEqual(400);
    expect((await ask(words, '/things', 'POST', { id: 'words', text: 'mine' })).status).toBe(201);
    await words.close();
  });
});

const pattern = fc.constantFrom(
  '^[a-z]{3,12}$',
  '^[A-Z]{2}-[0-9]{4}$',
  '^(?!abc)[a-z][a-z0-9-]{2,20}[a-z0-9]$',
  '^arn:aws:things:[a-z]{2}-[a-z]+-\\d:\\d{12}:thing/[a-f0-9]{8,}$',
  '[0-9a-f]{32}',
  '^(AC|SM)[0-9a-fA-F]{32}$',
  '^\\w+\\.\\w+$',
  '^(?=.*[0-9])[a-z0-9]{4,8}$',
  '^[1-9][0-9]{0,3}$',
);

const schema: fc.Arbitrary<Schema> = fc.oneof(
  pattern.map((one) => ({ type: 'string', pattern: one })),
  fc
    .tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 60 }))
    .map(([least, more]) => ({ type: 'string', minLength: least, maxLength: least + more })),
  fc
    .tuple(fc.integer({ min: 0, max: 5_000_000 }), fc.integer({ min: 3, max: 3_000_000 }))
    .map(([low, more]) => ({ type: 'integer', minimum: low, maximum: low + more })),
  fc.integer({ min: 5, max: 2_000_000_000 }).map((low) => ({ type: 'integer', exclusiveMinimum: true, minimum: low })),
  fc
    .constantFrom('uuid', 'date', 'date-time', 'email', 'hostname', 'ipv4', 'ipv6')
    .map((format) => ({ type: 'string', format })),
  fc.constantFrom('int32', 'int64').map((format) => ({ type: 'integer', format })),
  fc
    .uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 2, maxLength: 6 })
    .map((values) => ({ type: 'string', enum: values })),
  fc
    .uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 6 })
    .map((values) => ({ type: 'integer', enum: values })),
);

describe('keys of any schema', () => {
  it('fit the path: what is listed and what is made can be got', async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (param) => {
        const fake = await opened({ param });
        const ids = await listed(fake);
        expect(ids.length).toBeGreaterThan(0);
        for (let n = 0; n < 3; n++) {
          const made = await ask(fake, '/things', 'POST', { text: 'more' });
          if (made.status === 201) ids.push(((await made.json()) as { id: string }).id);
          else expect(made.status).toBe(409);
        }
        for (const id of ids) expect([id, (await ask(fake, at(id))).status]).toEqual([id, 200]);
        await fake.close();
      }),
      { numRuns: 40, seed: 11 },
    );
  });

  it('fit the path where callers write them', async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (param) => {
        const fake = await opened({ param, property: { type: param.type as string }, given: true });
        const ids = await listed(fake);
        expect(ids.length).toBeGreaterThan(0);
        for (const id of ids) {
          expect(String(id)).not.toMatch(/[\s?#%]/);
          expect([id, (await ask(fake, at(id))).status]).toEqual([id, 200]);
        }
        await fake.close();
      }),
      { numRuns: 40, seed: 12 },
    );
  });

  it('fit the property too, where both can hold', async () => {
    const fake = await opened({
      param: { type: 'string', pattern: '^[a-z-]+$' },
      property: { type: 'string', pattern: '^\\w{2}-\\w+$', maxLength: 12 },
    });
    for (const id of await listed(fake)) expect(id).toMatch(/^[a-z]{2}-[a-z]{1,9}$/);
    await fake.close();
    const other = await opened({
      param: { type: 'string', pattern: '^[a-z]+$' },
      property: { type: 'string', pattern: '^[0-9]+$' },
    });
    for (const id of await listed(other)) expect(id).toMatch(/^[a-z]+$/);
    await other.close();
  });
});
