/** Reads a request's body into memory, up to a limit. Slowness is the server's request timeout to end. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export type Body = { text: string } | { fault: 'too_large' | 'not_utf8' };

/** Calls `done` once, or never when the client goes away first. After `too_large` the rest is still unread. */
export const readBody = (request: IncomingMessage, limit: number, done: (body: Body) => void): void => {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    done({ fault: 'too_large' });
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
    request.off('data', take);
    request.off('end', end);
    done({ fault: 'too_large' });
  };
  const end = (): void => {
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    done(isUtf8(bytes) ? { text: bytes.toString('utf8') } : { fault: 'not_utf8' });
  };
  request.on('data', take);
  request.on('end', end);
};

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Whether the headers promise plain JSON. */
export const isJsonBody = (headers: IncomingHttpHeaders): boolean =>
  JSON_TYPE.test(headers['content-type'] ?? '') && /^(identity)?$/i.test(headers['content-encoding'] ?? '');
