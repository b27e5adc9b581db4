/** The folder in which a server keeps what left its memory. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TreadleError } from '../../../errors.js';

/** Throws `cannot_write` where the folder cannot be made. */
export const serverFolder = (folder: string | undefined): { folder: string; isOurs: boolean } => {
  try {
    if (folder === undefined) return { folder: mkdtempSync(join(tmpdir(), 'treadle-serve-')), isOurs: true };
    mkdirSync(folder, { recursive: true });
    return { folder, isOurs: false };
  } catch (cause) {
    throw new TreadleError({
      code: 'cannot_write',
      message: 'The server’s data folder cannot be made',
      value: folder ?? tmpdir(),
      next: 'Name a folder that you may write to.',
      fault: 'infrastructure',
      cause,
    });
  }
};
