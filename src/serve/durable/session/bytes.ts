/** Images and deltas of sessions as bytes: a JSON head, compressed where it is long, and binary parts behind it. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { TreadleError } from '../../../errors.js';
import type { CallDelta, SessionImage } from '../../sessions/server/image.js';

/** The digit is the form's version: what another one wrote is refused, not guessed at. */
const IMAGE = Buffer.from('TRDLIMG1', 'latin1');
const DELTA = Buffer.from('TRDLDLT1', 'latin1');

export const damaged = (why: string, cause?: unknown): TreadleError =>
  new TreadleError({
    code: 'damaged_savepoint',
    message: `What was kept of a session cannot be read: ${why}`,
    fault: 'infrastructure',
    next: 'The savepoint before it is used where there is one; its owner is told what was lost.',
    cause,
  });

const words = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * i);
  return bytes;
};

/** Fast rather than small: heads are mostly results of calls, which deflate well at any level. */
const LEVEL = { level: 1 };

const joined = (magic: Buffer, head: Buffer, parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([magic, words(head.length, parts.length, ...parts.map(({ length }) => length)), head, ...parts]);

/** Throws `damaged_savepoint`. */
const parted = (magic: Buffer, given: Uint8Array): { head: Buffer; parts: Buffer[] } => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  if (bytes.length < 16 || !bytes.subarray(0, 7).equals(magic.subarray(0, 7))) throw damaged('it is none of ours');
  if (bytes[7] !== magic[7]) throw damaged(`it is of form ${String.fromCharCode(bytes[7] as number)}`);
  const [headLength, count] = [bytes.readUInt32BE(8), bytes.readUInt32BE(12)];
  let at = 16 + 4 * count;
  if (at + headLength > bytes.length) throw damaged('it is cut off');
  const head = bytes.subarray(at, at + headLength);
  at += headLength;
  const parts = Array.from({ length: count }, (_, i) => {
    const end = at + bytes.readUInt32BE(16 + 4 * i);
    if (end > bytes.length) throw damaged('it is cut off');
    const part = bytes.subarray(at, end);
    at = end;
    return part;
  });
  if (at !== bytes.length) throw damaged('something follows it');
  return { head, parts };
};

const parsed = <T>(text: () => string): T => {
  try {
    return JSON.parse(text()) as T;
  } catch (cause) {
    throw damaged('its head is damaged', cause);
  }
};

export const imageBytes = ({ parcels, ...head }: SessionImage): Uint8Array =>
  joined(IMAGE, deflateRawSync(JSON.stringify(head), LEVEL), parcels);

/** Throws `damaged_savepoint`. */
export const imageOf = (bytes: Uint8Array): SessionImage => {
  const { head, parts } = parted(IMAGE, bytes);
  const image = parsed<SessionImage>(() => inflateRawSync(head).toString('utf8'));
  if (parts.length !== image.snapshots.length + 1) throw damaged('parts of it are missing');
  return { ...image, parcels: parts };
};

/** Not compressed: a call is acknowledged when this is written. */
export const deltaBytes = ({ pages, ...head }: CallDelta): Uint8Array =>
  joined(
    DELTA,
    Buffer.from(JSON.stringify({ ...head, services: pages.map(([service]) => service) })),
    pages.map(([, bytes]) => bytes),
  );

/** Throws `damaged_savepoint`. */
export const deltaOf = (bytes: Uint8Array): CallDelta => {
  const { head, parts } = parted(DELTA, bytes);
  const { services, ...delta } = parsed<Omit<CallDelta, 'pages'> & { services: string[] }>(() => head.toString('utf8'));
  if (services.length !== parts.length) throw damaged('parts of it are missing');
  return { ...delta, pages: services.map((service, i) => [service, parts[i] as Uint8Array]) };
};
