/** A data folder's own secret: sessions that are opened under a key have their ids and tokens from both (`sessions/server/grants.ts`). */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { diskFailure, readIfThere, writeAll } from '../blobs/disk.js';

const BYTES = 32;

/**
 * Drawn when there is none, and for its owner's eyes alone. One that is damaged is drawn anew: keys that were used before are new then.
 * Of who has the folder to itself. Throws `disk_full`, `secret_failed`.
 */
export const folderSecret = (folder: string): Uint8Array => {
  const path = join(folder, 'secret');
  const part = `${path}.part`;
  try {
    const found = readIfThere(path);
    if (found?.length === BYTES) return found;
    const drawn = randomBytes(BYTES);
    rmSync(part, { force: true });
    const file = openSync(part, 'wx', 0o600);
    try {
      writeAll(file, drawn);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
    return drawn;
  } catch (thrown) {
    throw diskFailure(thrown, "keep the data folder's secret", 'secret_failed');
  }
};
