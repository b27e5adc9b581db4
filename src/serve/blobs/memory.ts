/** Blobs in this process's memory: for tests, and for servers without a folder. */
import type { Blobs } from './blobs.js';
import { foldersOfPrefix, noBlob, partsOfKey } from './keys.js';

export const memoryBlobs = (): Blobs => {
  const kept = new Map<string, Uint8Array>();
  return {
    async put(key, bytes) {
      partsOfKey(key);
      kept.set(key, new Uint8Array(bytes));
    },
    async get(key) {
      partsOfKey(key);
      const bytes = kept.get(key);
      if (!bytes) throw noBlob(key);
      return new Uint8Array(bytes);
    },
    async list(prefix) {
      foldersOfPrefix(prefix);
      return [...kept.keys()].filter((key) => key.startsWith(prefix)).sort();
    },
    async delete(key) {
      partsOfKey(key);
      kept.delete(key);
    },
  };
};
