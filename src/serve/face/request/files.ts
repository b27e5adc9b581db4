/** Files of a request: bytes with a name and a type, as plain data. */
import type { Json } from '../../../kit/hash.js';

const FILES = new WeakSet<object>();

/** `data` is base64 unless `encoding` says `utf-8`. */
export const fileOf = (bytes: Uint8Array, contentType: string, filename?: string): Json => {
  const isText = /^text\/|json$|xml$/i.test(contentType.split(';')[0] ?? '');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = isText ? utf8(bytes) : undefined;
  const file = {
    ...(filename === undefined ? {} : { filename }),
    contentType,
    size: bytes.byteLength,
    encoding: text === undefined ? 'base64' : 'utf-8',
    data: text ?? buffer.toString('base64'),
  };
  FILES.add(file);
  return file;
};

/** `undefined` where the bytes are no UTF-8. */
export const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Of those made here; a JSON body may look the same and is none. */
export const isFile = (value: unknown): value is { data: string } =>
  typeof value === 'object' && value !== null && FILES.has(value);
