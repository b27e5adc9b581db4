/** Which property keys a resource's rows: the path parameter of its item path against the properties of its schema. */
import type { IdStyle } from '../../artifacts/table.js';
import { singular, snake } from '../../kit/words.js';
import { scalarField } from './fields.js';
import { patternStyle } from './id-pattern.js';
import type { Resource } from './resources.js';
import type { Schemas, View } from './schema.js';
import type { Sighting } from './sightings.js';
import type { Field } from './types.js';

export interface FoundKey {
  /** Property name at the top of the item; the parameter's own name where the schema lacks it. */
  property: string;
  type: 'text' | 'int';
  field: Field | undefined;
  /** The schema does not show it. */
  synthetic: boolean;
  /** Calls write it as a number, answers as text. */
  asNumber?: true;
  /** No call names it: kept in state only. */
  hidden?: true;
}

/** The key of a thing there is only one of. */
export const SINGLE_KEY = 'main';

const ID_WORDS = new Set(['id', 'uuid', 'guid', 'sid', 'gid', 'uid', 'pk']);
const NAME_WORDS = new Set(
  'key slug code number no name username login email handle token sku reference ref identifier symbol hash short_code address iid arn urn'.split(
    ' ',
  ),
);

const keyType = (field: Field | undefined): 'text' | 'int' | undefined =>
  field === undefined ||
  field.type === 'json' ||
  field.type === 'bool' ||
  field.type === 'date' ||
  field.type === 'datetime'
    ? undefined
    : field.type === 'int' || field.type === 'number'
      ? 'int'
      : 'text';

/** A day or an instant that names rows is the text that paths have. */
export const asKeyText = (field: Field): Field =>
  field.instant === undefined && (field.type === 'date' || field.type === 'datetime')
    ? { ...field, type: 'text', format: field.type === 'date' ? 'date' : 'date-time' }
    : field;

/** The path parameter that most item operations name the row by. */
export const commonKeyParam = (resource: Resource): string | undefined => {
  const counts = new Map<string, number>();
  for (const { keyParam, place } of resource.sightings)
    if (keyParam !== undefined) counts.set(keyParam, (counts.get(keyParam) ?? 0) + (place === resource.home ? 10 : 1));
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
};

const paramField = (resource: Resource, param: string, schemas: Schemas): Field | undefined => {
  for (const { op } of resource.sightings) {
    const found = op.params.find((one) => one.in === 'path' && one.name === param);
    if (found) return scalarField(param, found.schema, true, schemas);
  }
  return undefined;
};

const score = (property: string, nounWords: string, param: string | undefined): number => {
  const name = snake(property).replace(/^_+/, '');
  const wanted = param === undefined ? undefined : snake(param.replace(/^.*\./, ''));
  const noun = nounWords;
  const tail = noun.split('_').at(-1) ?? noun;
  let points = 0;
  if (wanted !== undefined) {
    if (name === wanted) points = 10;
    const bare = [noun, tail].map((word) => (wanted.startsWith(`${word}_`) ? wanted.slice(word.length + 1) : wanted));
    if (wanted !== noun && bare.includes(name)) points = Math.max(points, 9);
    if (/(^|_)id$/.test(wanted) && name === 'id') points = Math.max(points, 9);
    if (wanted.replaceAll('_', '') === name.replaceAll('_', '')) points = Math.max(points, 9);
    if (/^(user_?name|login)$/.test(wanted) && /^(login|handle|user_?name|screen_name)$/.test(name))
      points = Math.max(points, 8);
    if (wanted.split('_').at(-1) === name && NAME_WORDS.has(name)) points = Math.max(points, 8);
  }
  if (name === 'id') points = Math.max(points, 6.5);
  else if (name === `${noun}_id` || name === `${tail}_id`) points = Math.max(points, 6);
  else if (ID_WORDS.has(name)) points = Math.max(points, 6);
  else if ([...ID_WORDS].some((word) => name === `${noun}_${word}` || name === `${tail}_${word}`))
    points = Math.max(points, 5.5);
  if (wanted !== undefined && NAME_WORDS.has(name) && (wanted === noun || wanted === tail))
    points = Math.max(points, name === 'name' ? 5 : 4.5);
  if (NAME_WORDS.has(name.replace(`${tail}_`, '')) && name !== tail) points = Math.max(points, 2);
  return points;
};

