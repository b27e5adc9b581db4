/** What the database says, as our errors. */
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '../../../errors.js';
import { diskFailure, systemCode } from '../../blobs/disk.js';
import type { FaultPoint, FaultPoints } from '../faults/fault-points.js';

export const FILE = 'store.db';

/** Bytes of the largest of the store's files, one that is being made counted. */
const largest = (folder: string): number =>
  Math.max(
    0,
    ...readdirSync(folder)
      .filter((name) => name.startsWith(FILE))
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
  );

const AHEAD = 65_536;

/** SQLite knows ENOSPC only; quotas and limits of a file's size it calls an I/O error. So one block is written a little beyond what is there. */
const hasRoom = (folder: string): boolean => {
  const probe = join(folder, 'room');
  try {
    const file = openSync(probe, 'w');
    try {
      writeSync(file, Buffer.alloc(4096), 0, 4096, largest(folder) + AHEAD);
    } finally {
      closeSync(file);
    }
    return true;
  } catch (thrown) {
    return diskFailure(thrown, '', '').code !== 'disk_full';
  } finally {
    rmSync(probe, { force: true });
  }
};

export const storeClosed = (): TreadleError =>
  new TreadleError({
    code: 'store_closed',
    message: 'The store is closed',
    next: 'The server is stopping: ask the one that is started next.',
    fault: 'infrastructure',
  });

export const damagedStore = (why: string): TreadleError =>
  new TreadleError({
    code: 'damaged_store',
    message: `The data folder's ${FILE} ${why}`,
    value: FILE,
    next: `Nothing in it was changed. Restore ${FILE} and ${FILE}-wal from a copy, or start with an empty data folder.`,
    fault: 'infrastructure',
  });

const codeOf = (thrown: unknown): string =>
  // libsql says why a file could not be opened in words only.
  /Unable to open connection/.test((thrown as Error | undefined)?.message ?? '')
    ? 'SQLITE_CANTOPEN'
    : systemCode(thrown);

export const isDamage = (thrown: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(thrown));

const failed = (message: string, next: string, thrown: unknown): TreadleError =>
  new TreadleError({
    code: 'store_failed',
    message,
    value: codeOf(thrown) || undefined,
    next,
    fault: 'infrastructure',
    cause: thrown,
  });

/** `disk_full` (retryable) where there is no room, else `store_failed`; a TreadleError stays what it is. Shows no machine path. */
export const storeFailure = (thrown: unknown, folder?: string): TreadleError => {
  if (thrown instanceof TreadleError) return thrown;
  const code = codeOf(thrown);
  if (isDamage(thrown))
    return failed(
      `The data folder's ${FILE} is damaged`,
      'Stop the server, keep a copy of the folder, restore it.',
      thrown,
    );
  const isOfDisk = /^(SQLITE_(FULL|IOERR|CANTOPEN|READONLY)|E[A-Z])/.test(code);
  if (!isOfDisk) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    return failed(`The store did not do it: ${said}`, 'This is a defect: please report it.', thrown);
  }
  const isFull =
    code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && folder !== undefined && !hasRoom(folder));
  return diskFailure(
    Object.assign(new Error('store', { cause: thrown }), { code: isFull ? 'ENOSPC' : code }),
    'write to the store',
    'store_failed',
  );
};

/** What a drill throws there, as if the store had. */
export const reach = async (faults: FaultPoints, point: FaultPoint): Promise<void> => {
  try {
    await faults.reach(point);
  } catch (thrown) {
    throw storeFailure(thrown);
  }
};
