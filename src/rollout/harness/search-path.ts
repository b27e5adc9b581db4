/** Where programs are looked for, and what must be readable for them to run. */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { TreadleError } from '../../errors.js';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** The folders of the search path, `first` before them. */
export const searchPath = (first: readonly string[] = [], path = process.env.PATH ?? ''): string[] => [
  ...first,
  ...path.split(delimiter).filter((folder) => isAbsolute(folder)),
];

/** Absolute path of a program; undefined where there is none. */
export const findProgram = (name: string, folders: readonly string[]): string | undefined => {
  if (name.includes('/')) return isProgram(name) ? resolve(name) : undefined;
  return folders.map((folder) => join(folder, name)).find(isProgram);
};

/** Throws `harness_not_found`. */
export const programOf = (name: string, folders: readonly string[]): string => {
  const found = findProgram(name, folders);
  if (found !== undefined) return found;
  throw new TreadleError({
    code: 'harness_not_found',
    message: 'There is no such program',
    value: name,
    next: 'Check its spelling and that it is executable; `treadle doctor` lists the harnesses that are found.',
    fault: 'infrastructure',
  });
};

/** A folder of the search path needs what lies beside it: `~/.pyenv/shims` its versions, `bin` its `lib`. */
const installation = (folder: string): string => {
  const above = dirname(folder);
  const isPart = ['bin', 'sbin', 'shims'].includes(basename(folder));
  return isPart && !isTooMuch(above) ? above : folder;
};

/** Folders that hold more than any program needs. */
export const isTooMuch = (folder: string): boolean =>
  resolve(folder) === '/' || `${resolve(homedir())}/`.startsWith(`${resolve(folder)}/`);

/** What programs of these folders read, as far as it can be told. */
export const installations = (folders: readonly string[]): string[] => [
  ...new Set(folders.map((folder) => installation(resolve(folder))).filter((folder) => !isTooMuch(folder))),
];
