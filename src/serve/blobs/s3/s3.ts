/**
 * Blobs in a bucket of an S3-compatible store: one object a blob, in one request each way. Beside the bytes stand their hash and
 * their key, and nothing is given back that does not agree with both.
 */
import { hash } from 'node:crypto';
import { wallSeconds } from '../../../kit/clock.js';
import { type Clock, processClock } from '../../durable/clock.js';
import type { Blobs } from '../blobs.js';
import { foldersOfPrefix, isKey, noBlob, partsOfKey } from '../keys.js';
import { credentialsOf, parseS3Address } from './address.js';
import { type Answer, attempt, Broken, MOST_BYTES } from './attempt.js';
import { broken, codeOf, damaged, setbackOf, tooLarge } from './failure.js';
import { type Page, pageOf } from './listing.js';
import { PATIENCE, type Patience, patiently, type Tried } from './retry.js';
import { escaped, queryOf, signed } from './sign.js';
import { slots } from './slots.js';

export interface S3Options {
  env?: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
  patience?: Partial<Patience>;
  /** Requests at once; the rest wait. */
  most?: number;
  /** Keys on a page of a list. */
  page?: number;
}

interface Request {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Escaped, after the bucket's: empty, or from `/` on. */
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  doing: string;
}

const HASH = 'x-amz-meta-treadle-sha256';
const KEY = 'x-amz-meta-treadle-key';
const NOTHING = new Uint8Array(0);
/** A store that pages without end is not believed. */
const MOST_PAGES = 100_000;

const checked = (key: string, { headers, bytes }: Answer): Tried<Uint8Array> => {
  if (headers.get(KEY) !== key) return damaged(key, 'it is of another key, or of nobody knows which');
  if (headers.get(HASH) !== hash('sha256', bytes, 'hex')) return damaged(key, 'its hash is another');
  return { value: bytes };
};

/**
 * `where`: `s3://bucket/prefix?endpoint=...&region=...`. Throws `bad_blob_store`; asks nothing of the store yet. A put that was given
 * up as `blob_failed` may still be applied by the store later: keys that are written once are safe from that.
 */
export const s3Blobs = (where: string, options: S3Options = {}): Blobs => {
  const { env = process.env, clock = processClock, most = 32, page: pageSize = 1_000 } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const { url: base, prefix: root, region } = parseS3Address(where, env);
  const credentials = credentialsOf(env);
  const inTurn = slots(most);

  const once = (request: Request): Promise<Answer> => {
    const url = new URL(`${base}${request.path}`);
    url.search = queryOf(request.query ?? {});
    const { method, body } = request;
    const headers = signed(
      { method, url, headers: request.headers ?? {}, body: body ?? NOTHING },
      credentials,
      region,
      wallSeconds(),
    );
    return attempt({ method, url, headers, ...(body ? { body } : {}) }, clock, patience.timeoutMs);
  };

  /** `read` says what an answer with a status below 300 is worth, and what 404 `NoSuchKey` is. */
  const ask = <T>(request: Request, read: (answer: Answer) => Tried<T>, missing?: () => Tried<T>): Promise<T> => {
    const { doing } = request;
    const tryIt = async (): Promise<Tried<T>> => {
      try {
        const answer = await inTurn(() => once(request));
        if (answer.status === 200 || answer.status === 204) return read(answer);
        if (missing && answer.status === 404 && codeOf(answer) === 'NoSuchKey') return missing();
        return setbackOf(answer, doing);
      } catch (thrown) {
        if (thrown instanceof Broken) return broken(doing, thrown.system);
        throw thrown;
      }
    };
    return patiently(tryIt, patience, clock);
  };

  const pathOf = (key: string): string => {
    partsOfKey(key);
    return `/${`${root}${key}`.split('/').map(escaped).join('/')}`;
  };

  const page = (prefix: string, token: string | undefined): Promise<Page> =>
    ask(
      {
        method: 'GET',
        path: '',
        query: {
          'list-type': '2',
          'max-keys': String(pageSize),
          prefix: root + prefix,
          ...(token === undefined ? {} : { 'continuation-token': token }),
        },
        doing: 'list the blobs',
      },
      ({ bytes }) => {
        const value = pageOf(Buffer.from(bytes).toString('utf8'));
        const goesOn = value && (value.next === undefined || value.next !== token);
        return goesOn ? { value } : broken('list the blobs', 'this is no page of a list');
      },
    );

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      if (bytes.byteLength > MOST_BYTES) throw tooLarge(key, MOST_BYTES);
      const headers = {
        'content-type': 'application/octet-stream',
        [HASH]: hash('sha256', bytes, 'hex'),
        [KEY]: key,
      };
      // Whatever answers 200 to everything gives no ETag.
      await ask({ method: 'PUT', path, headers, body: bytes, doing: 'write the blob' }, (answer) =>
        answer.headers.has('etag') ? { value: undefined } : broken('write the blob', 'an answer that is not from S3'),
      );
    },
    async get(key) {
      return ask(
        { method: 'GET', path: pathOf(key), doing: 'read the blob' },
        (answer) => checked(key, answer),
        () => ({ error: noBlob(key), again: false }),
      );
    },
    async list(prefix) {
      foldersOfPrefix(prefix);
      const found = new Set<string>();
      let token: string | undefined;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const { keys, next } = await page(prefix, token);
        for (const key of keys) if (key.startsWith(root + prefix)) found.add(key.slice(root.length));
        token = next;
        if (token === undefined) return [...found].filter(isKey).sort();
      }
      throw broken('list the blobs', 'a list without end').error;
    },
    async delete(key) {
      await ask(
        { method: 'DELETE', path: pathOf(key), doing: 'delete the blob' },
        ({ bytes }) =>
          bytes.length === 0 ? { value: undefined } : broken('delete the blob', 'an answer that is not from S3'),
        () => ({ value: undefined }),
      );
    },
  };
};
