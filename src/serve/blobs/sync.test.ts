/** What a folder of blobs has put on the disk before it says that a blob is kept. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bytes } from './contract.fixture.js';
import { folderBlobs } from './folder.js';

const done = vi.hoisted(() => [] as [string, string][]);

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    open: async (path: string, flags?: string) => {
      const handle = await real.open(path, flags);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        await sync();
        done.push(['sync', path]);
      };
      return handle;
    },
    rename: async (from: string, to: string) => {
      await real.rename(from, to);
      done.push(['rename', to]);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-sync-'));
  done.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the bytes before the name, and the names of all folders above it', async () => {
  await folderBlobs(folder, true).put('sessions/s/1/k', bytes('x'));
  const [bytesFirst, thenName, ...folders] = done.map(([what, path]) => `${what} ${relative(folder, path)}`);
  expect(bytesFirst).toMatch(/^sync parts\//);
  expect(thenName).toBe('rename sessions.d/s.d/1.d/k.b');
  expect(folders.sort()).toEqual(['sync ', 'sync sessions.d', 'sync sessions.d/s.d', 'sync sessions.d/s.d/1.d']);
});

it('nothing where nobody asked for it', async () => {
  await folderBlobs(folder).put('a/b', bytes('x'));
  expect(done.map(([what]) => what)).toEqual(['rename']);
});
