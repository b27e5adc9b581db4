/** What a page log asks of the file system; a test may let it fail. Every method throws what the system throws. */
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface LogFiles {
  /** Makes the folder, and those over it, where they are not there. Answers with the names in it. */
  folder(path: string): string[];
  /** A new file; one that is there already is an error. */
  create(path: string): number;
  /** Answers with how many bytes were written, which may be fewer. */
  write(file: number, bytes: Uint8Array, from: number, length: number, position: number): number;
  truncate(file: number, size: number): void;
  close(file: number): void;
  remove(path: string): void;
  /** Waits until what was written is on the disk. */
  sync(file: number): Promise<void>;
  /** As `sync`, of a file that is not open, or a folder and the names in it. */
  syncPath(path: string): Promise<void>;
  syncPathNow(path: string): void;
  /** False once it was deleted: it can be written all the same, and is gone when it is closed. */
  hasName(file: number): boolean;
}

const dataSync = promisify(fdatasync);

export const diskFiles: LogFiles = {
  folder(path) {
    mkdirSync(path, { recursive: true });
    return readdirSync(path);
  },
  create: (path) => openSync(path, 'wx'),
  write: writeSync,
  truncate: ftruncateSync,
  close: closeSync,
  remove: (path) => rmSync(path, { force: true }),
  sync: (file) => dataSync(file),
  async syncPath(path) {
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  },
  syncPathNow(path) {
    const file = openSync(path, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  hasName: (file) => fstatSync(file).nlink > 0,
};
