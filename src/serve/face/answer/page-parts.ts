/** Properties around a list that say where it goes on: found by name and kind when the schema is compiled. */
import { snake } from '../../../kit/words.js';
import type { Flat } from './flat.js';
import { kindsOf } from './kinds.js';
import type { PageParam, Turn } from './paging.js';
import type { Shapes } from './scope.js';

export type Meaning =
  | { kind: 'address' | 'path' | 'mark' | 'number'; turn: Turn }
  | { kind: 'first-key' | 'last-key' }
  | { kind: 'more' | 'before' | 'last-flag' | 'first-flag' | 'empty' }
  | { kind: 'total' | 'count' | 'page' | 'pages' | 'size' | 'offset' | 'from' | 'to' };

export interface PagePart {
  path: readonly string[];
  meaning: Meaning;
  flat: Flat;
  /** Of the object that it stands in. */
  required: boolean;
}

const TURNS: readonly (readonly [RegExp, Turn])[] = [
  [/^(@?odata_)?next(_?(page|results|set))?(_?(url|uri|link|href|path))?$/, 'next'],
  [/^prev(ious)?(_?(page|results|set))?(_?(url|uri|link|href|path))?$/, 'previous'],
  [/^first(_?page)?_?(url|uri|link|href|path)$|^first(_page)?$/, 'first'],
  [/^last(_?page)?_?(url|uri|link|href|path)$|^last$/, 'last'],
];
const MARKS: readonly (readonly [RegExp, Turn])[] = [
  [
    /^(next_(cursor|page_token|token|marker|page_cursor|page_id|key|start_key|offset_token)|cursor|continuation_?token|end_cursor|after|nextmarker|nexttoken|nextpagetoken)$/,
    'next',
  ],
  [/^(prev(ious)?_(cursor|page_token|token)|start_cursor|before)$/, 'previous'],
];
const FLAGS: readonly (readonly [RegExp, Meaning['kind']])[] = [
  [
    /^(has_more|more|has_next|has_next_page|hasmore|has_more_items|has_more_results|more_items_in_collection|is_truncated|more_results|has_additional)$/,
    'more',
  ],
  [/^(has_prev(ious)?(_page)?)$/, 'before'],
  [/^(last|is_last|is_last_page|last_page|end|end_of_list|is_end)$/, 'last-flag'],
  [/^(first|is_first|is_first_page|first_page)$/, 'first-flag'],
  [/^(empty|is_empty)$/, 'empty'],
];
const NUMBERS: readonly (readonly [RegExp, Meaning['kind']])[] = [
  [
    /^(total|total_(count|items|results|elements|records|size|num|entries|number|rows)|record_count|totals|num_found|totalcount|totalresults|totalitems)$/,
    'total',
  ],
  [/^(count|number_of_elements|returned|results?_count|num_results|item_count|items_count)$/, 'count'],
  [/^(page|current_page|page_number|page_index|page_no|pagenumber)$/, 'page'],
  [/^(pages|total_pages|page_count|last_page|num_pages|totalpages)$/, 'pages'],
  [/^(per_page|page_size|limit|size|pagesize|items_per_page|max_results|perpage)$/, 'size'],
  [/^(offset|skip|start_at|start_index)$/, 'offset'],
  [/^(start|from)$/, 'from'],
  [/^(end|to)$/, 'to'],
];
const NESTS =
  /^(_?meta|metadata|_?links|paging|pagination|page_?info|page|response_metadata|cursors?|info|result_info|_?links_pages|pages|cursor_metadata)$/;
const MOST_PARTS = 40;

const find = <T>(table: readonly (readonly [RegExp, T])[], plain: string): T | undefined =>
  table.find(([pattern]) => pattern.test(plain))?.[1];

const described = (flat: Flat, words: RegExp): boolean =>
  flat.examples.some((one) => typeof one === 'string' && words.test(one));

