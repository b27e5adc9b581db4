/**
 * The bytes of a page log. A segment begins with a header; its records follow one another, each a head of fixed length, the session's
 * name and the body. Head and rest have a checksum each, so that a damaged body is stepped over and a cut one is told from a damaged one.
 * Marker and seed are drawn for every segment: bodies hold what agents wrote, and nobody who does not know them can write something that
 * reads as a record after damage.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KINDS, type LogRecord, type RecordKind } from './page-log.js';

const MAGIC = Buffer.from('TRDLPLOG', 'latin1');
const VERSION = 1;
const VERSION_AT = 8;
const MARKER_AT = 12;
const SEED_AT = 16;
const BEFORE_NUMBER_AT = 20;
const BEFORE_SIZE_AT = 28;
const NAME_LENGTH_AT = 36;
const NAME_AT = 38;
const CHECK_LENGTH = 4;

/** What every record of one segment is written and read with. */
export interface Keys {
  marker: Buffer;
  seed: number;
}

/** The segment before, as it was when this one was begun. */
export interface Before {
  number: number;
  size: number;
}

export interface Header {
  bytes: Buffer;
  keys: Keys;
}

const keysIn = (header: Buffer): Keys => ({
  marker: header.subarray(MARKER_AT, SEED_AT),
  seed: header.readUInt32LE(SEED_AT),
});

export const newHeader = (incarnation: string, before: Before | undefined): Header => {
  const name = Buffer.from(incarnation);
  const bytes = Buffer.alloc(NAME_AT + name.length + CHECK_LENGTH);
  bytes.set(MAGIC);
  bytes.writeUInt32LE(VERSION, VERSION_AT);
  bytes.set(randomBytes(BEFORE_NUMBER_AT - MARKER_AT), MARKER_AT);
  bytes.writeDoubleLE(before?.number ?? 0, BEFORE_NUMBER_AT);
  bytes.writeDoubleLE(before?.size ?? 0, BEFORE_SIZE_AT);
  bytes.writeUInt16LE(name.length, NAME_LENGTH_AT);
  bytes.set(name, NAME_AT);
  const end = NAME_AT + name.length;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return { bytes, keys: keysIn(bytes) };
};

export type OpenedSegment =
  | { is: 'readable'; incarnation: string; keys: Keys; before: Before; end: number }
  /** It ends inside its header. */
  | { is: 'short' }
  | { is: 'strange'; why: string };

/** What the header of a segment says. */
export const openSegment = (bytes: Buffer): OpenedSegment => {
  const seen = Math.min(bytes.length, MAGIC.length);
  if (!bytes.subarray(0, seen).equals(MAGIC.subarray(0, seen))) return { is: 'strange', why: 'it is not a page log' };
  if (bytes.length < NAME_AT) return { is: 'short' };
  const version = bytes.readUInt32LE(VERSION_AT);
  if (version !== VERSION) return { is: 'strange', why: `it has version ${version}, not ${VERSION}` };
  const end = NAME_AT + bytes.readUInt16LE(NAME_LENGTH_AT);
  if (bytes.length < end + CHECK_LENGTH) return { is: 'short' };
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return { is: 'strange', why: 'its header is damaged' };
  const incarnation = bytes.toString('utf8', NAME_AT, end);
  const before = { number: bytes.readDoubleLE(BEFORE_NUMBER_AT), size: bytes.readDoubleLE(BEFORE_SIZE_AT) };
  return { is: 'readable', incarnation, keys: keysIn(bytes), before, end: end + CHECK_LENGTH };
};

const HEAD_CHECK_AT = 4;
const HEAD_CHECKED_FROM = 8;
const REST_CHECK_AT = 8;
const BODY_LENGTH_AT = 12;
const GEN_AT = 16;
const SEQ_AT = 24;
const KIND_AT = 32;
const SESSION_LENGTH_AT = 34;
export const HEAD_LENGTH = 36;

/** At most this many bytes are written of `record`. */
export const roomFor = (record: LogRecord): number => HEAD_LENGTH + 3 * record.session.length + record.body.length;

