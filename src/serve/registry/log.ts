/** The registry's log: one JSON line for each change, only ever added to. What it holds is true; the contents lie beside it. */
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { Hash } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import { RecordKind } from '../api.js';
import { diskFailure, writeAll } from '../blobs/disk.js';

const about = { kind: RecordKind, name: z.string(), version: z.number().int().min(1) };
export const Change = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('publish'), ...about, hash: Hash, source: z.string().optional() }),
  z.strictObject({ op: z.literal('deprecate'), ...about, because: z.string() }),
]);
export type Change = z.infer<typeof Change>;

const MARK = ',"check":"';
const markOf = (body: string): string => sha256(body).slice(0, 16);

/** `{...change, "check"}`: the check is over the line before it, so that a damaged line is never taken for a record. */
const lineOf = (change: Change): string => {
  const body = JSON.stringify(change).slice(0, -1);
  return `${body}${MARK}${markOf(body)}"}\n`;
};

const parseLine = (line: string): Change | undefined => {
  const at = line.lastIndexOf(MARK);
  const body = line.slice(0, Math.max(0, at));
  if (at < 0 || line.slice(at) !== `${MARK}${markOf(body)}"}`) return undefined;
  return Change.safeParse(JSON.parse(`${body}}`)).data;
};

export interface ChangeLog {
  /** All of it or nothing. Throws `disk_full`, `registry_failed`. */
  append(change: Change): void;
  close(): void;
}

const damaged = (line: number, why: string): TreadleError =>
  new TreadleError({
    code: 'damaged_registry',
    message: `Line ${line} of the registry's log ${why}`,
    value: line,
    next: 'Restore log.jsonl from a copy; cutting it off before that line loses what came after.',
    fault: 'infrastructure',
  });

/**
 * Opens or makes the log and gives each of its changes to `apply`, which says what is wrong with one that does not follow. A
 * torn last line, which nobody was told had been kept, is cut off. Throws `damaged_registry` with the number of the bad line.
 */
export const openLog = (path: string, apply: (change: Change) => string | undefined, sync = false): ChangeLog => {
  let bytes: Buffer;
  let file: number;
  try {
    mkdirSync(dirname(path), { recursive: true });
    file = openSync(path, 'a+');
    bytes = readFileSync(path);
  } catch (thrown) {
    throw diskFailure(thrown, "open the registry's log", 'registry_failed');
  }
  let length = bytes.lastIndexOf(10) + 1;
  let line = 0;
  let torn = false;
  try {
    for (let from = 0; from < length; ) {
      const to = bytes.indexOf(10, from);
      const change = parseLine(bytes.toString('utf8', from, to));
      line++;
      const wrong = change === undefined ? 'is damaged' : apply(change);
      if (wrong !== undefined) throw damaged(line, wrong);
      from = to + 1;
    }
    if (length < bytes.length) ftruncateSync(file, length);
  } catch (thrown) {
    closeSync(file);
    throw thrown instanceof TreadleError ? thrown : diskFailure(thrown, "mend the registry's log", 'registry_failed');
  }
  return {
    append(change) {
      const added = Buffer.from(lineOf(change));
      try {
        // What an earlier failure may have left is cut off first: a half line must never get a whole one behind it.
        if (torn) ftruncateSync(file, length);
        torn = true;
        writeAll(file, added);
        if (sync) fsyncSync(file);
        length += added.length;
        torn = false;
      } catch (thrown) {
        try {
          ftruncateSync(file, length);
          torn = false;
        } catch {
          // Tried again before the next line; the failure to report is the first.
        }
        throw diskFailure(thrown, "write the registry's log", 'registry_failed');
      }
    },
    close: () => closeSync(file),
  };
};
