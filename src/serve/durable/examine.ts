/** Whether a data folder can keep sessions: room, how long the disk takes, the store, the blob store, and what lies there. */
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { asTreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { openData } from './embedded.js';
import { sessionsLeft, summaryOf } from './session/left.js';

export interface DataCheck {
  what: 'folder' | 'disk' | 'sync' | 'store' | 'logs' | 'sessions';
  value: string;
  ok: boolean;
  next?: string;
}

const MIB = 1_048_576;
const LEAST_FREE_MIB = 256;
/** Beyond it `--durable disk` is slow: callers at one time share the wait. */
const SLOW_SYNC_MS = 20;
const SYNCS = 20;

const check = (what: DataCheck['what'], value: string, ok: boolean, next: string): DataCheck => ({
  what,
  value,
  ok,
  ...(ok ? {} : { next }),
});

/** Median milliseconds of writing and waiting for the disk. Throws what the system throws. */
const syncMs = (folder: string): number => {
  const path = join(folder, `doctor-${randomUUID()}`);
  const file = openSync(path, 'wx');
  try {
    const times = Array.from({ length: SYNCS }, () => {
      const from = elapsedMs();
      writeSync(file, 'doctor');
      fdatasyncSync(file);
      return elapsedMs() - from;
    }).sort((a, b) => a - b);
    return times[SYNCS / 2] as number;
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
};

const bytesUnder = (folder: string): number => {
  try {
    return (readdirSync(folder, { recursive: true }) as string[]).reduce((sum, path) => {
      const stat = statSync(join(folder, path));
      return stat.isFile() ? sum + stat.size : sum;
    }, 0);
  } catch {
    return 0;
  }
};

/** Makes the folder where it is not there. Never throws: what cannot be done is a check that failed. */
export const examineData = async (folder: string, blobs?: string): Promise<DataCheck[]> => {
  const checks: DataCheck[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    const ms = syncMs(folder);
    checks.push(check('folder', folder, true, ''));
    const slow = 'Expect --durable disk to be slow here; --durable call does not wait for the disk.';
    checks.push(check('sync', `${ms.toFixed(1)} ms until the disk has it`, ms <= SLOW_SYNC_MS, slow));
  } catch (thrown) {
    const { message } = asTreadleError(thrown, 'infrastructure');
    return [check('folder', `${folder}: ${message}`, false, 'Name a folder that the server may write to.')];
  }
  const { bavail, bsize } = await statfs(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  checks.push(
    check('disk', `${free} MiB free`, free >= LEAST_FREE_MIB, `Free some: ${LEAST_FREE_MIB} MiB are little.`),
  );
  const logs = Math.round(bytesUnder(join(folder, 'logs')) / MIB);
  checks.push(check('logs', `${logs} MiB`, logs < 1_024, 'A server on the folder takes them up and removes them.'));
  try {
    const data = await openData({ folder, blobs, onDefect: () => {} });
    try {
      checks.push(check('store', 'can be opened, and the blob store shows what is put there', true, ''));
      const left = (await sessionsLeft(data, folder)).map(summaryOf);
      const lost = left.filter(({ status }) => status === 'lost').length;
      const value = `${left.length} kept${lost > 0 ? `, ${lost} of which nothing can be read` : ''}`;
      checks.push(check('sessions', value, lost === 0, 'treadle sessions list tells which; reap removes them.'));
    } finally {
      await data.close();
    }
  } catch (thrown) {
    const error = asTreadleError(thrown, 'infrastructure');
    checks.push(check('store', error.line(), false, error.next ?? 'Mend that, and ask again.'));
  }
  return checks;
};