/** A part is keyed by the row it belongs to, under the name that the path gives it. */
const partKey = (resource: Resource, param: string, schemas: Schemas): FoundKey => {
  const given = paramField(resource, param, schemas);
  const owner = resource.owner?.noun ? `${singular(snake(resource.owner.noun))}_id` : undefined;
  const wanted = snake(param.replace(/^.*\./, ''));
  for (const view of resource.views)
    for (const [name, raw] of view.properties) {
      const field =
        [wanted, owner].includes(snake(name)) && !/^(id|name|key|resource)$/.test(snake(name))
          ? scalarField(name, raw, false, schemas)
          : undefined;
      const type = keyType(field);
      if (field && type) return { property: name, type, field, synthetic: false };
    }
  const property = /_id$|^id$|[./]/.test(wanted) && owner !== undefined ? owner : wanted;
  return { property, type: keyType(given) ?? 'text', field: given, synthetic: true, hidden: true };
};

const BODY_KEY = /(^|_)(id|uuid|guid|arn|name|key|identifier|sid|code|number)$/;

/** `{channel: {...}}` in the answers of conversations: what is called `channel` in a call names one. */
export const wrapperWords = ({ sightings }: Resource): string[] => {
  const words = sightings.flatMap(({ answer }) => {
    const last = answer?.path.at(-1);
    return last === undefined ? [] : [singular(snake(last))];
  });
  return [...new Set(words)]
    .filter((word) => !/^(data|item|result|value|record|list|response)$/.test(word))
    .flatMap((word) => [word, `${word}_id`]);
};

/** By which calls that have no path for it name a row. */
export const wordsFor = (resource: Resource): Set<string> =>
  new Set([resource.noun, `${resource.noun}_id`, ...wrapperWords(resource)]);

