/** The contract of blobs, for every implementation to be run through. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from './blobs.js';

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

export const text = async (blobs: Blobs, key: string): Promise<string> => Buffer.from(await blobs.get(key)).toString();

/** The code of what was thrown. */
export const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing thrown',
    (thrown: { code: string }) => thrown.code,
  );

export interface ContractSize {
  /** More keys than a page of a list holds. */
  many?: number;
  /** Of the comparison with a map. */
  runs?: number;
}

const suite = (open: () => Blobs, { many = 105, runs = 40 }: ContractSize): void => {
  let blobs: Blobs;
  beforeEach(() => {
    blobs = open();
  });

  it('puts, gets, overwrites, lists and deletes', async () => {
    await blobs.put('sessions/s1/2-ab', bytes('two'));
    await blobs.put('sessions/s1/1-ab', bytes('one'));
    await blobs.put('sessions/s10/x', bytes('ten'));
    await blobs.put('sessions/s1/1-ab', bytes('uno'));
    expect(await text(blobs, 'sessions/s1/1-ab')).toBe('uno');
    expect(await blobs.list('sessions/s1/')).toEqual(['sessions/s1/1-ab', 'sessions/s1/2-ab']);
    expect(await blobs.list('sessions/s1')).toEqual(['sessions/s1/1-ab', 'sessions/s1/2-ab', 'sessions/s10/x']);
    await blobs.delete('sessions/s1/1-ab');
    await blobs.delete('sessions/s1/1-ab');
    expect(await code(blobs.get('sessions/s1/1-ab'))).toBe('no_blob');
    expect(await blobs.list('')).toEqual(['sessions/s1/2-ab', 'sessions/s10/x']);
    expect(await blobs.list('nowhere/at/all')).toEqual([]);
  });

  it('keeps a key beside keys under it', async () => {
    for (const key of ['a', 'a/b', 'a/b/c', 'a.b', 'a.d', 'a.d/b', 'parts', 'parts/x'])
      await blobs.put(key, bytes(key));
    const all = ['a', 'a.b', 'a.d', 'a.d/b', 'a/b', 'a/b/c', 'parts', 'parts/x'];
    expect(await blobs.list('')).toEqual(all);
    for (const key of all) expect(await text(blobs, key)).toBe(key);
    await blobs.delete('a/b');
    expect(await text(blobs, 'a/b/c')).toBe('a/b/c');
  });

  it('holds what it was given, not what the giver or a reader does to it later', async () => {
    const given = bytes('abc');
    await blobs.put('k', given);
    given.fill(0);
    (await blobs.get('k')).fill(1);
    expect(await text(blobs, 'k')).toBe('abc');
    await blobs.put('empty', new Uint8Array(0));
    expect((await blobs.get('empty')).length).toBe(0);
    const part = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
    await blobs.put('part', part);
    expect([...(await blobs.get('part'))]).toEqual([1, 2]);
  });

  it.each([
    '',
    '/',
    '/etc/passwd',
    'a//b',
    'a/',
    '..',
    'a/../b',
    './a',
    '.hidden',
    'a\\b',
    'a\u0000',
    'a\nb',
    'ä',
    '\u202e',
    'a b',
    'x'.repeat(201),
    `${'a/'.repeat(256)}a`,
    undefined,
    7,
    ['a'],
  ])('refuses the key %j, whatever is done with it', async (key) => {
    const bad = key as string;
    for (const work of [blobs.put(bad, bytes('x')), blobs.get(bad), blobs.delete(bad)])
      expect(await code(work)).toBe('bad_key');
  });

  it.each(['/', '../', 'a/../', 'a//', '.', 'a\u0000', undefined])('refuses the prefix %j', async (prefix) => {
    expect(await code(blobs.list(prefix as string))).toBe('bad_key');
  });

  it('takes the longest key', async () => {
    const key = `${'k'.repeat(200)}/${'l'.repeat(200)}/${'m'.repeat(110)}`;
    expect(key.length).toBe(512);
    await blobs.put(key, bytes('x'));
    expect(await blobs.list('')).toEqual([key]);
  });

  it('never gives a mixture of two writers', async () => {
    const versions = Array.from({ length: 24 }, (_, i) => new Uint8Array(100_000).fill(i));
    const reads: Promise<Uint8Array>[] = [];
    await blobs.put('k', versions[0] as Uint8Array);
    await Promise.all(
      versions.map((version) => {
        reads.push(blobs.get('k'));
        return blobs.put('k', version);
      }),
    );
    for (const read of [...(await Promise.all(reads)), await blobs.get('k')]) {
      expect(read.length).toBe(100_000);
      expect(new Set(read).size).toBe(1);
    }
  });

  it('survives deletes that cross with puts in one folder', async () => {
    const work = Array.from({ length: 60 }, (_, i) =>
      i % 2 === 0
        ? blobs.put(`s/x/${i}`, bytes('x'))
        : blobs.put(`s/x/${i}`, bytes('x')).then(() => blobs.delete(`s/x/${i}`)),
    );
    await Promise.all(work);
    expect((await blobs.list('s/')).length).toBe(30);
  });

  it('does what a map does', async () => {
    const key = fc.constantFrom('a', 'a/b', 'a/b/c', 'a/bc', 'b', 'a.d/b', 'ab');
    const step = fc.record({ key, what: fc.constantFrom('put', 'put', 'delete', 'get', 'list'), value: fc.string() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        for (const kept of await blobs.list('')) await blobs.delete(kept);
        const model = new Map<string, string>();
        for (const { key, what, value } of steps) {
          if (what === 'put') {
            await blobs.put(key, bytes(value));
            model.set(key, Buffer.from(value).toString());
          } else if (what === 'delete') {
            await blobs.delete(key);
            model.delete(key);
          } else if (what === 'get') {
            const wanted = model.get(key);
            if (wanted === undefined) expect(await code(blobs.get(key))).toBe('no_blob');
            else expect(await text(blobs, key)).toBe(wanted);
          } else {
            const wanted = [...model.keys()].filter((one) => one.startsWith(key)).sort();
            expect(await blobs.list(key)).toEqual(wanted);
          }
        }
        expect(await blobs.list('')).toEqual([...model.keys()].sort());
      }),
      { numRuns: runs },
    );
  });

  it('keeps keys of all characters that a key may have', async () => {
    const keys = ['a+b', 'a=b', 'a@b', 'a-b', 'a_b', 'a.b', '_a/b+c=d@e.f', 'A/a', 'a/A', '0'];
    for (const key of keys) await blobs.put(key, bytes(key));
    expect(await blobs.list('')).toEqual([...keys].sort());
    for (const key of keys) expect(await text(blobs, key)).toBe(key);
    expect(await blobs.list('a+')).toEqual(['a+b']);
    await blobs.delete('a+b');
    expect(await blobs.list('a')).toEqual(['a-b', 'a.b', 'a/A', 'a=b', 'a@b', 'a_b']);
  });

  it('keeps large ones', async () => {
    const pattern = Uint8Array.from({ length: 4_099 }, (_, i) => (i * 2654435761) >>> 13);
    const large = new Uint8Array(Buffer.alloc(10 * 2 ** 20, pattern));
    await blobs.put('large', large);
    expect(Buffer.compare(await blobs.get('large'), large)).toBe(0);
  });

  it('lists more keys than a page holds', async () => {
    const keys = Array.from({ length: many }, (_, i) => `many/${String(i).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => blobs.put(key, bytes(key))));
    expect(await blobs.list('many/')).toEqual(keys);
    expect(await blobs.list('many/004')).toEqual(keys.slice(40, 50));
  });
};

/** Runs all of it; `open` gives an empty store each time, after the hooks of whoever calls this. */
export const blobsContract = (name: string, open: () => Blobs, size: ContractSize = {}): void => {
  describe(`blobs: ${name}`, () => suite(open, size));
};
