/** A list's answer with where it goes on: in its body as the schema has it, and in a `Link` header. The last page says that it is. */
import type { Json } from '../../../kit/hash.js';
import type { FaceRequest } from '../types.js';
import type { Meaning, PagePart } from './page-parts.js';
import { markOf, type PageParam, queryOf, type Shown, type Turn } from './paging.js';
import { dig } from './row.js';

interface Around {
  request: FaceRequest;
  param: PageParam | undefined;
  shown: Shown;
}

type Holder = { [key: string]: Json };

const isHolder = (value: Json | undefined): value is Holder =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const pathFor = (turn: Turn, { request, param, shown }: Around): string | undefined => {
  const query = queryOf(turn, param, shown, request.query);
  return query === undefined ? undefined : `${request.path}${query === '' ? '' : `?${query}`}`;
};

const isLastSaid = (turn: Turn): boolean => turn === 'next' || turn === 'previous';

const numberFor = (kind: Meaning['kind'], { param, shown }: Around): number | undefined => {
  const { offset, limit, more, total, count } = shown;
  const size = Math.max(1, limit);
  const all = total ?? (more ? undefined : offset + count);
  switch (kind) {
    case 'total':
      return all ?? offset + count + 1;
    case 'count':
      return count;
    case 'page':
      return Math.floor(offset / size) + (param?.style === 'page0' ? 0 : 1);
    case 'pages':
      return Math.max(1, Math.ceil((all ?? offset + count + 1) / size));
    case 'size':
      return size;
    case 'offset':
    case 'from':
      return offset;
    case 'to':
      return offset + Math.max(0, count - 1);
    default:
      return undefined;
  }
};

/** What the part says; undefined where there is no such page. */
const said = (meaning: Meaning, around: Around): Json | undefined => {
  const { request, param, shown } = around;
  switch (meaning.kind) {
    case 'address': {
      const path = pathFor(meaning.turn, around);
      return path === undefined ? undefined : `${request.origin}${path}`;
    }
    case 'path':
      return pathFor(meaning.turn, around);
    case 'mark':
      return markOf(meaning.turn, param, shown);
    case 'number': {
      const mark = markOf(meaning.turn, param ?? { name: 'page', style: 'page1' }, shown);
      return mark === undefined || !/^\d+$/.test(mark) ? undefined : Number(mark);
    }
    case 'more':
      return shown.more;
    case 'before':
      return shown.offset > 0;
    case 'last-flag':
      return !shown.more;
    case 'first-flag':
      return shown.offset === 0;
    case 'empty':
      return shown.count === 0;
    case 'first-key':
      return shown.firstKey;
    case 'last-key':
      return shown.lastKey;
    default:
      return numberFor(meaning.kind, around);
  }
};

const holderAt = (body: Json, path: readonly string[]): Holder | undefined => {
  const parent = dig(body, path.slice(0, -1));
  return isHolder(parent) ? parent : undefined;
};

/** The raw result with the objects that parts stand in, so that their shapes fill them. */
export const withHolders = (result: Json, parts: readonly PagePart[], around: Around): Json => {
  if (!isHolder(result)) return result;
  let out = result;
  for (const { path, meaning } of parts) {
    if (path.length < 2 || dig(out, path.slice(0, -1)) !== undefined || said(meaning, around) === undefined) continue;
    if (out === result) out = { ...result };
    let at = out;
    for (const name of path.slice(0, -1)) {
      const held = at[name];
      const next: Holder = isHolder(held) ? { ...held } : {};
      at[name] = next;
      at = next;
    }
  }
  return out;
};

/** Writes the parts that the tool did not into a fitted body. */
export const writePages = (body: Json, result: Json, parts: readonly PagePart[], around: Around): void => {
  for (const { path, meaning, flat, required } of parts) {
    const name = path.at(-1) as string;
    const holder = holderAt(body, path);
    const given = dig(result, path);
    if (!holder || (given !== undefined && given !== null)) continue;
    const value = said(meaning, around);
    if (value !== undefined) holder[name] = value;
    else if ('turn' in meaning && isLastSaid(meaning.turn)) {
      if (flat.nullable) holder[name] = null;
      else if (!required && !Object.hasOwn(holder, name)) continue;
      else if (required) holder[name] = meaning.kind === 'number' ? 0 : '';
      else delete holder[name];
    } else if ('turn' in meaning && Object.hasOwn(holder, name) && flat.nullable) holder[name] = null;
  }
};

const RELATIONS: readonly (readonly [Turn, string])[] = [
  ['first', 'first'],
  ['previous', 'prev'],
  ['next', 'next'],
  ['last', 'last'],
];

/** RFC 8288; undefined where everything is on this page. */
export const linkHeader = (around: Around): string | undefined => {
  const { shown, request } = around;
  if (!shown.more && shown.offset === 0) return undefined;
  const links = RELATIONS.flatMap(([turn, relation]) => {
    // GitHub names the first page on later ones only, the last on those before it.
    if (turn === 'first' && shown.offset === 0) return [];
    if (turn === 'last' && !shown.more) return [];
    const path = pathFor(turn, around);
    return path === undefined ? [] : [`<${request.origin}${path}>; rel="${relation}"`];
  });
  return links.length > 0 ? links.join(', ') : undefined;
};
