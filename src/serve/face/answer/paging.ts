/** Where a list goes on: the request's own query with its page moved, by the operation's own parameter. */
import type { Binding } from '../../../artifacts/face.js';
import type { HttpOperation, HttpParam } from '../../../document/http.js';
import { isNode } from '../../../document/node.js';
import type { Json } from '../../../kit/hash.js';
import { snake } from '../../../kit/words.js';
import { writeCursor } from '../../../world/surface/cursor.js';

/** The same words as those that make a parameter a page mark of a tool (author/openapi/query.ts). */
const OFFSET = /^(offset|skip|start|start_at|start_index|from_index|page_offset)$/;
const PAGE = /^(page|page_number|pagenumber|p|page_no|page_index|current_page|page_num)$/;
const CURSOR =
  /^(cursor|page_token|pagetoken|next_token|next_cursor|continuation|continuation_token|marker|bookmark|scroll_id|next_page_token|page_cursor|start_cursor|after_cursor|next_page)$/;
const AFTER = /^(starting_after|start_after|since_id|after_id|last_id|from_id|page_after)$/;

export type PageStyle = 'offset' | 'page0' | 'page1' | 'cursor' | 'after';

export interface PageParam {
  name: string;
  style: PageStyle;
}

/** Which rows an answer shows, as far as is known. */
export interface Shown {
  offset: number;
  limit: number;
  more: boolean;
  total: number | undefined;
  /** Rows in this answer. */
  count: number;
  firstKey: Json | undefined;
  lastKey: Json | undefined;
}

const startsAtZero = ({ schema, description }: HttpParam): boolean =>
  schema.default === 0 ||
  schema.minimum === 0 ||
  /zero[- ]based|0[- ]based|starts? (at|from|with) 0/i.test(description ?? '');

const styleOf = (param: HttpParam): PageStyle | undefined => {
  const plain = snake(param.name);
  if (OFFSET.test(plain)) return 'offset';
  if (CURSOR.test(plain)) return 'cursor';
  if (AFTER.test(plain)) return 'after';
  if (!PAGE.test(plain)) return undefined;
  if (isNode(param.schema) && param.schema.type === 'string') return 'cursor';
  return startsAtZero(param) ? 'page0' : 'page1';
};

/** The parameter that moves the page: of those that the tool takes, where one is bound. */
export const pageParamOf = (operation: HttpOperation, binding: Binding | undefined): PageParam | undefined => {
  const bound = binding && new Set(binding.args.filter((arg) => arg.in === 'query').map((arg) => arg.name));
  for (const param of operation.params) {
    if (param.in !== 'query' || (bound && !bound.has(param.name))) continue;
    const style = styleOf(param);
    if (style !== undefined) return { name: param.name, style };
  }
  return undefined;
};

const plainName = (pair: string): string => {
  const name = (pair.split('=')[0] ?? '').replaceAll('+', ' ');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
};

/** The query with one parameter set, or taken out. */
export const withParam = (query: string, name: string, value: string | undefined): string => {
  const kept = query.split('&').filter((pair) => pair !== '' && plainName(pair) !== name);
  if (value !== undefined) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return kept.join('&');
};

export type Turn = 'next' | 'previous' | 'first' | 'last';

const offsetOf = (turn: Turn, { offset, limit, more, total, count }: Shown): number | undefined => {
  const size = Math.max(1, limit);
  switch (turn) {
    case 'next':
      return more && count > 0 ? offset + count : undefined;
    case 'previous':
      return offset > 0 ? Math.max(0, offset - size) : undefined;
    case 'first':
      return 0;
    case 'last':
      return total === undefined ? (more ? undefined : offset) : Math.max(0, Math.floor((total - 1) / size) * size);
  }
};

/** The page mark of a turn as the parameter takes it; undefined where there is no such page or its mark is not known. */
export const markOf = (turn: Turn, param: PageParam | undefined, shown: Shown): string | undefined => {
  const offset = offsetOf(turn, shown);
  if (offset === undefined) return undefined;
  switch (param?.style) {
    case 'offset':
      return String(offset);
    case 'page0':
    case 'page1': {
      const page = Math.ceil(offset / Math.max(1, shown.limit));
      return String(param.style === 'page0' ? page : page + 1);
    }
    case 'after':
      return turn === 'next' && shown.lastKey !== undefined ? String(shown.lastKey) : undefined;
    default:
      return offset === 0 ? undefined : writeCursor(offset);
  }
};

/** The query of a turn; undefined where there is no such page. */
export const queryOf = (turn: Turn, param: PageParam | undefined, shown: Shown, query: string): string | undefined => {
  if (param === undefined) return undefined;
  if (turn === 'first' && (param.style === 'cursor' || param.style === 'after'))
    return withParam(query, param.name, undefined);
  const mark = markOf(turn, param, shown);
  if (mark !== undefined) return withParam(query, param.name, mark);
  // The first page of a cursor has none.
  return turn === 'previous' && param.style === 'cursor' && shown.offset > 0
    ? withParam(query, param.name, undefined)
    : undefined;
};
