/**
 * The heads of plain requests, which nearly all of an agent's are: a POST with a length and nothing that asks for more of HTTP.
 * Whatever is not plain, odd or hostile is not refused here but left to node's own parser, so this may be as strict as it likes.
 */

export interface PlainHead {
  /** POST where absent: another only where a front read the request and hands it on. */
  method?: string | undefined;
  /** The front's name for it, where one hands it on; see `CallOptions`. */
  forwarded?: string | undefined;
  /** As it was sent. */
  url: string;
  /** By name in lower case; each came once. They stand until the next head of the connection is read. */
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

type Headers = Record<string, string | undefined>;

interface Parsed {
  head: PlainHead;
  headers: Headers;
  /** Where the digits of the content-length are. */
  from: number;
  to: number;
}

const parse = (text: string): Parsed | undefined => {
  const lines = text.split('\r\n', MOST_LINES + 1);
  const [first = ''] = lines;
  const url = REQUEST.exec(first)?.[1];
  if (url === undefined || lines.length > MOST_LINES) return undefined;
  const headers: Headers = Object.create(null);
  let digits: string | undefined;
  let from = 0;
  let at = first.length + 2;
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!NAME.test(name) || !VALUE.test(value) || name in headers || NOT_PLAIN.has(name)) return undefined;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined;
    headers[name] = value;
    if (name === 'content-length') {
      if (!LENGTH.test(value)) return undefined;
      digits = value;
      from = at + line.indexOf(value, colon + 1);
    }
    at += line.length + 2;
  }
  if (headers.host === undefined || digits === undefined) return undefined;
  return { head: { url, headers, length: Number(digits) }, headers, from, to: from + digits.length };
};

/**
 * Reads the heads of one connection. A client's requests differ in nothing but their length, so one that is like the last but for
 * those digits is not parsed again, and shares its headers.
 */
export class HeadReader {
  #before: string | undefined;
  #after = '';
  #last: PlainHead | undefined;
  #headers: Headers = {};

  /** `text`: a head without the empty line that ends it. Undefined: not a plain one. */
  read(text: string): PlainHead | undefined {
    const last = this.#again(text);
    if (last !== undefined) return last;
    const parsed = parse(text);
    if (parsed === undefined) return undefined;
    this.#before = text.slice(0, parsed.from);
    this.#after = text.slice(parsed.to);
    this.#last = parsed.head;
    this.#headers = parsed.headers;
    return parsed.head;
  }

  #again(text: string): PlainHead | undefined {
    const before = this.#before;
    const after = this.#after;
    const last = this.#last;
    if (before === undefined || last === undefined) return undefined;
    const to = text.length - after.length;
    if (to <= before.length || !text.startsWith(before) || !text.endsWith(after)) return undefined;
    const digits = text.slice(before.length, to);
    if (!LENGTH.test(digits)) return undefined;
    this.#headers['content-length'] = digits;
    return { url: last.url, headers: this.#headers, length: Number(digits) };
  }
}
