/** Procedures named after what they act on, over state that stays. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fake, openFake } from './fake.js';
import { HARBOUR } from './harbour.fixture.js';

let fake: Fake;
beforeAll(async () => {
  fake = await openFake({ documents: [{ name: 'harbour', text: JSON.stringify(HARBOUR) }], seed: '1' });
});
afterAll(() => fake.close());

type Body = Record<string, never> & { ok: boolean; error?: string };

const send = async (path: string, fields: Record<string, string>, headers: Record<string, string>) => {
  const answer = await fake.fetch(
    new Request(`http://harbour.test${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    }),
  );
  return (await answer.json()) as Body;
};
const post = (path: string, fields: Record<string, string> = {}) =>
  send(path, fields, { authorization: 'Bearer mine' });

interface Berth {
  id: string;
  name: string;
  is_closed: boolean;
  note: { value: string };
}
interface Call {
  stamp: string;
  words: string;
}
const create = async (name: string): Promise<Berth> =>
  ((await post('/moorings.create', { name })) as unknown as { berth: Berth }).berth;
const infoOf = async (berth: string): Promise<Berth> =>
  ((await post('/moorings.info', { berth })) as unknown as { berth: Berth }).berth;
const callsOf = async (berth: string): Promise<Call[]> =>
  ((await post('/moorings.log', { berth, limit: '50' })) as unknown as { calls: Call[] }).calls;

describe('rows of a place', () => {
  it('are made, shown in what wraps them, and named by that word', async () => {
    const made = await create('north');
    expect(made).toMatchObject({ name: 'north', is_closed: false });
    expect(made.id).toMatch(/^B[A-Z0-9]{6,}$/);
    expect(await infoOf(made.id)).toEqual(made);
    const { berths } = (await post('/moorings.list', { limit: '100' })) as unknown as { berths: Berth[] };
    expect(berths.map(({ id }) => id)).toContain(made.id);
  });

  it('keep what is set of them, and the states that verbs bring about', async () => {
    const { id } = await create('east');
    await post('/moorings.setNote', { berth: id, note: 'Mind the bollard' });
    expect((await infoOf(id)).note.value).toBe('Mind the bollard');
    expect(await post('/moorings.close', { berth: id })).toEqual({ ok: true });
    expect((await infoOf(id)).is_closed).toBe(true);
    expect(await infoOf(id)).not.toHaveProperty('berth');
  });

  it('that are not there are errors of the document', async () => {
    expect(await post('/moorings.info', { berth: 'B0000000' })).toEqual({ ok: false, error: 'berth_not_found' });
    expect(await post('/radio.sendCall', { berth: 'B0000000', words: 'x' })).toEqual({
      ok: false,
      error: 'berth_not_found',
    });
  });
});

describe('calls of a place that nothing reads', () => {
  it('act on what another place lists: each hangs where it was made', async () => {
    const [west, south] = [await create('west'), await create('south')];
    const sent = (await post('/radio.sendCall', { berth: west.id, words: 'Ahoy' })) as unknown as {
      stamp: string;
      berth: string;
      call: Call;
    };
    expect(sent.stamp).toMatch(/^\d{8}\.\d{4}$/);
    expect(sent).toMatchObject({ berth: west.id, call: { stamp: sent.stamp, words: 'Ahoy' } });
    expect(await callsOf(west.id)).toMatchObject([{ stamp: sent.stamp, words: 'Ahoy' }]);
    expect(await callsOf(south.id)).toEqual([]);
    const { stamp } = sent;
    expect(await post('/radio.update', { berth: west.id, stamp, words: 'Anchors' })).toMatchObject({
      stamp,
      words: 'Anchors',
      call: { words: 'Anchors' },
    });
    expect(await post('/radio.update', { berth: south.id, stamp, words: 'No' })).toEqual({
      ok: false,
      error: 'call_not_found',
    });
    expect(await callsOf(west.id)).toMatchObject([{ words: 'Anchors' }]);
    expect(await post('/radio.delete', { berth: west.id, stamp })).toEqual({ ok: true, berth: west.id, stamp });
    expect(await callsOf(west.id)).toEqual([]);
  });

  it('find a key that is written as a number, whatever zeros it ends in', async () => {
    const { id } = await create('quay');
    const stamps: string[] = [];
    for (let n = 0; n < 40; n++)
      stamps.push(((await post('/radio.sendCall', { berth: id, words: `${n}` })) as unknown as Call).stamp);
    expect(stamps.some((stamp) => stamp.endsWith('0'))).toBe(true);
    for (const stamp of stamps) expect(await post('/radio.delete', { berth: id, stamp })).toMatchObject({ ok: true });
    expect(await callsOf(id)).toEqual([]);
  });
});

describe('a token among the parameters', () => {
  const made = async (headers: Record<string, string>, fields: Record<string, string> = {}) =>
    send('/moorings.create', { name: 'token', ...fields }, headers);
  const count = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    (
      (await send('/moorings.list', { limit: '100', ...fields }, headers)) as unknown as { berths: Berth[] }
    ).berths.filter(({ name }) => name === 'token').length;

  it('may come as one, as a header, in the form, or as a bearer: it means one caller', async () => {
    expect(await made({ token: 'one' })).toMatchObject({ ok: true });
    expect(await made({ authorization: 'Bearer one' })).toMatchObject({ ok: true });
    expect(await made({}, { token: 'one' })).toMatchObject({ ok: true });
    expect(await count({ token: 'one' })).toBe(3);
    expect(await count({}, { authorization: 'Bearer one' })).toBe(3);
    expect(await count({ token: 'two' })).toBe(0);
  });

  it('that comes nowhere is missing, and said so as the document says it', async () => {
    expect(await made({})).toEqual({ ok: false, error: 'not_authed' });
    expect(await send('/health.test', {}, {})).toEqual({ ok: false, error: 'not_authed' });
    expect(await send('/health.test', {}, { authorization: 'Bearer one' })).toMatchObject({ ok: true });
  });
});

it('a status of which the document only speaks has the values that it speaks of', async () => {
  const { pilots } = (await post('/pilots.list')) as unknown as { pilots: { status: string }[] };
  expect(pilots.length).toBeGreaterThan(0);
  for (const { status } of pilots) expect(['READY', 'ABOARD', 'RESTING']).toContain(status);
});
