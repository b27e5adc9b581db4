/**
 * The heads of plain requests, which nearly all of an agent's are: a POST with a length and nothing that asks for more of HTTP.
 * Whatever is not plain, odd or hostile is not refused here but left to node's own parser, so this may be as strict as it likes.
 */

export interface PlainHead {
  /** As it was sent. */
  url: string;
  /** By name in lower case; each came once. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Bytes of the body. */
  length: number;
}

const REQUEST = /^POST (\/[!-~]{0,1000}) HTTP\/1\.1$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\t -~]*$/;
const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
const MOST_LINES = 64;

/** They change what follows the head, or what becomes of the connection. */
const NOT_PLAIN = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'keep-alive',
  'proxy-connection',
]);

/** `text`: a head without the empty line that ends it. Undefined: not a plain one. */
export const readHead = (text: string): PlainHead | undefined => {
  const lines = text.split('\r\n', MOST_LINES + 1);
  const url = REQUEST.exec(lines[0] as string)?.[1];
  if (url === undefined || lines.length > MOST_LINES) return undefined;
  const headers: Record<string, string | undefined> = Object.create(null);
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!NAME.test(name) || !VALUE.test(value) || name in headers || NOT_PLAIN.has(name)) return undefined;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined;
    headers[name] = value;
  }
  const length = headers['content-length'];
  if (headers.host === undefined || length === undefined || !LENGTH.test(length)) return undefined;
  return { url, headers, length: Number(length) };
};
