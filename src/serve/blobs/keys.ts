/** Keys of blobs: `sessions/<id>/<name>`. What every store can take: no way out of a folder, no characters a file system minds. */
import { TreadleError } from '../../errors.js';

/** Parts begin with a letter, a digit or `_`, so that none is hidden, `.` or `..`. */
const PART = /^[A-Za-z0-9_][A-Za-z0-9_.=@+-]{0,199}$/;
const LONGEST = 512;

const refuse = (key: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_key',
    message: 'This cannot be the key of a blob',
    value: typeof key === 'string' ? key.slice(0, 80) : typeof key,
    next: `Use parts of letters, digits and "_.=@+-", divided by "/", ${LONGEST} bytes in all.`,
  });

/** The parts of a key. Throws `bad_key`. */
export const partsOfKey = (key: string): string[] => {
  if (typeof key !== 'string' || key.length > LONGEST) throw refuse(key);
  const parts = key.split('/');
  if (!parts.every((part) => PART.test(part))) throw refuse(key);
  return parts;
};

export const isKey = (key: string): boolean => key.length <= LONGEST && key.split('/').every((part) => PART.test(part));

/** The folders that every key of this prefix lies in; the prefix itself may end inside a part. Throws `bad_key`. */
export const foldersOfPrefix = (prefix: string): string[] => {
  if (typeof prefix !== 'string') throw refuse(prefix);
  const parts = prefix.split('/');
  const last = parts.pop() ?? '';
  if (prefix.length > LONGEST || !parts.every((part) => PART.test(part))) throw refuse(prefix);
  if (last !== '' && !PART.test(last)) throw refuse(prefix);
  return parts;
};

export const noBlob = (key: string): TreadleError =>
  new TreadleError({
    code: 'no_blob',
    message: 'Nothing is kept under this key',
    value: key,
    next: 'It was never written, or it was deleted.',
    fault: 'infrastructure',
  });
