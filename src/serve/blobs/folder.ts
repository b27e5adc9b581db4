/**
 * Blobs as files of a folder, a file each. Key `a/b` is the file `a.d/b.b`, so that `a` can be a key beside it; what is being
 * written lies in `parts/` and is renamed when it is whole.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Blobs } from './blobs.js';
import { diskFailure, systemCode } from './disk.js';
import { foldersOfPrefix, noBlob, partsOfKey } from './keys.js';
import { runs } from './process.js';

/** Parts that this process is writing. */
const writing = new Set<string>();

/** Takes away what a killed process left half written. */
const sweep = (parts: string): void => {
  for (const name of readdirSync(parts)) {
    const pid = Number(name.split('-')[0]);
    const isOurs = pid === process.pid;
    if (isOurs ? !writing.has(name) : !runs(pid)) rmSync(join(parts, name), { force: true });
  }
};

const folderOf = (names: readonly string[]): string => names.map((name) => `${name}.d`).join('/');

/** A put and the delete that takes an emptied folder away may cross. */
const MOST_TRIES = 5;

/** A name is on the disk once its folder is. One that a delete took away meanwhile needs to be nowhere. */
const settle = async (folder: string): Promise<void> => {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw thrown;
  }
};

/** `sync`: every write waits for the disk, the names of files too. Throws `disk_full`, `blob_failed`. */
export const folderBlobs = (folder: string, sync = false): Blobs => {
  const parts = join(folder, 'parts');
  try {
    mkdirSync(parts, { recursive: true });
    sweep(parts);
  } catch (thrown) {
    throw diskFailure(thrown, 'open the folder of blobs', 'blob_failed');
  }
  const pathOf = (key: string): string => {
    const names = partsOfKey(key);
    return join(folder, folderOf(names.slice(0, -1)), `${names.at(-1)}.b`);
  };

  const foldersOf = (key: string): string[] => {
    const names = partsOfKey(key).slice(0, -1);
    return names.map((_, depth) => join(folder, folderOf(names.slice(0, depth + 1))));
  };

  const place = async (part: string, path: string, tries = 1): Promise<void> => {
    try {
      await mkdir(dirname(path), { recursive: true });
      await rename(part, path);
    } catch (thrown) {
      if (systemCode(thrown) !== 'ENOENT' || tries >= MOST_TRIES) throw thrown;
      await place(part, path, tries + 1);
    }
  };

  const write = async (part: string, bytes: Uint8Array): Promise<void> => {
    const file = await open(part, 'wx');
    try {
      await file.writeFile(bytes);
      if (sync) await file.sync();
    } finally {
      await file.close();
    }
  };

  /** Keys in a folder and below, in no order. */
  const walk = async (under: string, before: string): Promise<string[]> => {
    const found = await readdir(under, { withFileTypes: true }).catch((thrown: unknown) => {
      if (systemCode(thrown) === 'ENOENT') return [];
      throw diskFailure(thrown, 'list the blobs', 'blob_failed');
    });
    const nested = found.map(async (entry) => {
      const name = entry.name.slice(0, -2);
      if (entry.isFile() && entry.name.endsWith('.b')) return [before + name];
      return entry.isDirectory() && entry.name.endsWith('.d') ? walk(join(under, entry.name), `${before}${name}/`) : [];
    });
    return (await Promise.all(nested)).flat();
  };

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const name = `${process.pid}-${randomUUID()}`;
      const part = join(parts, name);
      writing.add(name);
      try {
        await write(part, bytes);
        await place(part, path);
        // Every one of them may just have been made, by this put or by another that does not wait for this one.
        if (sync) await Promise.all([folder, ...foldersOf(key)].map(settle));
      } catch (thrown) {
        await rm(part, { force: true });
        throw diskFailure(thrown, 'write the blob', 'blob_failed');
      } finally {
        writing.delete(name);
      }
    },
    async get(key) {
      const path = pathOf(key);
      try {
        return await readFile(path);
      } catch (thrown) {
        throw systemCode(thrown) === 'ENOENT' ? noBlob(key) : diskFailure(thrown, 'read the blob', 'blob_failed');
      }
    },
    async list(prefix) {
      const within = foldersOfPrefix(prefix);
      const before = within.map((name) => `${name}/`).join('');
      const keys = await walk(join(folder, folderOf(within)), before);
      return keys.filter((key) => key.startsWith(prefix)).sort();
    },
    async delete(key) {
      const names = partsOfKey(key);
      try {
        await rm(pathOf(key), { force: true });
      } catch (thrown) {
        throw diskFailure(thrown, 'delete the blob', 'blob_failed');
      }
      for (let depth = names.length - 1; depth > 0; depth--) {
        const emptied = await rmdir(join(folder, folderOf(names.slice(0, depth)))).then(
          () => true,
          () => false,
        );
        if (!emptied) return;
      }
    },
  };
};