/** Writes `record` at the beginning of `into` and answers with its length. */
export const writeRecord = ({ marker, seed }: Keys, record: LogRecord, into: Buffer): number => {
  const named = into.write(record.session, HEAD_LENGTH, 'utf8');
  const end = HEAD_LENGTH + named + record.body.length;
  into.set(record.body, HEAD_LENGTH + named);
  into.set(marker);
  into.writeUInt32LE(crc32(into.subarray(HEAD_LENGTH, end), seed), REST_CHECK_AT);
  into.writeUInt32LE(record.body.length, BODY_LENGTH_AT);
  into.writeDoubleLE(record.gen, GEN_AT);
  into.writeDoubleLE(record.seq, SEQ_AT);
  into.writeUInt16LE(KINDS.indexOf(record.kind), KIND_AT);
  into.writeUInt16LE(named, SESSION_LENGTH_AT);
  into.writeUInt32LE(crc32(into.subarray(HEAD_CHECKED_FROM, HEAD_LENGTH), seed), HEAD_CHECK_AT);
  return end;
};

/** A record whose head checks out; `end` may lie past what is there. */
export interface Found {
  kind: RecordKind;
  gen: number;
  seq: number;
  from: number;
  bodyFrom: number;
  end: number;
}

/** The record whose head is at `at`, if one is. */
export const headAt = ({ marker, seed }: Keys, bytes: Buffer, at: number): Found | undefined => {
  if (at + HEAD_LENGTH > bytes.length || bytes.compare(marker, 0, 4, at, at + 4) !== 0) return undefined;
  const check = crc32(bytes.subarray(at + HEAD_CHECKED_FROM, at + HEAD_LENGTH), seed);
  const kind = KINDS[bytes.readUInt16LE(at + KIND_AT)];
  if (check !== bytes.readUInt32LE(at + HEAD_CHECK_AT) || kind === undefined) return undefined;
  const bodyFrom = at + HEAD_LENGTH + bytes.readUInt16LE(at + SESSION_LENGTH_AT);
  return {
    kind,
    gen: bytes.readDoubleLE(at + GEN_AT),
    seq: bytes.readDoubleLE(at + SEQ_AT),
    from: at,
    bodyFrom,
    end: bodyFrom + bytes.readUInt32LE(at + BODY_LENGTH_AT),
  };
};

/** Whether session and body of a record that is there as a whole are what was written. */
export const isWhole = ({ seed }: Keys, bytes: Buffer, { from, end }: Found): boolean =>
  crc32(bytes.subarray(from + HEAD_LENGTH, end), seed) === bytes.readUInt32LE(from + REST_CHECK_AT);

export const sessionOf = (bytes: Buffer, { from, bodyFrom }: Found): string =>
  bytes.toString('utf8', from + HEAD_LENGTH, bodyFrom);

/** Of a record at `at` whose head is damaged and that ends where `bytes` do, if all behind the head is what was written. */
export const sessionBehind = ({ seed }: Keys, bytes: Buffer, at: number): string | undefined => {
  if (bytes.length - at <= HEAD_LENGTH) return undefined;
  const rest = bytes.subarray(at + HEAD_LENGTH);
  if (crc32(rest, seed) !== bytes.readUInt32LE(at + REST_CHECK_AT)) return undefined;
  return rest.toString('utf8', 0, bytes.readUInt16LE(at + SESSION_LENGTH_AT));
};

/** The first record after `at` whose head checks out. */
export const headAfter = (keys: Keys, bytes: Buffer, at: number): Found | undefined => {
  for (let next = bytes.indexOf(keys.marker, at + 1); next >= 0; next = bytes.indexOf(keys.marker, next + 1)) {
    const found = headAt(keys, bytes, next);
    if (found) return found;
  }
  return undefined;
};

/** Whether what is left after `at` could be the beginning of a head that was cut off. */
export const isCutHead = ({ marker }: Keys, bytes: Buffer, at: number): boolean => {
  const left = bytes.length - at;
  return left < HEAD_LENGTH && bytes.subarray(at, at + 4).equals(marker.subarray(0, Math.min(4, left)));
};
