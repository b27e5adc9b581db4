/** The contract of blobs over those that need no server (S3: s3/moto.test.ts), and what is a folder's own. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blobsContract, bytes, code, text } from './contract.fixture.js';
import { folderBlobs } from './folder.js';
import { memoryBlobs } from './memory.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

blobsContract('memory', memoryBlobs);
blobsContract('folder', () => folderBlobs(folder));
blobsContract('folder, waiting for the disk', () => folderBlobs(folder, true));

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
