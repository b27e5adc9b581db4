/** export.json in a dataset's folder: the command that made it, so that a lockfile can tell how to make it again. */

import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../kit/hash.js';
import { diskError, exists, readBytes, writeJson } from '../files.js';
import { readListing } from '../listings.js';
import { Command, type LockedExport } from './lock.js';

export const RECORD = 'export.json';

const Record = z.strictObject({ treadle: z.literal('export/1'), version: z.string(), command: Command });

export const writeRecord = (dir: string, version: string, command: readonly string[]): void =>
  writeJson(join(dir, RECORD), { treadle: 'export/1', version, command });

/** Throws `unreadable_file`. */
export const readRecord = (dir: string): string[] => readListing(Record, join(dir, RECORD)).command;

const filesUnder = (dir: string): string[] => {
  try {
    return (readdirSync(dir, { recursive: true }) as string[])
      .filter((name) => statSync(join(dir, name)).isFile())
      .sort();
  } catch (thrown) {
    throw diskError(thrown, dir, 'read');
  }
};

/** Every file of a dataset by its path in it; undefined where there is no folder. */
export const datasetHashes = (dir: string): { [path: string]: string } | undefined => {
  if (!exists(dir)) return undefined;
  // What Python leaves beside the modules that it ran is not of the set.
  const own = filesUnder(dir).filter((name) => !name.split(sep).includes('__pycache__') && !name.endsWith('.part'));
  return Object.fromEntries(own.map((name) => [name.split(sep).join('/'), sha256(readBytes(join(dir, name)))]));
};

/** Files that the options of a command name. */
export const inputHashes = (command: readonly string[]): { [path: string]: string } =>
  Object.fromEntries(
    command
      .flatMap((arg) => (arg.startsWith('--') ? arg.split('=').slice(1) : arg))
      .filter((arg) => /[\\/.]/.test(arg) && exists(arg) && statSync(arg).isFile())
      .map((path) => [path, sha256(readBytes(path))]),
  );

/** An export as it is now. Throws `unreadable_file` and what the disk says. */
export const lockedExport = (corpusDir: string, dir: string): LockedExport => {
  const command = readRecord(dir);
  return {
    dir: relative(corpusDir, dir).split(sep).join('/') || '.',
    command,
    inputs: inputHashes(command),
    files: datasetHashes(dir) ?? {},
  };
};
