/** One process at a time in a folder. A claim names its process and when that began, so a killed one's claim is known to be void. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '../../errors.js';
import { diskFailure } from './disk.js';
import { runs, startOf } from './process.js';

const CLAIM = /^([0-9]+)-([0-9]+)-([0-9a-f-]{36})$/;

/** Claims that this process holds: its own number may also have been that of a process before it. */
const held = new Set<string>();

const isLive = (claim: string): boolean => {
  const [, pid, start] = CLAIM.exec(claim) ?? [];
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return held.has(claim);
  return runs(Number(pid)) && startOf(Number(pid)) === start;
};

/**
 * Claims the folder and answers with its release. The claim is a file that stands before the others are looked at, so two that
 * come at once may both be refused and never both be let in. Guards processes of one machine. `what` the folder holds is said to
 * people. Throws `folder_in_use`, `disk_full`, and `failed` where the folder cannot be written.
 */
export const lockFolder = (folder: string, what: string, failed: string): (() => void) => {
  const locks = join(folder, 'lock');
  const own = `${process.pid}-${startOf(process.pid)}-${randomUUID()}`;
  const release = (): void => {
    held.delete(own);
    try {
      rmSync(join(locks, own), { force: true });
    } catch {
      // A claim that nobody holds is void, whether its file is there or not.
    }
  };
  try {
    mkdirSync(locks, { recursive: true });
    writeFileSync(join(locks, own), '', { flag: 'wx' });
    held.add(own);
    for (const claim of readdirSync(locks)) {
      if (claim === own) continue;
      if (isLive(claim)) {
        throw new TreadleError({
          code: 'folder_in_use',
          message: `Another process has this ${what} open`,
          value: `process ${claim.split('-')[0]}`,
          next: 'Stop it, or give this server a folder of its own.',
        });
      }
      rmSync(join(locks, claim), { force: true });
    }
  } catch (thrown) {
    release();
    throw thrown instanceof TreadleError ? thrown : diskFailure(thrown, 'lock the folder', failed);
  }
  return release;
};
