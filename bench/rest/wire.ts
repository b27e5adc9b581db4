/** Requests written out as OpenAPI 3.1, 4.8.12 says: parameters by place and style, bodies by media type. */
import type { HttpMedia, HttpOperation, HttpParam } from '../../src/document/http.js';

export type Values = Map<HttpParam, unknown>;

export interface WrittenBody {
  media: HttpMedia;
  value: unknown;
}

const enc = encodeURIComponent;
const plain = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const pairs = (value: Record<string, unknown>, between: string): string[] =>
  Object.entries(value).map(([key, one]) => `${enc(key)}${between}${enc(plain(one))}`);

const simple = (value: unknown, explode: boolean): string => {
  if (Array.isArray(value)) return value.map((one) => enc(plain(one))).join(',');
  if (isObject(value)) return pairs(value, explode ? '=' : ',').join(',');
  return enc(plain(value));
};

const inPath = ({ name, style, explode, content }: HttpParam, value: unknown): string => {
  if (content !== undefined) return enc(JSON.stringify(value));
  if (style === 'label')
    return `.${Array.isArray(value) && explode ? value.map((one) => enc(plain(one))).join('.') : simple(value, explode)}`;
  if (style === 'matrix') return `;${name}=${simple(value, false)}`;
  return simple(value, explode);
};

const deep = (name: string, value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap((one, i) => deep(`${name}[${i}]`, one));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => deep(`${name}[${key}]`, one));
  return [`${enc(name)}=${enc(plain(value))}`];
};

const inQuery = ({ name, style, explode, content }: HttpParam, value: unknown): string[] => {
  if (content !== undefined) return [`${enc(name)}=${enc(JSON.stringify(value))}`];
  if (style === 'deepObject' && isObject(value)) return deep(name, value);
  if (Array.isArray(value)) {
    if (explode) return value.map((one) => `${enc(name)}=${enc(plain(one))}`);
    const between = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
    return value.length === 0 ? [] : [`${enc(name)}=${value.map((one) => enc(plain(one))).join(between)}`];
  }
  if (isObject(value)) return explode ? pairs(value, '=') : [`${enc(name)}=${pairs(value, ',').join(',')}`];
  return [`${enc(name)}=${enc(plain(value))}`];
};

const inHeader = ({ content, explode }: HttpParam, value: unknown): string => {
  if (content !== undefined) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(plain).join(',');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, one]) => `${key}${explode ? '=' : ','}${plain(one)}`)
      .join(',');
  return plain(value);
};

const formOf = ({ encoding }: HttpMedia, value: unknown): string =>
  Object.entries(isObject(value) ? value : {})
    .flatMap(([name, one]) => {
      const { style = 'form', explode = style === 'form', contentType } = encoding[name] ?? {};
      if (contentType?.includes('json')) return [`${enc(name)}=${enc(JSON.stringify(one))}`];
      if (style === 'deepObject') return deep(name, one);
      if (isObject(one))
        return encoding[name]?.style === undefined ? [`${enc(name)}=${enc(JSON.stringify(one))}`] : pairs(one, '=');
      if (Array.isArray(one) && explode) return one.map((item) => `${enc(name)}=${enc(plain(item))}`);
      return [`${enc(name)}=${enc(Array.isArray(one) ? one.map(plain).join(',') : plain(one))}`];
    })
    .join('&');

const multipart = (value: unknown): FormData => {
  const form = new FormData();
  for (const [name, one] of Object.entries(isObject(value) ? value : {}))
    for (const item of Array.isArray(one) ? one : [one]) form.append(name, plain(item));
  return form;
};

/** Types that a body can be written in here, the plainest first. */
const READABLE = [
  /^application\/json\b/i,
  /\+json\b/i,
  /json/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\//i,
  /^text\/plain/i,
];

export const mediaFor = ({ body }: HttpOperation): HttpMedia | undefined => {
  for (const kind of READABLE) {
    const found = body?.media.find(({ type }) => kind.test(type));
    if (found) return found;
  }
  return body?.media.find(({ type }) => type.startsWith('*/*') || type === 'application/*') ?? body?.media[0];
};

const bodyInit = ({ media, value }: WrittenBody): { body: string | FormData; type?: string } => {
  const type = media.type.replace(/\*\/\*|application\/\*/, 'application/json');
  if (/json/i.test(type)) return { body: JSON.stringify(value), type };
  if (/x-www-form-urlencoded/i.test(type)) return { body: formOf(media, value), type };
  if (/^multipart\//i.test(type)) return { body: multipart(value) };
  return { body: typeof value === 'string' ? value : JSON.stringify(value), type };
};

export const ORIGIN = 'http://fake.test';

/** A whole request; a path parameter without a value stays as the document writes it. */
export const requestOf = (
  { method, path }: HttpOperation,
  values: Values,
  body: WrittenBody | undefined,
  session: string,
): Request => {
  const headers = new Headers({ 'x-treadle-session': session });
  const query: string[] = [];
  const cookies: string[] = [];
  let at = path;
  for (const [param, value] of values) {
    if (param.in === 'path') at = at.replaceAll(`{${param.name}}`, () => inPath(param, value));
    else if (param.in === 'query') query.push(...inQuery(param, value));
    else if (param.in === 'cookie') cookies.push(`${param.name}=${enc(plain(value))}`);
    else if (!/^(accept|content-type|authorization)$/i.test(param.name))
      headers.set(param.name, inHeader(param, value));
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  // `#Action=List` is no fragment: the query says it, or a header of that name.
  const [bare = '', ...said] = at.split('#');
  for (const one of said.flatMap((part) => part.split('&'))) {
    const cut = one.indexOf('=');
    if (/^x-/i.test(one)) headers.set(one.slice(0, cut), one.slice(cut + 1));
    // `#tagKeys` only says that there is such a parameter.
    else if (!query.some((part) => part === one || part.startsWith(`${one}=`))) query.push(one);
  }
  const url = `${ORIGIN}${bare}${query.length > 0 ? `${bare.includes('?') ? '&' : '?'}${query.join('&')}` : ''}`;
  const written = body && bodyInit(body);
  if (written?.type !== undefined) headers.set('content-type', written.type);
  return new Request(url, { method: method.toUpperCase(), headers, ...(written ? { body: written.body } : {}) });
};
