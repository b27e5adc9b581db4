/** Reads a request's body into memory, up to a limit. Slowness is the server's request timeout to end. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Undefined where there is none. */
export type Bytes = Buffer | undefined | 'too_large';
export type Body = { text: string } | { fault: 'too_large' | 'not_utf8' };

/**
 * Calls `done` once, or never when the client goes away first. Of a body that is too large `drain` more bytes are taken, and lost,
 * before it is told: whoever still sends when the connection ends would never read the answer. What is beyond is still unread then.
 */
export const readBytes = (
  request: IncomingMessage,
  limit: number,
  done: (body: Bytes) => void,
  { drain = 0 }: { drain?: number } = {},
): void => {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0')) {
    done(undefined);
    return;
  }
  if (Number(length ?? 0) > limit + drain) {
    done('too_large');
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) {
      chunks.push(chunk);
      return;
    }
    chunks.length = 0;
    if (size <= limit + drain) return;
    request.off('data', take);
    request.off('end', end);
    done('too_large');
  };
  const end = (): void => {
    if (size > limit) done('too_large');
    else if (size === 0) done(undefined);
    else done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
  };
  request.on('data', take);
  request.on('end', end);
};

/** As `readBytes`, of text; nothing is drained, and no body is an empty one. */
export const readBody = (request: IncomingMessage, limit: number, done: (body: Body) => void): void =>
  readBytes(request, limit, (bytes) => {
    if (bytes === 'too_large') done({ fault: 'too_large' });
    else if (bytes === undefined) done({ text: '' });
    else done(isUtf8(bytes) ? { text: bytes.toString('utf8') } : { fault: 'not_utf8' });
  });

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Whether the headers promise plain JSON. */
export const isJsonBody = (headers: IncomingHttpHeaders): boolean =>
  JSON_TYPE.test(headers['content-type'] ?? '') && /^(identity)?$/i.test(headers['content-encoding'] ?? '');
