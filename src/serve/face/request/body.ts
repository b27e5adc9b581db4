/** A request's body as a value, by its media type. */
import type { HttpBody, HttpMedia } from '../../../document/http.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import type { FaceError, FaceRequest } from '../types.js';
import { fileOf } from './files.js';
import { multipart, type Read, urlencoded } from './form.js';
import { inflated } from './inflate.js';
import { parseJson } from './json.js';
import { type Limits, tooLarge } from './limits.js';
import { bareType, FORM, guessed, isJsonType, isXmlType, MULTIPART, mediaFor, parameterOf } from './media.js';
import { formsOf, takes } from './view.js';

export type BodyRead = { body?: { value: Json; media: HttpMedia; type: string } } | { error: FaceError };

const syntax = (why: string): BodyRead => {
  const message = `${why}.`;
  const faults = [{ in: 'body' as const, at: '', keyword: 'syntax', message }];
  return { error: { status: 400, code: 'invalid_body', message, faults } };
};

const unsupported = (message: string, taken: readonly string[]): BodyRead => {
  const headers = taken.length > 0 ? { headers: { accept: taken.join(', ') } } : {};
  return { error: { status: 415, code: 'unsupported_media_type', message, ...headers } };
};

const notTaken = (media: readonly HttpMedia[], sent: string): BodyRead => {
  const taken = media.map(({ type }) => type).filter((type) => !isXmlType(bareType(type)));
  if (taken.length === 0) return unsupported('The document takes only XML here, which is not read.', []);
  const quoted = JSON.stringify(sent.slice(0, 100));
  return unsupported(`The content type ${quoted} is not taken here. Send ${taken.join(' or ')}.`, taken);
};

const missing = (): BodyRead => {
  const message = 'A body is required.';
  const faults = [{ in: 'body' as const, at: '', keyword: 'required', message }];
  return { error: { status: 400, code: 'missing_argument', message, field: 'body', faults } };
};

/** Text in the charset that the type names, UTF-8 where it names none. */
const textOf = (bytes: Uint8Array, type: string): { text: string } | BodyRead => {
  const charset = parameterOf(type, 'charset') ?? 'utf-8';
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch {
    return unsupported(`The charset ${JSON.stringify(charset.slice(0, 60))} is not known.`, []);
  }
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return syntax(`The body is not ${charset}`);
  }
};

const isText = (bare: string): boolean =>
  bare.startsWith('text/') || /(script|graphql|yaml|sql|ndjson|csv)$/.test(bare);

const finished = (read: Read, media: HttpMedia, type: string): BodyRead =>
  'why' in read ? syntax(read.why) : { body: { value: read.value, media, type: bareType(type) } };

const readAs = (
  bytes: Uint8Array,
  type: string,
  media: HttpMedia,
  refs: Refs,
  limits: Limits,
): BodyRead | Promise<BodyRead> => {
  const bare = bareType(type);
  if (bare === MULTIPART)
    return multipart(bytes, type, media, refs, limits).then((read) => finished(read, media, type));
  if (bare !== FORM && !isJsonType(bare) && !isText(bare)) return finished({ value: fileOf(bytes, bare) }, media, type);
  const read = textOf(bytes, type);
  if (!('text' in read)) return read;
  if (bare === FORM) return finished(urlencoded(read.text, media, refs, limits), media, type);
  return finished(isJsonType(bare) ? parseJson(read.text) : { value: read.text }, media, type);
};

/** An empty form is a form without fields, and the schema says what is missing. */
const nothing = ({ media }: HttpBody, sent: string): BodyRead => {
  const form = (sent === '' ? media : media.filter((one) => bareType(one.type) === bareType(sent))).find(
    (one) => bareType(one.type) === FORM,
  );
  return form ? { body: { value: {}, media: form, type: FORM } } : missing();
};

/** Enough to see what it looks like; its end may be half a character. */
const startOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 64)).toString('latin1');

/** `curl -d '{...}'` calls its JSON a form; servers that take no forms read it as what it is. */
const asCurlSends = (media: readonly HttpMedia[], sent: string, bytes: Uint8Array): HttpMedia | undefined =>
  bareType(sent) === FORM && /^\s*[{[]/.test(startOf(bytes))
    ? media.find((one) => isJsonType(bareType(one.type)))
    : undefined;

/** At once, but for multipart. A body where the document has none is not looked at. */
export const bodyOf = (
  declared: HttpBody | undefined,
  request: FaceRequest,
  refs: Refs,
  limits: Limits,
): BodyRead | Promise<BodyRead> => {
  const raw = request.body;
  if (raw && raw.byteLength > limits.bytes) return { error: tooLarge(limits.bytes) };
  if (!declared) return {};
  const unpacked = raw && inflated(raw, request.headers['content-encoding'], limits);
  if (unpacked && 'error' in unpacked) return unpacked;
  const bytes = unpacked?.bytes;
  const sent = request.headers['content-type']?.trim() ?? '';
  if (!bytes || bytes.byteLength === 0) return declared.required ? nothing(declared, sent) : {};
  if (sent !== '') {
    const media = mediaFor(declared.media, sent, (schema) => takes(formsOf(schema, refs), 'object'));
    if (media) return readAs(bytes, sent, media, refs, limits);
    const json = asCurlSends(declared.media, sent, bytes);
    return json ? readAs(bytes, 'application/json', json, refs, limits) : notTaken(declared.media, sent);
  }
  const media = guessed(declared.media, startOf(bytes));
  if (!media) return declared.media.length > 0 ? notTaken(declared.media, '') : {};
  return readAs(bytes, media.type.includes('*') ? 'application/json' : media.type, media, refs, limits);
};
