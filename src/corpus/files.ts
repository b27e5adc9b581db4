/** Files of a corpus: written whole or not at all, and disk trouble said in one line. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse, stringify } from 'yaml';
import { TreadleError } from '../errors.js';

const NEXT: Record<string, [string, string]> = {
  ENOSPC: ['disk_full', 'Free some space and run the same command again: it goes on where it stopped.'],
  EDQUOT: ['disk_full', 'Free some space and run the same command again: it goes on where it stopped.'],
  EROFS: ['read_only', 'Choose another folder with --out, or make this one writable.'],
  EACCES: ['read_only', 'Choose another folder with --out, or make this one writable.'],
  EPERM: ['read_only', 'Choose another folder with --out, or make this one writable.'],
  EFBIG: ['disk_full', 'Raise the limit on file sizes (ulimit -f) and run the same command again: it goes on where it stopped.'],
  ENOTDIR: ['not_a_folder', 'Choose another folder with --out.'],
  EISDIR: ['not_a_file', 'Move the folder of that name away.'],
  EMFILE: ['too_many_files', 'Raise the limit of open files (ulimit -n).'],
};

/** A file-system failure as a TreadleError with the path and the next step; anything else is thrown on. */
export const diskError = (thrown: unknown, path: string): TreadleError => {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? '';
  const [name, next] = NEXT[code] ?? [
    code === 'ENOENT' ? 'missing_file' : 'disk_error',
    'Build the corpus again into a new folder.',
  ];
  const message = thrown instanceof Error ? thrown.message.split(',')[0] : String(thrown);
  return new TreadleError({
    code: name,
    message: `Cannot use ${path}: ${message}`,
    value: path,
    next,
    fault: name === 'disk_error' ? 'infrastructure' : 'input',
    cause: thrown,
  });
};

/** Writes beside the target and renames, so that a reader or a crash never meets half a file. */
export const writeWhole = (path: string, data: string | Uint8Array): void => {
  const part = `${path}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(part, data);
    renameSync(part, path);
  } catch (thrown) {
    try {
      rmSync(part, { force: true });
    } catch {
      // The first failure is the one to report.
    }
    throw diskError(thrown, path);
  }
};

export const writeJson = (path: string, value: unknown): void =>
  writeWhole(path, `${JSON.stringify(value, null, 1)}\n`);
export const writeYaml = (path: string, value: unknown): void =>
  writeWhole(path, stringify(value, { lineWidth: 120, aliasDuplicateObjects: false }));

/** The bytes of a file; throws `missing_file` or what the disk says. */
export const readBytes = (path: string): Uint8Array => {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (thrown) {
    throw diskError(thrown, path);
  }
};

/** Reads JSON or, by its ending, YAML; a file that is cut off or edited wrongly is `unreadable_file`. */
export const readData = (path: string): unknown => {
  const text = Buffer.from(readBytes(path)).toString('utf8');
  try {
    return path.endsWith('.yaml') ? parse(text) : JSON.parse(text);
  } catch (thrown) {
    const message = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
    throw new TreadleError({
      code: 'unreadable_file',
      message: `${path} cannot be read: ${message}`,
      value: path,
      next: 'Delete the file and run the command that made it again.',
    });
  }
};

export const exists = (path: string): boolean => existsSync(path);
