import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { TreadleError } from '../../../errors.js';
import { KIND } from '../frames/frame.js';
import type { LinkLimits } from '../frames/link.js';
import { rpcPair } from './rpc.fixture.js';
import type { Rpc } from './rpc.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const pair = async (limits: Partial<LinkLimits> = {}): Promise<[Rpc, Rpc]> => {
  const { near, far, end } = await rpcPair(limits);
  ends.push(end);
  return [near, far];
};

it('asks and answers both ways, with bytes', async () => {
  const [a, b] = await pair();
  b.handle('double', (params, { bytes, number }) => ({
    value: [params, number],
    bytes: Buffer.concat([bytes, bytes]),
  }));
  a.handle('who', () => ({ value: undefined }));
  const said = await a.request('double', { x: 1 }, { bytes: Buffer.from('ab'), number: 2 ** 40 });
  expect(said.value).toEqual([{ x: 1 }, 2 ** 40]);
  expect(said.bytes.toString()).toBe('abab');
  expect((await b.request('who', undefined)).value).toBeNull();
});

it('answers each request with its own answer, whatever the order they end in', async () => {
  const [a, b] = await pair();
  b.handle('later', async (params) => {
    for (let i = 0; i < (params as number) % 7; i++) await new Promise((resolve) => setImmediate(resolve));
    return { value: params };
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000), { maxLength: 40 }), async (values) => {
      expect(await Promise.all(values.map(async (value) => (await a.request('later', value)).value))).toEqual(values);
    }),
    { numRuns: 10 },
  );
});

it('hands a TreadleError over as what it is, and anything else as a defect', async () => {
  const [a, b] = await pair();
  const full = { code: 'at_capacity', value: 7, next: 'Wait.', fault: 'infrastructure', isRetryable: true } as const;
  b.handle('full', () => {
    throw new TreadleError({ message: 'No room', ...full });
  });
  b.handle('broken', async () => {
    throw new Error('oops');
  });
  await expect(a.request('full', 1)).rejects.toMatchObject({ message: 'No room', ...full });
  await expect(a.request('full', 1)).rejects.toBeInstanceOf(TreadleError);
  await expect(a.request('broken', 1)).rejects.toMatchObject({
    code: 'unexpected',
    message: 'oops',
    fault: 'infrastructure',
  });
  await expect(a.request('nobody', 1)).rejects.toMatchObject({ code: 'unknown_method', value: 'nobody' });
});

it('rejects what is under way when the link closes, and what is asked afterwards', async () => {
  const [a, b] = await pair();
  b.handle('never', () => new Promise(() => {}));
  const asked = a.request('never', 1);
  const visited = new Promise<string | undefined>((resolve) =>
    a.visit('{}', ['x'], 3, (_, __, failed) => resolve(failed?.code)),
  );
  b.onVisit(() => b.link.close());
  await expect(asked).rejects.toMatchObject({ code: 'worker_link', isRetryable: true });
  expect(await visited).toBe('worker_link');
  expect(a.underWay).toBe(0);
  await expect(a.request('never', 1)).rejects.toMatchObject({ code: 'worker_link' });
  expect(await new Promise((resolve) => a.visit('{}', [], 0, (_, __, failed) => resolve(failed?.code)))).toBe(
    'worker_link',
  );
  expect(a.notify('x', 1)).toBe(false);
  let why = '';
  a.onClosed(({ code }) => {
    why = code;
  });
  expect(why).toBe('worker_link');
});

it('does not wait longer than it was told', async () => {
  const [a, b] = await pair();
  b.handle('never', () => new Promise(() => {}));
  await expect(a.request('never', 1, { ms: 20 })).rejects.toMatchObject({ code: 'worker_late', value: 'never' });
  expect(a.underWay).toBe(0);
});

it('carries visits with head, body and number, and their replies in pieces', async () => {
  const [a, b] = await pair();
  b.onVisit((head, body, number, reply) => {
    const text = body.toString();
    setImmediate(() => reply(`${head}!`, [text, Buffer.from(String(number)), 'ü']));
  });
  const said = await new Promise<string>((resolve) =>
    a.visit('{"url":"/mcp"}', ['{"a":', Buffer.from('1}')], 9, (head, body) => resolve(`${head} ${body.toString()}`)),
  );
  expect(said).toBe('{"url":"/mcp"}! {"a":1}9ü');
});

it('fails an answer or a reply that is too large, and lives on', async () => {
  const [a, b] = await pair({ frameBytes: 100_000 });
  b.handle('much', () => ({ value: 1, bytes: new Uint8Array(200_000) }));
  b.onVisit((_, __, ___, reply) => reply('{}', ['x'.repeat(200_000)]));
  await expect(a.request('much', 1)).rejects.toMatchObject({ code: 'frame_too_large' });
  expect(await new Promise((resolve) => a.visit('', [], 0, (_, __, failed) => resolve(failed?.code)))).toBe(
    'frame_too_large',
  );
  await expect(a.request('x', 'y'.repeat(200_000))).rejects.toMatchObject({ code: 'frame_too_large' });
  b.handle('small', () => ({ value: 'here' }));
  expect((await a.request('small', 1)).value).toBe('here');
});

it('hears notices in order, and closes at what cannot be read', async () => {
  const [a, b] = await pair();
  const heard: unknown[] = [];
  b.onNotice('tick', (params) => heard.push(params));
  for (let i = 0; i < 5; i++) a.notify('tick', i);
  a.notify('nobody listens', 1);
  b.handle('done', () => ({ value: true }));
  await a.request('done', null);
  expect(heard).toEqual([0, 1, 2, 3, 4]);
});

it('closes the link, and nothing else, at heads that say nothing', async () => {
  const kinds = [KIND.request, KIND.answer, KIND.failure, KIND.notice];
  for (const [kind, head] of kinds.flatMap((one) => [
    [one, '{'] as const,
    ...(one === KIND.answer ? [] : [[one, '[7]'] as const]),
  ])) {
    const [a, b] = await pair();
    const closed = new Promise<string>((resolve) => b.onClosed(({ code }) => resolve(code)));
    a.link.send({ kind, id: 1, number: 0, head, body: [] });
    expect([kind, head, await closed]).toEqual([kind, head, 'bad_frame']);
  }
});

it('lets answers nobody waits for pass', async () => {
  const [a, b] = await pair();
  a.link.send({ kind: KIND.answer, id: 77, number: 0, head: '1', body: [] });
  a.link.send({ kind: KIND.reply, id: 78, number: 0, head: 'x', body: [] });
  b.handle('alive', () => ({ value: true }));
  expect((await a.request('alive', null)).value).toBe(true);
});
