/** Bytes by their own SHA-256: contents of records, and the snapshots and images of worlds. In memory or in a folder. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { diskFailure, readIfThere, replaceFile } from '../blobs/disk.js';
import { isHash } from './names.js';

export interface ByteStore {
  /** Keeps the bytes and answers with their address; a damaged copy is replaced. Throws `disk_full`. */
  put(bytes: Uint8Array): string;
  /** Undefined when they are not here; throws `changed_content` when they are no longer what they were. */
  get(hash: string): Uint8Array | undefined;
  has(hash: string): boolean;
  delete(hash: string): void;
}

export const memoryBytes = (): ByteStore => {
  const kept = new Map<string, Uint8Array>();
  return {
    put(bytes) {
      const hash = sha256(bytes);
      if (!kept.has(hash)) kept.set(hash, new Uint8Array(bytes));
      return hash;
    },
    get: (hash) => kept.get(hash),
    has: (hash) => kept.has(hash),
    delete: (hash) => void kept.delete(hash),
  };
};

/**
 * What another process keeps in its folder, read here and never written: `keep` is told what should be, and is that process's to do.
 * Throws as the folder's own store.
 */
export const followedBytes = (folder: string, keep: (bytes: Uint8Array) => void): ByteStore => {
  const known = readFolder(folder);
  return {
    ...known,
    put(bytes) {
      const hash = sha256(bytes);
      if (!known.has(hash)) keep(bytes);
      return hash;
    },
    delete: () => undefined,
  };
};

export const changedContent = (hash: string, found: string): TreadleError =>
  new TreadleError({
    code: 'changed_content',
    message: `What is kept under ${hash.slice(0, 12)} is not what was published: it is now ${found.slice(0, 12)}`,
    value: hash,
    next: 'Publish the content again; a corpus that was rebuilt in place is published again as a whole.',
    fault: 'infrastructure',
  });

const fileOf = (folder: string, hash: string): string => join(folder, hash.slice(0, 2), hash);

const readFolder = (folder: string): Pick<ByteStore, 'get' | 'has'> => ({
  get(hash) {
    if (!isHash(hash)) return undefined;
    let bytes: Uint8Array | undefined;
    try {
      bytes = readIfThere(fileOf(folder, hash));
    } catch (thrown) {
      throw diskFailure(thrown, 'read the content', 'registry_failed');
    }
    if (bytes === undefined) return undefined;
    const found = sha256(bytes);
    if (found !== hash) throw changedContent(hash, found);
    return bytes;
  },
  has: (hash) => isHash(hash) && existsSync(fileOf(folder, hash)),
});

/**
 * One file each, under the first two digits of its address; what a killed process was writing in `parts/` is taken away, so one
 * process must have the folder alone. `sync`: every write waits for the disk. Throws `disk_full`, `registry_failed`.
 */
export const folderBytes = (folder: string, sync = false): ByteStore => {
  const parts = join(folder, 'parts');
  let written = 0;
  try {
    rmSync(parts, { recursive: true, force: true });
    mkdirSync(parts, { recursive: true });
  } catch (thrown) {
    throw diskFailure(thrown, 'open the folder of contents', 'registry_failed');
  }
  const at = (hash: string): string => fileOf(folder, hash);
  return {
    ...readFolder(folder),
    put(bytes) {
      const hash = sha256(bytes);
      try {
        const there = readIfThere(at(hash));
        if (there === undefined || sha256(there) !== hash)
          replaceFile(join(parts, String(++written)), at(hash), bytes, sync);
      } catch (thrown) {
        throw diskFailure(thrown, 'keep the content', 'registry_failed');
      }
      return hash;
    },
    delete: (hash) => {
      if (isHash(hash)) rmSync(at(hash), { force: true });
    },
  };
};
