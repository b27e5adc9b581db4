/** Files of a corpus: written whole or not at all, and disk trouble said in one line. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { TreadleError } from '../errors.js';
import { deepFreeze } from '../kit/hash.js';
import { forgetParsed, PARSED, parsedLines, parsedWithout, type Written, yamlValue } from './parsed.js';

const ROOM = 'Free some space and run the same command again: it goes on where it stopped.';
const ELSEWHERE = 'Choose another folder with --out, or make this one writable.';

/** What the system calls it: our code for it and what to do. */
const NEXT: Record<string, [string, string]> = {
  ENOSPC: ['disk_full', ROOM],
  EDQUOT: ['disk_full', ROOM],
  EFBIG: [
    'disk_full',
    'Raise the limit on file sizes (ulimit -f) and run the same command again: it goes on where it stopped.',
  ],
  EROFS: ['read_only', ELSEWHERE],
  EACCES: ['read_only', ELSEWHERE],
  EPERM: ['read_only', ELSEWHERE],
  ENOTDIR: ['not_a_folder', 'A file is in the way: choose another folder with --out.'],
  EEXIST: ['not_a_folder', 'A file is in the way: choose another folder with --out.'],
  EISDIR: ['not_a_file', 'Move the folder of that name away.'],
  ENOTEMPTY: ['not_a_file', 'Move the folder of that name away.'],
  ELOOP: ['link_loop', 'Its links lead in a circle: choose another folder with --out.'],
  ENAMETOOLONG: ['bad_path', 'Choose a shorter path with --out.'],
  EMFILE: ['too_many_files', 'Raise the limit of open files (ulimit -n).'],
  ENFILE: ['too_many_files', 'Raise the limit of open files (ulimit -n).'],
};

const MISSING: [string, string] = ['missing_file', 'Build the corpus again into a new folder.'];
const TROUBLE: [string, string] = ['disk_error', 'Choose another folder with --out.'];

/** A file-system failure as a TreadleError with the path and the next step. */
export const diskError = (thrown: unknown, path: string, doing: 'read' | 'write'): TreadleError => {
  const system = (thrown as NodeJS.ErrnoException | undefined)?.code ?? '';
  const [code, next] =
    system === 'EACCES' && doing === 'read'
      ? ['unreadable_file', 'Make it readable for this user.']
      : (NEXT[system] ?? (system === 'ENOENT' && doing === 'read' ? MISSING : TROUBLE));
  const said = thrown instanceof Error ? (thrown.message.split(',')[0] as string) : String(thrown);
  return new TreadleError({
    code,
    message: `Cannot ${doing} ${path}: ${said}`,
    value: path,
    next,
    fault: code === 'disk_error' ? 'infrastructure' : 'input',
    cause: thrown,
  });
};

/** Makes a folder and those above it, one by one: where nothing can be made (/proc), `recursive` never returns. */
const mkdirs = (dir: string): void => {
  if (exists(dir)) return;
  const above = dirname(dir);
  if (above !== dir) mkdirs(above);
  try {
    mkdirSync(dir);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(dir).isDirectory()) throw thrown;
  }
};

/** The same; throws what the disk says. */
export const makeFolder = (dir: string): void => {
  try {
    mkdirs(dir);
  } catch (thrown) {
    throw diskError(thrown, dir, 'write');
  }
};

/** Writes beside the target and renames, so that a reader or a crash never meets half a file. */
export const writeWhole = (path: string, data: string | Uint8Array): void => {
  const part = `${path}.part`;
  try {
    mkdirs(dirname(path));
    writeFileSync(part, data);
    renameSync(part, path);
  } catch (thrown) {
    try {
      rmSync(part, { force: true });
    } catch {
      // The first failure is the one to report.
    }
    throw diskError(thrown, path, 'write');
  }
};

export const writeJson = (path: string, value: unknown): void =>
  writeWhole(path, `${JSON.stringify(value, null, 1)}\n`);
export const yamlOf = (value: unknown): Written => ({
  text: stringify(value, { lineWidth: 120, aliasDuplicateObjects: false }),
  value,
});

/** Tells what it wrote, for `writeParsed`. */
export const writeYaml = (path: string, value: unknown): Written => {
  const written = yamlOf(value);
  writeWhole(path, written.text);
  return written;
};

/** Writes what the folder's YAML says a second time, for quick reading. */
export const writeParsed = (dir: string, files: readonly Written[]): void => {
  writeWhole(join(dir, PARSED), parsedLines(files));
  forgetParsed(dir);
};

/** Takes YAML files away, and what was written of them a second time. */
export const removeYaml = (dir: string, names: readonly string[]): void => {
  const paths = names.map((name) => join(dir, name));
  const parsed = parsedWithout(dir, paths.map(readBytes));
  removeFiles(paths);
  writeWhole(join(dir, PARSED), parsed);
  forgetParsed(dir);
};

/** The bytes of a file; throws `missing_file` or what the disk says. */
export const readBytes = (path: string): Uint8Array => {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (thrown) {
    throw diskError(thrown, path, 'read');
  }
};

/** YAML as last parsed, by path: parsing is dear, and a build's report and rows come back to the same files. */
const parsedYaml = new Map<string, { text: string; value: unknown }>();
const MOST_PARSED = 4096;

const parseYaml = (path: string, text: string): unknown => {
  const known = parsedYaml.get(path);
  if (known?.text === text) return known.value;
  const value = yamlValue(path, text);
  if (parsedYaml.size >= MOST_PARSED) parsedYaml.clear();
  parsedYaml.set(path, { text, value: deepFreeze(value) });
  return value;
};

/** Reads JSON or, by its ending, YAML; a file that is cut off or edited wrongly is `unreadable_file`. */
export const readData = (path: string): unknown => {
  const text = Buffer.from(readBytes(path)).toString('utf8');
  try {
    return path.endsWith('.yaml') ? parseYaml(path, text) : JSON.parse(text);
  } catch (thrown) {
    throw unreadable(path, thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown));
  }
};

/** A file that is there and makes no sense. */
export const unreadable = (path: string, why: string): TreadleError =>
  new TreadleError({
    code: 'unreadable_file',
    message: `${path} cannot be read: ${why}`,
    value: path,
    next: 'Delete the file and run the command that made it again.',
  });

export const exists = (path: string): boolean => existsSync(path);

/** Names in a folder, sorted; none when it is not there. */
export const namesIn = (dir: string): string[] => {
  if (!exists(dir)) return [];
  try {
    return readdirSync(dir).sort();
  } catch (thrown) {
    throw diskError(thrown, dir, 'read');
  }
};

/** Takes files away that no longer belong. */
export const removeFiles = (paths: readonly string[]): void => {
  for (const path of paths) {
    try {
      rmSync(path, { force: true });
    } catch (thrown) {
      throw diskError(thrown, path, 'write');
    }
  }
};
