/** Keys of savepoints: `sessions/<id>/<gen>/<seq>-<sha256>`, immutable, sorted as they came (serving.md, seams). */
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';

export const SAVEPOINTS = 'sessions/';

/** Digits, so that names sort as numbers do. */
const DIGITS = 12;
const KEY = /^sessions\/([A-Za-z0-9_][A-Za-z0-9_-]{0,63})\/(\d{12})\/(\d{12})-([0-9a-f]{64})$/;

const padded = (number: number): string => String(number).padStart(DIGITS, '0');

export const savepointKey = (session: string, gen: number, seq: number, bytes: Uint8Array): string =>
  `${SAVEPOINTS}${session}/${padded(gen)}/${padded(seq)}-${sha256(bytes)}`;

export interface SavepointName {
  session: string;
  gen: number;
  seq: number;
  hash: string;
}

/** Undefined for any other key. */
export const parseSavepointKey = (key: string): SavepointName | undefined => {
  const [, session, gen, seq, hash] = KEY.exec(key) ?? [];
  if (session === undefined || hash === undefined) return undefined;
  return { session, gen: Number(gen), seq: Number(seq), hash };
};

/** Throws `damaged_savepoint` where these are not the bytes that the key was made for. */
export const verifySavepoint = (key: string, bytes: Uint8Array): void => {
  const found = sha256(bytes);
  if (parseSavepointKey(key)?.hash === found) return;
  throw new TreadleError({
    code: 'damaged_savepoint',
    message: 'A savepoint is not what was written',
    value: { key, bytes: bytes.length, sha256: found.slice(0, 12) },
    next: 'The one before it is used where there is one; its owner is told what was lost.',
    fault: 'infrastructure',
  });
};
