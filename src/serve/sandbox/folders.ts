/** Folders that belong to one session: claimed when they are empty, and removed whatever their permissions are. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, opendir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TreadleError } from '../../errors.js';

export const folderFailure = (message: string, folder: string, cause: unknown): TreadleError => {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new TreadleError({
    code: isFull ? 'disk_full' : 'folder_failed',
    message: `${message}: ${isFull ? 'the disk is full' : (code ?? String(cause))}`,
    value: folder,
    next: isFull ? 'Free some space and try again' : 'Check the folder and its permissions',
    fault: 'infrastructure',
    isRetryable: isFull,
    cause,
  });
};

/** Creates the folder, for us alone. Throws `folder_not_empty` where there is something in it already. */
export const claimFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const listing = await opendir(folder);
    const first = await listing.read();
    await listing.close();
    if (first === null) return;
  } catch (thrown) {
    throw folderFailure('The folder could not be made', folder, thrown);
  }
  throw new TreadleError({
    code: 'folder_not_empty',
    message: 'A session needs a folder with nothing in it, since it is removed at the end',
    value: folder,
    next: 'Name one that does not exist',
  });
};

const openUp = async (folder: string): Promise<void> => {
  await chmod(folder, 0o700).catch(() => {});
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await openUp(join(folder, entry.name));
};

/** Removes the folder and all in it, folders without permissions too; links are removed, not followed. */
export const removeFolder = async (folder: string): Promise<void> => {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 2, retryDelay: 20 });
  try {
    await remove();
  } catch {
    await openUp(folder);
    // rm(1) goes down step by step, and so removes paths that are longer than the system takes.
    await promisify(execFile)('rm', ['-rf', '--', folder]).catch((thrown) => {
      throw folderFailure('The folder could not be removed', folder, thrown);
    });
  }
};

/** `next` takes the place of `folder`, which is removed. */
export const replaceFolder = async (folder: string, next: string): Promise<void> => {
  const old = `${folder}.old`;
  try {
    await removeFolder(old);
    await rename(folder, old);
    await rename(next, folder).catch(async (thrown) => {
      await rename(old, folder);
      throw thrown;
    });
  } catch (thrown) {
    throw folderFailure('The folder could not be replaced', folder, thrown);
  }
  await removeFolder(old);
};
