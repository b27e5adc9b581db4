/** What a request says besides its path, for paths of a document that need it: `?action=y`, `#Action=List`, `#X-Amz-Target=...`. */
import type { FaceRequest } from '../types.js';
import { bareType, FORM } from './media.js';
import { pairsOf } from './pairs.js';

const MOST = 1_000;

/** Looks in the query, then the headers, then a form body; each is read when it is first needed. */
export const saidBy = (request: FaceRequest): ((name: string) => string | undefined) => {
  const once = (text: () => string): (() => Map<string, string>) => {
    let read: Map<string, string> | undefined;
    return () => {
      read ??= new Map((pairsOf(text(), MOST) ?? []).map((pair) => [pair.name, pair.text]));
      return read;
    };
  };
  const query = once(() => request.query);
  const form = once(() =>
    request.body && bareType(request.headers['content-type'] ?? '') === FORM
      ? Buffer.from(request.body.subarray(0, 65_536)).toString('utf8')
      : '',
  );
  return (name) => query().get(name) ?? request.headers[name.toLowerCase()] ?? form().get(name);
};
