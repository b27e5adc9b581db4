/** Finds the thing itself inside an answer or a body: `{data: [...], total}`, `{invoice: {...}}`, `{result: {items: [...]}}`. */
import { plural, singular, snake } from '../../kit/words.js';
import type { Schemas, View } from './schema.js';

export interface Unwrapped {
  many: boolean;
  /** Property names from the root to the item or the list. */
  path: string[];
  item: View;
  /** The object around it at each step of `path`. */
  around: View[];
}

const LISTS = new Set(
  'data items item results result records record values value entries list lists content rows elements objects resources collection members hits edges nodes response payload docs documents entities'.split(
    ' ',
  ),
);
const WRAPPERS = new Set(
  'data result item response payload resource record object body attributes content model entity value'.split(' '),
);
const META =
  /(^|_)(total|totals|count|counts|page|pages|paging|pagination|limit|offset|per_page|size|next|prev|previous|more|cursor|token|meta|metadata|link|links|success|status|message|messages|msg|code|error|errors|object|type|kind|href|url|uri|self|first|last|request_id|request|etag|warning|warnings|ok|info|included|facets|start|end|timestamp|context|jsonapi|version|api_version|result_type|took|aggregations|time|debug|odata.*)$/;

export const isMetaName = (name: string): boolean => META.test(snake(name));
export const isObject = (view: View): boolean => view.properties.size > 0;
export const isArray = (view: View): boolean =>
  view.types.has('array') || (view.items !== undefined && !isObject(view));

const namesOf = (noun: string): Set<string> => {
  const one = singular(snake(noun));
  return new Set([snake(noun), one, plural(one)]);
};

const hasOwnId = (view: View): boolean =>
  [...view.properties.keys()].some((name) => /^(_?id|uuid|guid|sid|gid|key|slug)$/i.test(name));

/** The list property of an object, if the object is an envelope around a list. */
const listProperty = (view: View, nouns: Set<string>, schemas: Schemas): string | undefined => {
  let best: { name: string; score: number } | undefined;
  let arrays = 0;
  for (const [name, raw] of view.properties) {
    const property = schemas.view(raw);
    if (!isArray(property)) continue;
    const item = schemas.view(property.items);
    if (!isObject(item)) continue;
    arrays++;
    const plain = snake(name);
    const score = nouns.has(plain)
      ? 4
      : LISTS.has(plain)
        ? 3
        : [...nouns].some((noun) => plain.endsWith(`_${noun}`))
          ? 2
          : isMetaName(name)
            ? 0
            : 1;
    if (!best || score > best.score) best = { name, score };
  }
  if (!best || best.score === 0) return undefined;
  const others = [...view.properties.keys()].filter((name) => name !== best.name);
  if (best.score >= 3)
    return hasOwnId(view) && others.filter((name) => !isMetaName(name)).length > 2 ? undefined : best.name;
  if (hasOwnId(view) || arrays > 1) return undefined;
  return others.every((name) => isMetaName(name) || !isObject(schemas.view(view.properties.get(name)))) &&
    others.length <= 8
    ? best.name
    : undefined;
};

/** The property that holds the one object, if the object around it is only a wrapper. */
const oneProperty = (view: View, nouns: Set<string>, schemas: Schemas): string | undefined => {
  const names = [...view.properties.keys()];
  // `{DetectionJobProperties: {...}}`: an object around one object says nothing.
  const [only] = names;
  if (only !== undefined && names.length === 1 && schemas.view(view.properties.get(only)).properties.size >= 3)
    return only;
  for (const name of names) {
    const plain = snake(name);
    if (!WRAPPERS.has(plain) && !nouns.has(plain)) continue;
    const property = schemas.view(view.properties.get(name));
    if (!isObject(property) && !isArray(property)) continue;
    const others = names.filter((other) => other !== name);
    const named =
      nouns.has(plain) && isObject(property) && !hasOwnId(view) && property.properties.size >= others.length;
    if (named && property.properties.size >= 3) return name;
    if (others.every(isMetaName) && !(plain !== 'data' && hasOwnId(view))) return name;
  }
  return undefined;
};

/** `{ok: true, channel: {id, ...}}`: the only object, with an id of its own, among nothing but what speaks of the answer. */
const loneProperty = (view: View, schemas: Schemas): string | undefined => {
  const objects = [...view.properties.keys()].filter((name) => isObject(schemas.view(view.properties.get(name))));
  const [name] = objects;
  if (name === undefined || objects.length > 1 || hasOwnId(view) || isMetaName(name)) return undefined;
  const others = [...view.properties.keys()].filter((other) => other !== name);
  const inner = schemas.view(view.properties.get(name));
  return others.length > 0 && others.every(isMetaName) && hasOwnId(inner) ? name : undefined;
};

/** Alternatives that hold lists themselves are whole answers, not rows of one. */
const rootOf = (schema: unknown, schemas: Schemas): View => {
  const view = schemas.view(schema);
  const one = schemas.one(schema);
  if (one === view) return view;
  return [...one.properties.values()].some((raw) => isArray(schemas.view(raw))) ? one : view;
};

/**
 * Unwraps up to three levels. `noun` is the resource's own word; `wantMany` says that a list is expected (a GET on a collection).
 * Undefined when no object is in there (a bare scalar, or nothing).
 */
export const unwrap = (
  schema: unknown,
  noun: string,
  wantMany: boolean,
  schemas: Schemas,
  every = false,
): Unwrapped | undefined => {
  const nouns = namesOf(noun);
  const path: string[] = [];
  const around: View[] = [];
  let view = rootOf(schema, schemas);
  for (let level = 0; level < 3; level++) {
    if (isArray(view)) break;
    if (!isObject(view)) return undefined;
    const jsonApi = view.properties.has('attributes') && view.properties.has('type');
    const inner = jsonApi
      ? undefined
      : ((wantMany || !hasOwnId(view) ? listProperty(view, nouns, schemas) : undefined) ??
        oneProperty(view, nouns, schemas) ??
        (every ? loneProperty(view, schemas) : undefined));
    if (inner === undefined) return { many: false, path, item: view, around };
    path.push(inner);
    around.push(view);
    view = schemas.view(view.properties.get(inner));
  }
  if (!isArray(view)) return isObject(view) ? { many: false, path, item: view, around } : undefined;
  const row = schemas.view(view.items);
  // `[{"product": {...}}]`: the wrapper around each row of a list says nothing.
  const only = row.properties.size === 1 ? [...row.properties][0] : undefined;
  const inner = only && nouns.has(snake(only[0])) ? schemas.view(only[1]) : undefined;
  const item = inner && isObject(inner) ? inner : row;
  return isObject(item) ? { many: true, path, item, around } : undefined;
};