/** What the procedures that read, change or delete one row require, where all they have is a body or a query. */
const namedElsewhere = (resource: Resource, schemas: Schemas, words: readonly string[]): string | undefined => {
  const votes = new Map<string, number>();
  const noun = resource.noun.split('_').at(-1) as string;
  for (const { keyElsewhere, kind, op, body } of resource.sightings) {
    if (!keyElsewhere || kind === 'create') continue;
    const named = new Map<string, boolean>();
    for (const { in: where, name, required } of op.params) if (where === 'query') named.set(name, required);
    if (body && !body.many && body.path.length === 0)
      for (const [name, raw] of body.item.properties)
        if (schemas.view(raw).properties.size === 0) named.set(name, body.item.required.has(name));
    const fit = [...named].filter(([name]) => BODY_KEY.test(snake(name)) || words.includes(snake(name)));
    for (const [name, required] of fit) {
      const own = words.includes(snake(name))
        ? 4
        : snake(name).startsWith(noun) || snake(name).includes(`${noun}_`)
          ? 2
          : 0;
      votes.set(name, (votes.get(name) ?? 0) + (required ? 1 : 0.1) / fit.length + (required || own > 0 ? own : 0));
    }
  }
  return [...votes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
};

/** Scalars that a call takes in its query, or at the top of its body. */
const takenBy = ({ op, body }: Sighting, schemas: Schemas): Set<string> => {
  const names = op.params.flatMap(({ in: where, name }) => (where === 'query' ? [name] : []));
  for (const [name, raw] of body && !body.many ? body.item.properties : [])
    if (schemas.view(raw).properties.size === 0) names.push(name);
  return new Set(names);
};

/** Where no name tells: what every row has, every call on one row takes, and no call that makes one. */
const keyByUse = ({ sightings, views }: Resource, schemas: Schemas): string | undefined => {
  const uses = sightings.filter(
    ({ keyElsewhere, kind }) => keyElsewhere && (kind === 'update' || kind === 'delete' || kind === 'get'),
  );
  const makes = sightings.filter(({ kind }) => kind === 'create').map((sighting) => takenBy(sighting, schemas));
  const taken = uses.map((sighting) => takenBy(sighting, schemas));
  const [view] = views;
  if (taken.length === 0 || makes.length === 0 || !view) return undefined;
  const found = [...view.required].filter(
    (name) => taken.every((names) => names.has(name)) && !makes.some((names) => names.has(name)),
  );
  return found.length === 1 ? found[0] : undefined;
};

/** Undefined when nothing can key the rows (no item path, and no property that looks like an id). */
export const findKey = (resource: Resource, schemas: Schemas, every = false): FoundKey | undefined => {
  const param = commonKeyParam(resource) ?? namedElsewhere(resource, schemas, every ? wrapperWords(resource) : []);
  if (resource.sightings.some(({ tag }) => tag))
    return { property: 'row_key', type: 'text', field: undefined, synthetic: true, hidden: true };
  if (resource.single === 'one')
    return { property: 'single_key', type: 'text', field: undefined, synthetic: true, hidden: true };
  if (resource.single === 'part' && param !== undefined) return partKey(resource, param, schemas);
  const used = every && param === undefined ? keyByUse(resource, schemas) : undefined;
  const given = param === undefined ? undefined : paramField(resource, param, schemas);
  const givenType = keyType(given);
  let best: { property: string; points: number; field: Field; type: 'text' | 'int' } | undefined;
  const views: View[] = resource.views.slice(0, 3);
  for (const view of views)
    for (const [property, raw] of view.properties) {
      const read = scalarField(property, raw, false, schemas);
      const field = read && every && property === param ? asKeyText(read) : read;
      const type = keyType(field);
      const inner = schemas.view(raw);
      if (!field || !type || inner.properties.size > 0 || field.enum) continue;
      const clash = givenType !== undefined && givenType !== type ? 4 : 0;
      // A name that says it outright counts more than how it is used.
      const points = Math.max(score(property, resource.noun, param), property === used ? 5.8 : 0) - clash;
      if (!best || points > best.points) best = { property, points, field, type };
    }
  if (best && best.points >= (param === undefined ? 2 : 4))
    return { property: best.property, type: best.type, field: best.field, synthetic: false };
  if (param === undefined)
    return views.length > 0
      ? { property: 'row_key', type: 'text', field: undefined, synthetic: true, hidden: true }
      : undefined;
  const property = /[./]/.test(param) ? 'id' : param;
  return { property, type: givenType ?? 'text', field: given, synthetic: true };
};

/** `cus_9s6XKzkNRiz8i3`; `not_found` is two words. */
const PREFIXED = /^([A-Za-z]{2,8}[_-])(?![a-z]{5,11}$)([A-Za-z0-9]{5,})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/i;

/** The style that ids of this key are written in, from its format, pattern and example; `fallback` otherwise. */
export const idStyle = (key: FoundKey, fallback: IdStyle): IdStyle => {
  const { field } = key;
  if (key.type === 'int') return { style: 'integer', length: field?.max !== undefined && field.max < 1e6 ? 4 : 6 };
  const example = typeof field?.example === 'string' ? field.example : '';
  if (field?.format === 'uuid' || field?.format === 'guid' || UUID.test(example) || /uuid|guid/i.test(key.property))
    return { style: 'uuid' };
  const described = field?.pattern === undefined ? undefined : patternStyle(field.pattern);
  if (described && described.style !== 'base62') return described;
  const prefixed = PREFIXED.exec(example);
  if (prefixed)
    return { style: 'base62', prefix: prefixed[1] as string, length: Math.min(24, (prefixed[2] as string).length) };
  if (key.asNumber) return { style: 'digits', length: 9 };
  const longest = field?.maxLength ?? 64;
  if (/^\d{3,18}$/.test(example)) return { style: 'digits', length: Math.min(example.length, 12) };
  if (/^[0-9a-f]{16,32}$/.test(example)) return { style: 'hex', length: Math.min(32, example.length) };
  if (/^[0-9A-Z]{6,32}$/.test(example)) return { style: 'upper', length: example.length };
  if (described) return described;
  if (longest < 36 && fallback.style === 'uuid') return { style: 'base36', length: Math.max(4, Math.min(12, longest)) };
  return fallback.length !== undefined && fallback.length > longest
    ? { ...fallback, length: Math.max(3, longest) }
    : fallback;
};
