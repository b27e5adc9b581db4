/** A folder's copy, all or nothing: bounded, without following links, without what is no file, folder or link. */
import { chmod, constants, copyFile, lstat, mkdir, opendir, readlink, symlink, utimes } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { TreadleError } from '../../errors.js';
import { claimFolder, folderFailure, removeFolder } from './folders.js';

export interface FolderLimits {
  /** Of all files together. */
  bytes: number;
  /** Files, folders and links. */
  entries: number;
}

export const FOLDER_LIMITS: FolderLimits = { bytes: 256 * 1024 * 1024, entries: 100_000 };
/** Deeper paths are not possible on most systems anyhow, and this recurses. */
const DEEPEST = 128;

/** Paths are held one character a byte: names that are no UTF-8 must survive, and be no reason to fail. */
const raw = (path: string): Buffer => Buffer.from(path, 'latin1');
const bytewise = (path: string): string => Buffer.from(path, 'utf8').toString('latin1');

interface Found {
  path: string;
  kind: 'file' | 'folder' | 'link';
  mode: number;
  mtime: Date;
}

const tooLarge = (folder: string, what: string): TreadleError =>
  new TreadleError({
    code: 'folder_too_large',
    message: `The folder holds more than ${what}, and is not copied`,
    value: folder,
    next: 'Delete what is not needed, or raise the limit',
    fault: 'agent',
  });

/** What there is to copy, parents first. Throws `folder_too_large` before anything is written. */
const survey = async (folder: string, limits: FolderLimits): Promise<Found[]> => {
  const found: Found[] = [];
  let bytes = 0;
  const walk = async (at: string, depth: number): Promise<void> => {
    if (depth > DEEPEST) throw tooLarge(folder, `${DEEPEST} folders inside one another`);
    for await (const entry of await opendir(raw(join(folder, at)), { encoding: 'latin1' as BufferEncoding })) {
      const path = join(at, entry.name);
      const { mode, mtime, size } = await lstat(raw(join(folder, path)));
      // Sockets, pipes and devices are a process's, and do not outlive it.
      const kind = entry.isDirectory()
        ? 'folder'
        : entry.isFile()
          ? 'file'
          : entry.isSymbolicLink()
            ? 'link'
            : undefined;
      if (kind === undefined) continue;
      found.push({ path, kind, mode: mode & 0o7777, mtime });
      if (found.length > limits.entries) throw tooLarge(folder, `${limits.entries} entries`);
      // What a file says it holds, so that a sparse one cannot hide its size.
      if (kind === 'file') bytes += size;
      if (bytes > limits.bytes) throw tooLarge(folder, `${limits.bytes} bytes`);
      if (kind === 'folder') await walk(path, depth + 1);
    }
  };
  await walk('', 0);
  return found;
};

/** Where a link of the copy leads: an absolute one into the folder becomes relative, or the copy would share with its origin. */
const linkTarget = (folder: string, path: string, target: string): string => {
  const at = dirname(join(folder, path));
  const leads = resolve(at, target);
  const isInside = leads === folder || leads.startsWith(folder + sep);
  return target.startsWith(sep) && isInside ? relative(at, leads) || '.' : target;
};

const copyOne = async (from: string, to: string, found: Found): Promise<void> => {
  const { path, kind, mode, mtime } = found;
  const [source, copy] = [raw(join(from, path)), raw(join(to, path))];
  if (kind === 'folder') await mkdir(copy, { mode: 0o700 });
  else if (kind === 'link') await symlink(raw(linkTarget(from, path, await readlink(source, 'latin1'))), copy);
  else {
    await copyFile(source, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(copy, mode);
    await utimes(copy, mtime, mtime);
  }
};

const copyFailure = (thrown: unknown, from: string): TreadleError => {
  if (thrown instanceof TreadleError) return thrown;
  if ((thrown as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return tooLarge(from, 'paths that the system takes');
  return folderFailure('The folder could not be copied', from, thrown);
};

/**
 * Copies what is in `from` to `to`, which must be absent or empty. Permissions and times are kept; links are copied as links and
 * never followed. Nothing may write to `from` meanwhile. Throws `folder_too_large`, `folder_not_empty`, `disk_full` or
 * `folder_failed`, and then leaves nothing of the copy behind.
 */
export const copyFolder = async (from: string, to: string, limits: FolderLimits = FOLDER_LIMITS): Promise<void> => {
  if (!relative(resolve(from), resolve(to)).startsWith('..'))
    throw new TreadleError({ code: 'folder_failed', message: 'A folder cannot be copied into itself', value: to });
  await claimFolder(to);
  const [source, copy] = [bytewise(resolve(from)), bytewise(resolve(to))];
  try {
    const found = await survey(source, limits);
    for (const one of found) await copyOne(source, copy, one);
    // Last and from the inside out: a folder may forbid writing, and its time changes with what is put into it.
    for (const { path, kind, mode, mtime } of found.reverse()) {
      if (kind !== 'folder') continue;
      await chmod(raw(join(copy, path)), mode);
      await utimes(raw(join(copy, path)), mtime, mtime);
    }
  } catch (thrown) {
    await removeFolder(to).catch(() => {});
    throw copyFailure(thrown, from);
  }
};
