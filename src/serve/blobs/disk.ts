/** Files of a serving machine: written whole or not at all, and what the disk says as our errors. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { TreadleError } from '../../errors.js';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export const systemCode = (thrown: unknown): string => (thrown as NodeJS.ErrnoException | undefined)?.code ?? '';

/** There is no room on the disk, or not for us. */
export const isFull = (thrown: unknown): boolean => FULL.has(systemCode(thrown));

/** `disk_full` (retryable) where there is no room, else `code`; both of the infrastructure. Shows no machine path. */
export const diskFailure = (thrown: unknown, doing: string, code: string): TreadleError => {
  const system = systemCode(thrown) || 'unknown';
  const full = isFull(thrown);
  return new TreadleError({
    code: full ? 'disk_full' : code,
    message: full ? `There is no room on the disk: cannot ${doing}` : `Cannot ${doing}: ${system}`,
    value: system,
    next: full
      ? 'Free some space; nothing that was kept before is lost.'
      : "See that the server's folder can be written.",
    fault: 'infrastructure',
    isRetryable: full,
    cause: thrown,
  });
};

/** Writes all of it: a short write on a full disk is followed by one that throws. */
export const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at);
};

/** Writes `part` and renames it to `path`; `sync` also waits for the disk. Throws what the system throws, and leaves nothing. */
export const replaceFile = (part: string, path: string, bytes: Uint8Array, sync = false): void => {
  mkdirSync(dirname(path), { recursive: true });
  try {
    const file = openSync(part, 'wx');
    try {
      writeAll(file, bytes);
      if (sync) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  } catch (thrown) {
    rmSync(part, { force: true });
    throw thrown;
  }
};

/** Undefined when it is not there. */
export const readIfThere = (path: string): Uint8Array | undefined => {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
};
