/** The parameters of a request as values, by `place name`. */
import type { HttpParam } from '../../../document/http.js';
import { isNode } from '../../../document/node.js';
import type { Refs } from '../../../document/refs.js';
import type { Json } from '../../../kit/hash.js';
import type { FaceRequest, RequestFault } from '../types.js';
import { coerce } from './coerce.js';
import { parseJson } from './json.js';
import { cookiesOf, formDecoded, type Pair, pairsOf } from './pairs.js';
import type { Found } from './router.js';
import { explodedFields, explodedList, styledValue } from './styles.js';
import { decoded } from './template.js';
import { grow, inner, isInner, keysOf } from './tree.js';
import { type Forms, formsOf, isOpen, propertyNames, takes } from './view.js';

/** Some documents write the marks of a wild hole in the parameter's name too. */
const plainName = (name: string): string => name.replace(/^\+|[+*]$/g, '');

/** Headers are not percent-encoded; their items come with spaces. */
const trimmed = (text: string): string => text.trim();

const percentDecoded = (text: string): string => decoded(text) ?? text;

interface Reading {
  refs: Refs;
  faults: RequestFault[];
  params: Record<string, Json>;
}

const keep = (to: Reading, param: HttpParam, value: Json | undefined): void => {
  if (value !== undefined) to.params[`${param.in} ${param.name}`] = value;
};

/** Parameters whose value is written in a media type instead of a style. */
const contentValue = (to: Reading, param: HttpParam, text: string): Json | undefined => {
  if (!/json/i.test(param.content ?? '')) return text;
  const read = parseJson(text);
  if ('value' in read) return read.value;
  to.faults.push({ in: param.in, at: param.name, keyword: 'syntax', message: `${param.name}: ${read.why}` });
  return undefined;
};

const single = (to: Reading, param: HttpParam, raw: string | undefined, decode: (raw: string) => string): void => {
  if (raw === undefined) return;
  keep(to, param, param.content ? contentValue(to, param, decode(raw)) : styledValue(param, raw, decode, to.refs));
};

/** `filter[a]=1` for `filter`, and for a parameter that is itself written with brackets (`page[size]`, `ids[]`). */
const bracketed = (param: HttpParam, pairs: readonly Pair[], refs: Refs): Json | undefined => {
  const base = param.name.replace(/\[\]$/, '');
  const root = inner();
  for (const { name, text } of pairs) if (name === base || name.startsWith(`${base}[`)) grow(root, name, text);
  let at = root.named.get(keysOf(base)[0] ?? base);
  for (const key of keysOf(base).slice(1)) at = isInner(at) ? at.named.get(key) : undefined;
  return at === undefined ? undefined : coerce(at, formsOf(param.schema, refs), refs);
};

const hasBrackets = (param: HttpParam, pairs: readonly Pair[]): boolean => {
  const open = `${param.name.replace(/\[\]$/, '')}[`;
  return pairs.some(({ name }) => name !== param.name && name.startsWith(open));
};

/** Properties of an exploded object are parameters themselves: those it names, or all that nobody else claims where it takes any. */
const fieldPairs = (param: HttpParam, forms: Forms, pairs: readonly Pair[], claimed: ReadonlySet<string>): Pair[] => {
  const known = new Set(propertyNames(forms));
  const takesAny = forms.some((form) => form.additionalProperties === true || isNode(form.additionalProperties));
  return pairs.filter(
    ({ name }) => name !== param.name && (known.has(name) || (takesAny && !claimed.has(name))) && !claimed.has(name),
  );
};

const claimedBeside = (param: HttpParam, list: readonly HttpParam[]): ReadonlySet<string> =>
  new Set(list.filter((other) => other.in === 'query' && other !== param).map(({ name }) => name));

const queryValue = (
  to: Reading,
  param: HttpParam,
  pairs: readonly Pair[],
  claimed: () => ReadonlySet<string>,
): void => {
  const own = pairs.filter(({ name }) => name === param.name);
  const last = own.at(-1);
  if (param.content) {
    if (last) keep(to, param, contentValue(to, param, last.text));
    return;
  }
  const forms = formsOf(param.schema, to.refs);
  if (param.empty && last?.text === '' && !isOpen(forms) && !takes(forms, 'string')) return;
  const isList = takes(forms, 'array');
  const isObject = takes(forms, 'object');
  if ((isList || isObject || isOpen(forms)) && hasBrackets(param, pairs)) {
    keep(to, param, bracketed(param, pairs, to.refs));
    return;
  }
  if (isObject && last === undefined && param.style === 'form' && param.explode) {
    keep(to, param, explodedFields(fieldPairs(param, forms, pairs, claimed()), forms, to.refs));
    return;
  }
  if (last === undefined) return;
  if (isList && (own.length > 1 || param.explode)) {
    keep(
      to,
      param,
      explodedList(
        own.map(({ text }) => text),
        forms,
        to.refs,
      ),
    );
    return;
  }
  keep(to, param, styledValue(param, last.raw, formDecoded, to.refs));
};

const cookieValue = (to: Reading, param: HttpParam, header: string | undefined): void => {
  const forms = formsOf(param.schema, to.refs);
  const nested = param.explode && !param.content && (takes(forms, 'array') || takes(forms, 'object'));
  if (!nested) {
    single(to, param, cookiesOf(header).find(({ name }) => name === param.name)?.raw, percentDecoded);
    return;
  }
  queryValue(to, param, cookiesOf(header?.replaceAll('&', ';')), () => new Set());
};

/** What the document names is read, and holes of the path that it forgot to name; whatever else is sent is not looked at, as servers do. Faults are those of syntax only. */
export const paramsOf = (
  list: readonly HttpParam[],
  found: Found,
  request: FaceRequest,
  refs: Refs,
  most: number,
): { params: Record<string, Json>; faults: RequestFault[] } | undefined => {
  const to: Reading = { refs, faults: [], params: {} };
  let pairs: Pair[] | undefined;
  for (const param of list) {
    if (param.in === 'path') single(to, param, found.raw.get(plainName(param.name)), percentDecoded);
    else if (param.in === 'header') single(to, param, request.headers[param.name.toLowerCase()], trimmed);
    else if (param.in === 'cookie') cookieValue(to, param, request.headers.cookie);
    else {
      pairs ??= pairsOf(request.query, most);
      if (pairs === undefined) return undefined;
      queryValue(to, param, pairs, () => claimedBeside(param, list));
    }
  }
  for (const [name, text] of found.params)
    if (!list.some((param) => param.in === 'path' && plainName(param.name) === name)) to.params[`path ${name}`] = text;
  return { params: to.params, faults: to.faults };
};
