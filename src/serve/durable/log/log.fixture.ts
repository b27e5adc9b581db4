/** For tests: records, and the files of a log that fail when they are told to. */
import type { LogFiles } from './log-files.js';
import { diskFiles } from './log-files.js';
import type { LogRecord } from './page-log.js';

export const record = (session: string, seq: number, more: Partial<LogRecord> = {}): LogRecord => ({
  session,
  gen: 1,
  seq,
  kind: 'delta',
  body: new Uint8Array(Buffer.from(`${session} did ${seq}`)),
  ...more,
});

/** Everything of a record, as a text to compare by. */
export const told = ({ session, gen, seq, kind, body }: LogRecord): string =>
  `${session} ${gen} ${seq} ${kind} ${Buffer.from(body).toString('base64')}`;

const system = (code: string): Error => Object.assign(new Error(code), { code });

export interface FailingFiles extends LogFiles {
  /** From now on a write takes this many bytes and then there is no room. */
  room: number;
  /** Methods that fail, and with what. */
  readonly fails: Map<'truncate' | 'sync' | 'syncPath' | 'create' | 'remove', string>;
  readonly syncs: number[];
}

export const failingFiles = (): FailingFiles => {
  const fails: FailingFiles['fails'] = new Map();
  const check = (method: 'truncate' | 'sync' | 'syncPath' | 'create' | 'remove'): void => {
    const code = fails.get(method);
    if (code) throw system(code);
  };
  const files: FailingFiles = {
    ...diskFiles,
    room: Number.POSITIVE_INFINITY,
    fails,
    syncs: [],
    create(path) {
      check('create');
      return diskFiles.create(path);
    },
    write(file, bytes, from, length, position) {
      if (files.room <= 0) throw system('ENOSPC');
      const written = diskFiles.write(file, bytes, from, Math.min(length, files.room), position);
      files.room -= written;
      return written;
    },
    truncate(file, size) {
      check('truncate');
      diskFiles.truncate(file, size);
    },
    remove(path) {
      check('remove');
      diskFiles.remove(path);
    },
    async sync(file) {
      files.syncs.push(file);
      await new Promise((resolve) => setTimeout(resolve, 50));
      check('sync');
      await diskFiles.sync(file);
    },
    async syncPath(path) {
      check('syncPath');
      await diskFiles.syncPath(path);
    },
  };
  return files;
};
