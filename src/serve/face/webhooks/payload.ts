/** The body of a webhook: the row at the place where its schema shows one, what names and times the event around it, the rest made up. */
import type { Binding } from '../../../artifacts/face.js';
import { isNode } from '../../../document/node.js';
import type { Json } from '../../../kit/hash.js';
import { snake } from '../../../kit/words.js';
import { type AnswererOptions, answererOf, shapesOfDocument } from '../answer/answerer.js';
import type { Flat, Flats } from '../answer/flat.js';
import type { FaceOperation } from '../types.js';
import type { Declared } from './declared.js';

export interface EventRow {
  table: string;
  key: string | number;
  change: string;
  /** As the API shows it. */
  fields: { [key: string]: Json };
}

export interface Payload {
  body: string;
  type: string;
}

export interface PayloadOptions {
  seed: string;
  /** Virtual unix seconds. */
  now: number;
  /** Of the session: 1, 2, 3 ... */
  n: number;
  origin: string;
}

const DEEPEST = 3;
const SAME_SCHEMA = 100;
/** Parts of a schema that are looked at for the row. */
const MOST_PARTS = 4_000;

interface Place {
  path: string[];
  score: number;
}

const isNamed = (schema: unknown, table: string): boolean => {
  const ref = isNode(schema) && typeof schema.$ref === 'string' ? schema.$ref : '';
  return ref !== '' && snake(ref.slice(ref.lastIndexOf('/') + 1)) === table;
};

const branchesOf = (flat: Flat): unknown[] => flat.choices.flatMap(({ branches }) => [...branches]);

/** Where a schema has the most of the row's fields. */
const placeIn = (
  schema: unknown,
  row: EventRow,
  flats: Flats,
  budget: { left: number },
  path: string[] = [],
): Place => {
  budget.left--;
  const flat = flats.of(schema);
  const own = Object.keys(row.fields).filter((name) => flat.properties.has(name)).length;
  const named =
    isNamed(schema, row.table) || (path.length > 0 && snake(path.at(-1) as string) === row.table && own > 0);
  let best: Place = { path, score: own + (named ? SAME_SCHEMA : 0) };
  const better = (place: Place): void => {
    if (place.score > best.score) best = place;
  };
  // A place of the row's own schema holds no better one.
  if (path.length >= DEEPEST || named) return best;
  for (const branch of branchesOf(flat).slice(0, 24))
    if (budget.left > 0) better(placeIn(branch, row, flats, budget, path));
  for (const [name, property] of flat.properties)
    if (budget.left > 0) better(placeIn(property, row, flats, budget, [...path, name]));
  return best;
};

const places = new WeakMap<Declared, Map<string, Place>>();

/** Rows of one table have the same fields, and the same place. */
const placeFor = (declared: Declared, schema: unknown, row: EventRow, flats: Flats): Place => {
  const known = places.get(declared) ?? new Map<string, Place>();
  places.set(declared, known);
  const found = known.get(row.table) ?? placeIn(schema, row, flats, { left: MOST_PARTS });
  known.set(row.table, found);
  return found;
};

const TYPE = /^(type|event|event_type|event_name|kind|topic|trigger|action)$/;
const MOMENT = /^(created|created_at|timestamp|time|sent_at|occurred_at|event_time|event_timestamp|date|fired_at)$/;

/** `customer.created` of `CustomerCreated`: the same words, or the same at the end. */
const saysSame = (one: string, name: string): boolean => {
  const [own, said] = [snake(one), snake(name)];
  return own === said || own.endsWith(`_${said}`) || said.endsWith(`_${own}`);
};

const wordFor = ({ listed }: Flat, name: string, row: EventRow): Json | undefined =>
  listed === undefined
    ? name
    : listed.find((one) => typeof one === 'string' && (saysSame(one, name) || one === row.change));

interface Around {
  flats: Flats;
  name: string;
  row: EventRow;
  now: number;
  /** The row has no place of its own in the body. */
  isBare: boolean;
}

const around = (flat: Flat, about: Around, depth = 0): { [key: string]: Json } => {
  const { flats, name, row, now, isBare } = about;
  const out: { [key: string]: Json } = {};
  for (const [property, schema] of flat.properties) {
    const plain = snake(property);
    const inner = flats.of(schema);
    if (TYPE.test(plain)) {
      const word = wordFor(inner, name, row);
      if (word !== undefined) out[property] = word;
    } else if (MOMENT.test(plain)) {
      const isNumber = inner.types?.has('integer') === true || inner.types?.has('number') === true;
      out[property] = isNumber ? now : new Date(now * 1_000).toISOString().replace('.000Z', 'Z');
    } else if (plain === `${row.table}_id` || plain === 'resource_id' || plain === 'object_id' || plain === 'entity_id')
      out[property] = row.key;
    // Where the row has no place of its own, what of it the event shows; the event's id is its own.
    else if (isBare && plain !== 'id' && Object.hasOwn(row.fields, property))
      out[property] = row.fields[property] as Json;
    else if (isBare && depth < DEEPEST && inner.properties.size > 0) {
      const within = around(inner, about, depth + 1);
      if (Object.keys(within).length > 0) out[property] = within;
    }
  }
  return out;
};

const nested = (path: readonly string[], outer: { [key: string]: Json }, inner: { [key: string]: Json }): Json => {
  const [first, ...rest] = path;
  if (first === undefined) return { ...outer, ...inner };
  return { ...outer, [first]: nested(rest, {}, inner) };
};

/** A webhook's request is written as an operation's answer would be. */
const asOperation = (declared: Declared, path: string[], key: string[] | undefined): FaceOperation => {
  const { http } = declared;
  const answers = [{ status: '200', description: '', media: http.body?.media ?? [], headers: [] }];
  const binding: Binding = {
    operation: http.label,
    tool: '',
    args: [],
    answer: { kind: 'row', path, ...(key ? { key } : {}) },
    tier: 'synthetic',
  };
  const { method, label, id, deprecated, params, raw } = http;
  return { http: { method, path: '/', label, id, deprecated, params, body: undefined, answers, raw }, binding };
};

/** `key`: from a row to its key, as the API shows it. */
export const payloadOf = (
  declared: Declared,
  row: EventRow,
  document: AnswererOptions,
  { seed, now, n, origin }: PayloadOptions,
  key: string[] | undefined,
): Payload => {
  const schema = declared.http.body?.media[0]?.schema;
  const { flats } = shapesOfDocument(document);
  if (schema === undefined)
    return {
      type: 'application/json',
      body: JSON.stringify({ event: declared.name, created: now, data: row.fields }),
    };
  const found = placeFor(declared, schema, row, flats);
  const isBare = found.score < Math.min(2, Object.keys(row.fields).length);
  const path = isBare ? [] : found.path;
  const outer =
    isBare || path.length > 0 ? around(flats.of(schema), { flats, name: declared.name, row, now, isBare }) : {};
  const answerer = answererOf(asOperation(declared, path, key), document);
  const request = {
    method: 'POST',
    path: `/webhooks/${declared.name}/${n}`,
    query: '',
    headers: {},
    body: undefined,
    origin,
  };
  const { body, headers } = answerer.success(nested(path, outer, isBare ? {} : row.fields), {
    request,
    seed,
    now,
    key: row.key,
  });
  return {
    type: typeof headers['content-type'] === 'string' ? headers['content-type'] : 'application/json',
    body: typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8'),
  };
};
