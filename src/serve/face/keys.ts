/** Where a request may hold an API key: what the document's security schemes say, and what clients send anyway. */
import { isNode, type Node } from '../../document/node.js';
import type { Refs } from '../../document/refs.js';
import type { FaceRequest } from './types.js';

export interface KeyPlace {
  in: 'header' | 'query' | 'cookie';
  name: string;
}

const USUAL: readonly KeyPlace[] = [
  { in: 'header', name: 'authorization' },
  { in: 'header', name: 'x-api-key' },
  { in: 'header', name: 'api-key' },
];

/** The document's own first. */
export const keyPlacesOf = (root: Node, refs: Refs): KeyPlace[] => {
  const components = isNode(root.components) ? root.components : {};
  const schemes = isNode(components.securitySchemes) ? Object.values(components.securitySchemes) : [];
  const own = schemes.flatMap((scheme): KeyPlace[] => {
    const { node } = refs.resolve(scheme);
    if (node.type !== 'apiKey' || typeof node.name !== 'string') return [];
    const place = node.in;
    if (place !== 'header' && place !== 'query' && place !== 'cookie') return [];
    return [{ in: place, name: place === 'header' ? node.name.toLowerCase() : node.name }];
  });
  const all = [...own, ...USUAL];
  return all.filter((one, i) => all.findIndex((other) => other.in === one.in && other.name === one.name) === i);
};

const cookieOf = (header: string | undefined, name: string): string | undefined => {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
};

/** The first key there is; the whole header, so that a scheme's word is part of it. */
export const keyOf = ({ headers, query }: FaceRequest, places: readonly KeyPlace[]): string | undefined => {
  for (const { in: place, name } of places) {
    const found =
      place === 'header'
        ? headers[name]
        : place === 'cookie'
          ? cookieOf(headers.cookie, name)
          : query === ''
            ? undefined
            : (new URLSearchParams(query).get(name) ?? undefined);
    if (found) return found;
  }
  return undefined;
};

const NAMING = 'treadle_session_';
const NAMED = new RegExp(`(?:^|[\\s:="])${NAMING}([A-Za-z0-9_.-]{1,100})`);

/** A key that names a session, for clients that can be given a key and nothing else. */
export const keyNaming = (name: string): string => NAMING + name;

/** What a key says in plain text: basic authentication is decoded. */
const plain = (key: string): string => {
  const [, basic] = /^basic\s+([A-Za-z0-9+/=_-]{1,1024})$/i.exec(key) ?? [];
  return basic === undefined ? key : Buffer.from(basic, 'base64').toString('utf8');
};

/** The session that a key names: `Bearer treadle_session_NAME`, or the user or password of basic authentication. */
export const sessionIn = (key: string): string | undefined => {
  const text = plain(key);
  return text.includes(NAMING) ? NAMED.exec(text)?.[1] : undefined;
};

/** As sessions/server/tokens.ts mints them. */
const TOKEN = /(?:^|[\s:="'])(trd_[\w-]{16}\.[\w-]{43})(?![\w-])/;

/** The token of a session that a key is, or holds: `Bearer TOKEN`, `Token token="TOKEN"`, a user or password. */
export const tokenIn = (key: string): string | undefined => TOKEN.exec(plain(key))?.[1];

/** A token where nothing says that keys are: in any header, or in the query. */
export const strayToken = ({ headers, query }: FaceRequest): string | undefined => {
  for (const name in headers) {
    const value = headers[name];
    const found = value?.includes('trd_') ? TOKEN.exec(value)?.[1] : undefined;
    if (found !== undefined) return found;
  }
  return query.includes('trd_') ? TOKEN.exec(query)?.[1] : undefined;
};
