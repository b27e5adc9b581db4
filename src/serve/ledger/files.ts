/** The few file operations that segments need; tests put a failing disk in their place. */
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SegmentFiles {
  /** A new empty file, open for reading and writing. */
  open(folder: string, name: string): number;
  /** Bytes written, perhaps fewer than asked for. */
  write(file: number, bytes: Uint8Array, position: number): number;
  /** Bytes read, 0 at the end. */
  read(file: number, into: Uint8Array, position: number): number;
  truncate(file: number): void;
  close(file: number): void;
}

/**
 * Files lose their name as soon as they are open: the disk gets their room back when they are closed or the process dies in
 * whatever way, and nobody can remove them from under it.
 */
export const diskFiles: SegmentFiles = {
  open(folder, name) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    const file = openSync(path, 'wx+', 0o600);
    try {
      unlinkSync(path);
    } catch {
      // A file system that keeps open files by name: it stays until somebody empties the folder.
    }
    return file;
  },
  write: (file, bytes, position) => writeSync(file, bytes, 0, bytes.length, position),
  read: (file, into, position) => readSync(file, into, 0, into.length, position),
  truncate: (file) => ftruncateSync(file, 0),
  close: (file) => closeSync(file),
};
