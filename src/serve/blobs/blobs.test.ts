/** The contract of blobs, over every implementation. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from './blobs.js';
import { folderBlobs } from './folder.js';
import { memoryBlobs } from './memory.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const text = async (blobs: Blobs, key: string): Promise<string> => Buffer.from(await blobs.get(key)).toString();
const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing thrown',
    (thrown: { code: string }) => thrown.code,
  );

const IMPLEMENTATIONS: Record<string, () => Blobs> = {
  memory: memoryBlobs,
  folder: () => folderBlobs(folder),
  'folder, waiting for the disk': () => folderBlobs(folder, true),
};

describe.each(Object.entries(IMPLEMENTATIONS))('blobs: %s', (_, open) => {
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
      { numRuns: 40 },
    );
  });
});

describe('a folder of blobs', () => {
  it('is the same when it is opened again, and loses what a killed writer left', async () => {
    await folderBlobs(folder).put('a/b', bytes('kept'));
    writeFileSync(join(folder, 'parts', '999999999-x'), 'half');
    writeFileSync(join(folder, 'parts', `${process.pid}-of-a-process-before`), 'half');
    writeFileSync(join(folder, 'parts', `${process.ppid}-alive`), 'half');
    const again = folderBlobs(folder);
    expect(await text(again, 'a/b')).toBe('kept');
    expect(readdirSync(join(folder, 'parts'))).toEqual([`${process.ppid}-alive`]);
  });
  it('leaves no empty folders behind', async () => {
    const blobs = folderBlobs(folder);
    await blobs.put('a/b/c', bytes('x'));
    await blobs.delete('a/b/c');
    expect(readdirSync(folder)).toEqual(['parts']);
  });
  it('says what the disk says', async () => {
    writeFileSync(join(folder, 'in-the-way'), '');
    expect(() => folderBlobs(join(folder, 'in-the-way'))).toThrow(expect.objectContaining({ code: 'blob_failed' }));
    const blobs = folderBlobs(join(folder, 'store'));
    writeFileSync(join(folder, 'store', 'a.d'), '');
    expect(await code(blobs.put('a/b', bytes('x')))).toBe('blob_failed');
    expect(await code(blobs.get('a/b'))).toMatch(/blob_failed/);
    expect(readdirSync(join(folder, 'store', 'parts'))).toEqual([]);
    expect(existsSync(join(folder, 'store', 'a.d', 'b.b'))).toBe(false);
  });
});
