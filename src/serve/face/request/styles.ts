/** A parameter's text to its value, by style: OpenAPI 3.1, 4.8.12.2, which is RFC 6570 with additions. */
import type { HttpParam } from '../../../document/http.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import { coerce, coerceText } from './coerce.js';
import type { Inner, Tree } from './tree.js';
import { type Forms, formsOf, isOpen, itemForms, propertyForms, takes } from './view.js';

/** How one style splits what it is given. */
interface Written {
  items: string;
  /** Between a property and its value; the same as `items` where they alternate. */
  pair: string;
}

/** Text without the mark that label and matrix begin with. */
const unmarked = (param: HttpParam, raw: string): string => {
  if (param.style === 'label') return raw.replace(/^\./, '');
  if (param.style === 'matrix') {
    const rest = raw.replace(/^;/, '');
    const mark = `${param.name}=`;
    return rest.startsWith(mark) ? rest.slice(mark.length) : rest;
  }
  return raw;
};

const ITEM_MARK: Record<string, string> = { label: '.', matrix: ';', spaceDelimited: ' ', pipeDelimited: '|' };

const writtenOf = ({ style, explode }: HttpParam): Written => {
  const mark = ITEM_MARK[style] ?? ',';
  if (style === 'label' || style === 'matrix') return explode ? { items: mark, pair: '=' } : { items: ',', pair: ',' };
  return { items: mark, pair: explode && style === 'simple' ? '=' : mark };
};

const node = (named: readonly [string, Tree][]): Inner => ({
  named: new Map(named.filter(([name]) => name !== '__proto__')),
  listed: [],
});

/** Clients that know nothing of styles encode the marks between items: `a%2Cb` where `a,b` is meant. None encodes a dot. */
const split = (raw: string, by: string, decode: (raw: string) => string): string[] => {
  if (raw === '') return [];
  if (raw.includes(by)) return raw.split(by).map(decode);
  const text = decode(raw);
  return by !== '.' && text.includes(by) ? text.split(by) : [text];
};

const fieldsOf = (raw: string, { items, pair }: Written, decode: (raw: string) => string): Inner => {
  const parts = split(raw, items, decode);
  if (items !== pair)
    return node(
      parts.map((part): [string, Tree] => {
        const at = part.indexOf(pair);
        return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + pair.length)];
      }),
    );
  const fields: [string, Tree][] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) fields.push([parts[i] as string, parts[i + 1] as string]);
  return node(fields);
};

const itemsFrom = (param: HttpParam, raw: string, written: Written, decode: (raw: string) => string): string[] => {
  const items = split(raw, written.items, decode);
  if (param.style !== 'matrix' || !param.explode) return items;
  const mark = `${param.name}=`;
  return items.map((item) => (item.startsWith(mark) ? item.slice(mark.length) : item));
};

const isObject = (forms: Forms): boolean => takes(forms, 'object') && !takes(forms, 'array');

/** Could it be one value as it stands? */
const isWhole = (text: string, forms: Forms): boolean =>
  typeof coerceText(text, forms) !== 'string' || isOpen(forms) || takes(forms, 'string');

/** One piece of text: of a path, a header or a cookie, or of a query that does not explode. */
export const styledValue = (param: HttpParam, raw: string, decode: (raw: string) => string, refs: Refs): Json => {
  const forms = formsOf(param.schema, refs);
  const written = writtenOf(param);
  const bare = unmarked(param, raw);
  const whole = decode(bare);
  if (param.style === 'deepObject' || isWholeBeside(whole, forms)) return coerce(whole, forms, refs);
  if (isObject(forms) && !/^\s*\{/.test(whole)) {
    const fields = fieldsOf(param.style === 'matrix' && param.explode ? raw.replace(/^;/, '') : bare, written, decode);
    return coerce(fields, forms, refs);
  }
  if (!takes(forms, 'array') || /^\s*\[/.test(whole)) return coerce(whole, forms, refs);
  const each = itemForms(forms, refs);
  return itemsFrom(param, bare, written, decode).map((item) => coerceText(item, each));
};

/** A list, an object or something else: the something else where it fits as it stands. */
const isWholeBeside = (text: string, forms: Forms): boolean => {
  const others = forms.filter((form) => !takes([form], 'array') && !takes([form], 'object') && !isOpen([form]));
  return others.length > 0 && isWhole(text, others);
};

/** `?id=1&id=2`; one value with commas in it is several where its items cannot hold commas. */
export const explodedList = (texts: readonly string[], forms: Forms, refs: Refs): Json => {
  const each = itemForms(forms, refs);
  const [only = ''] = texts;
  if (texts.length === 1 && isWholeBeside(only, forms)) return coerceText(only, forms);
  if (texts.length === 1 && /^\s*\[/.test(only)) return coerce(only, forms, refs);
  const apart = texts.length === 1 && only.includes(',') && !fitsItem(only, each) ? only.split(',') : texts;
  return apart.map((text) => coerce(text, each, refs));
};

const fitsItem = (text: string, each: Forms): boolean =>
  isOpen(each) ||
  each.some((form) => takes([form], 'string') && !Array.isArray(form.enum)) ||
  typeof coerceText(text, each) !== 'string';

/** `?a=1&b=2` for a parameter that is an object with `a` and `b`. */
export const explodedFields = (
  pairs: readonly { name: string; text: string }[],
  forms: Forms,
  refs: Refs,
): Json | undefined => {
  const named = new Map<string, Tree>();
  for (const { name, text } of pairs) {
    if (name === '__proto__') continue;
    const there = named.get(name);
    if (there === undefined) named.set(name, text);
    else if (typeof there === 'string') named.set(name, { named: new Map(), listed: [there, text] });
    else (there as Inner).listed.push(text);
  }
  if (named.size === 0) return undefined;
  return Object.fromEntries(
    [...named].map(([name, tree]): [string, Json] => [name, coerce(tree, propertyForms(forms, name, refs), refs)]),
  );
};