const textMeaning = (plain: string, flat: Flat, param: PageParam | undefined): Meaning | undefined => {
  const mark = find(MARKS, plain);
  if (mark !== undefined && flat.bounds.format !== 'uri') return { kind: 'mark', turn: mark };
  const turn = find(TURNS, plain);
  if (plain === 'first_id' || plain === 'last_id') return { kind: plain === 'first_id' ? 'first-key' : 'last-key' };
  if (turn === undefined) return undefined;
  // Twilio's libraries put the address of the server before what is called a URI.
  if (/page_uri$/.test(plain) || described(flat, /^\//)) return { kind: 'path', turn };
  const isAddress =
    /url|uri|link|href/.test(plain) ||
    /^(uri|url|uri-reference)$/.test(flat.bounds.format ?? '') ||
    described(flat, /^https?:/);
  const marked = param?.style === 'cursor' || param?.style === 'after';
  return { kind: isAddress || !marked ? 'address' : 'mark', turn };
};

const meaningOf = (plain: string, flat: Flat, param: PageParam | undefined): Meaning | undefined => {
  const kinds = kindsOf(flat);
  if (kinds.includes('boolean')) {
    const kind = find(FLAGS, plain);
    return kind === undefined ? undefined : ({ kind } as Meaning);
  }
  if (kinds.includes('string')) return textMeaning(plain, flat, param);
  if (kinds.includes('integer') || kinds.includes('number')) {
    const turn = find(TURNS, plain);
    if (turn !== undefined && plain !== 'last_page' && plain !== 'first_page') return { kind: 'number', turn };
    const kind = find(NUMBERS, plain);
    return kind === undefined ? undefined : ({ kind } as Meaning);
  }
  return undefined;
};

interface Walk {
  shapes: Shapes;
  param: PageParam | undefined;
  out: PagePart[];
}

/** `{href}` and the like, where the object itself is called `next`. */
const linkInside = (flat: Flat, turn: Turn, at: readonly string[], { shapes, out, param }: Walk): void => {
  for (const [name, schema] of flat.properties) {
    const inner = shapes.flats.of(schema);
    const plain = snake(name);
    if (!kindsOf(inner).includes('string')) continue;
    const part = { path: [...at, name], flat: inner, required: flat.required.has(name) };
    if (/^(href|url|uri|link)$/.test(plain)) out.push({ ...part, meaning: { kind: 'address', turn } });
    else if (find(MARKS, plain) === turn && param !== undefined) out.push({ ...part, meaning: { kind: 'mark', turn } });
  }
};

/** Its own and those of the branches that it may have: some documents give the first page other links than the last. */
const propertiesIn = (flat: Flat, shapes: Shapes): ReadonlyMap<string, unknown> => {
  if (flat.choices.length === 0) return flat.properties;
  const all = new Map(flat.properties);
  for (const { branches } of flat.choices)
    for (const branch of branches.slice(0, MOST_PARTS))
      for (const [name, schema] of shapes.flats.of(branch).properties) if (!all.has(name)) all.set(name, schema);
  return all;
};

const isObject = (flat: Flat, shapes: Shapes): boolean =>
  kindsOf(flat)[0] === 'object' || (kindsOf(flat).length === 0 && propertiesIn(flat, shapes).size > 0);

const walk = (flat: Flat, list: readonly string[], path: readonly string[], into: Walk): void => {
  for (const [name, schema] of propertiesIn(flat, into.shapes)) {
    if (into.out.length >= MOST_PARTS || name === '__proto__') return;
    const at = { path: [...path, name], required: flat.required.has(name) };
    const inner = into.shapes.flats.of(schema);
    const plain = snake(name).replace(/^_+/, '');
    if (name === list[0]) {
      if (list.length > 1) walk(inner, list.slice(1), at.path, into);
      continue;
    }
    if (isObject(inner, into.shapes)) {
      const turn = find(TURNS, plain);
      if (turn !== undefined) linkInside(inner, turn, at.path, into);
      else if (NESTS.test(plain) && path.length < 3) walk(inner, [], at.path, into);
      continue;
    }
    const meaning = meaningOf(plain, inner, into.param);
    if (meaning) into.out.push({ ...at, meaning, flat: inner });
  }
};

/** Parts of the answer around the list at `list`; none where the list is the answer. */
export const pageParts = (
  flat: Flat,
  list: readonly string[],
  param: PageParam | undefined,
  shapes: Shapes,
): PagePart[] => {
  if (list.length === 0) return [];
  const into: Walk = { shapes, param, out: [] };
  walk(flat, list, [], into);
  return into.out;
};
