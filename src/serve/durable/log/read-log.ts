/** Reads what an incarnation left in its log. Whatever became of the files: no record is told that was not appended. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { diskFailure, systemCode } from '../../blobs/disk.js';
import {
  type Found,
  headAfter,
  headAt,
  isCutHead,
  isWhole,
  type Keys,
  openSegment,
  sessionBehind,
  sessionOf,
} from './form.js';
import type { ReadLog } from './page-log.js';

export interface ReadLogOptions {
  /** Records of other sessions are passed over, and their bodies not kept, but for forks: whoever looks for one may need what it names. */
  only?: ReadonlySet<string>;
  /** Whose log it is: segments of others are reported and not read. Unless told, whoever wrote the first. */
  incarnation?: string;
}

interface Reading {
  segment: string;
  bytes: Buffer;
  keys: Keys;
  isLast: boolean;
  only: ReadonlySet<string> | undefined;
  into: ReadLog;
}

const report = ({ into, segment }: Reading, offset: number, why: string): void => {
  into.damage.push({ segment, offset, why });
};

/** Whose record it was is told by what of it is whole: the head, or all but the head. */
const hurt = ({ bytes, keys, into }: Reading, at: number, found: Found | undefined): void => {
  if (found && found.bodyFrom <= bytes.length) {
    const { gen, seq } = found;
    into.hurt.push({ session: sessionOf(bytes, found), at: { gen, seq } });
    return;
  }
  const session = found ? undefined : sessionBehind(keys, bytes, at);
  if (session !== undefined) into.hurt.push({ session });
};

const keep = ({ bytes, only, into }: Reading, found: Found): void => {
  const session = sessionOf(bytes, found);
  const { kind, gen, seq, bodyFrom, end } = found;
  if (only && !only.has(session) && kind !== 'fork') return;
  // A copy: a view would keep all of the segment.
  into.records.push({ session, gen, seq, kind, body: new Uint8Array(bytes.subarray(bodyFrom, end)) });
};

/** Where reading goes on after a place that does not check out, which is reported unless it is a torn end. */
const stepOver = (reading: Reading, at: number, found: Found | undefined): number => {
  const { bytes, keys, isLast } = reading;
  // Not where the head says that it ends: bytes may be missing there.
  const next = headAfter(keys, bytes, at)?.from;
  const end = next ?? bytes.length;
  const isTorn = next === undefined && (found ? found.end > bytes.length : isCutHead(keys, bytes, at));
  if (isTorn && isLast) return end;
  if (isTorn) report(reading, at, 'it is cut off here, though another follows');
  else {
    hurt(reading, at, found);
    if (found) report(reading, at, `a ${found.kind} of generation ${found.gen}, seq ${found.seq} is damaged`);
    else report(reading, at, `${end - at} bytes are no record`);
  }
  return end;
};

const readRecords = (reading: Reading, from: number): void => {
  const { bytes, keys } = reading;
  for (let at = from; at < bytes.length; ) {
    const found = headAt(keys, bytes, at);
    if (found && found.end <= bytes.length && isWhole(keys, bytes, found)) {
      keep(reading, found);
      at = found.end;
    } else at = stepOver(reading, at, found);
  }
};

/** The numbers of the segments in `folder`, in order. */
const segmentsIn = (folder: string): number[] => {
  try {
    const names = readdirSync(folder).filter((name) => /^[1-9]\d{0,14}\.log$/.test(name));
    return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return [];
    throw diskFailure(thrown, 'read the folder of the log', 'log_failed');
  }
};

/**
 * All that can be read, in the order in which it was appended. A folder that is not there holds nothing; a segment that cannot be read
 * is damage. Throws `log_failed` where the folder cannot be listed.
 */
export const readLog = (folder: string, { only, incarnation }: ReadLogOptions = {}): ReadLog => {
  const into: ReadLog = { records: [], hurt: [], damage: [] };
  let whose = incarnation;
  const numbers = segmentsIn(folder);
  const sizes = new Map<number, number>();
  for (const number of numbers) {
    const segment = `${number}.log`;
    const isLast = number === numbers.at(-1);
    const strange = (why: string): void => {
      into.damage.push({ segment, offset: 0, why });
    };
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(folder, segment));
    } catch (thrown) {
      strange(`it cannot be read: ${systemCode(thrown) || 'unknown'}`);
      continue;
    }
    sizes.set(number, bytes.length);
    const opened = openSegment(bytes);
    if (opened.is === 'strange') strange(opened.why);
    else if (opened.is === 'short') {
      // An empty one was made, and its maker died: the header is written at once.
      if (bytes.length > 0 || !isLast) strange('it ends inside its header');
    } else if (opened.incarnation !== (whose ?? opened.incarnation)) strange(`it is ${opened.incarnation}'s`);
    else {
      whose = opened.incarnation;
      // Whole records may be missing at its end, which nothing in it tells.
      const { before } = opened;
      const size = sizes.get(before.number) ?? before.size;
      if (size !== before.size)
        into.damage.push({
          segment: `${before.number}.log`,
          offset: size,
          why: `it had ${before.size} bytes when the next was begun`,
        });
      readRecords({ segment, bytes, keys: opened.keys, isLast, only, into }, opened.end);
    }
  }
  return into;
};

/** Deletes the log of an incarnation, whether it is there or not. Throws `log_failed`. */
export const removeLog = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (thrown) {
    throw diskFailure(thrown, 'delete the log', 'log_failed');
  }
};
