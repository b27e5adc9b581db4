/** Create, then get: every field of the body that the get's schema shows must come back as it was sent. */

import type { SchemaChecks } from '../../src/document/checks.js';
import { isNode, type Node } from '../../src/document/node.js';
import type { FaceOperation } from '../../src/serve/face/types.js';
import { answerFor, mediaOf, type Seen, seenOf } from './answers.js';
import { type Asked, askOf } from './asked.js';
import { type Clerk, dig, placesOf, toolOf } from './ids.js';
import { queryOf } from './rows.js';
import { folded } from './values.js';
import { requestOf, type Values } from './wire.js';

export interface Pair {
  create: FaceOperation;
  get: FaceOperation;
  /** The get's last path parameter, which the create's path lacks; undefined where both have one path. */
  param: string | undefined;
}

/** Creates whose row a get of the document shows: `POST /pets` and `GET /pets/{id}`, or `PUT` and `GET` of one path. */
export const pairsOf = (clerk: Clerk): Pair[] => {
  const { operations } = clerk.fake.rest;
  return operations.flatMap((create): Pair[] => {
    const tool = toolOf(clerk, create);
    if (tool?.op !== 'create' || create.binding?.answer.kind !== 'row' || create.http.method === 'get') return [];
    const { path } = create.http;
    const isGet = (one: FaceOperation): boolean =>
      one.http.method === 'get' &&
      toolOf(clerk, one)?.op === 'get' &&
      one.binding?.answer.kind === 'row' &&
      toolOf(clerk, one)?.table === tool.table;
    const same = operations.find((one) => one.http.path === path && isGet(one));
    if (same) return [{ create, get: same, param: undefined }];
    const under = operations.find(
      (one) =>
        isGet(one) &&
        one.http.path.startsWith(`${path}/{`) &&
        /^\{[^}/]+\}$/.test(one.http.path.slice(path.length + 1)),
    );
    return under ? [{ create, get: under, param: under.http.path.slice(path.length + 2, -1) }] : [];
  });
};

const sameInstant = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' && /^\d{4}-\d\d-\d\d/.test(a) && Date.parse(a) === Date.parse(b);

const isSame = (sent: unknown, back: unknown): boolean => {
  if (sent === back || sameInstant(sent, back)) return true;
  if (Array.isArray(sent))
    return Array.isArray(back) && back.length === sent.length && sent.every((one, i) => isSame(one, back[i]));
  if (isNode(sent)) return isNode(back) && Object.entries(sent).every(([name, one]) => isSame(one, back[name]));
  if (typeof sent === 'number' && typeof back === 'number')
    return Math.abs(sent - back) < 1e-6 * Math.max(1, Math.abs(sent));
  return false;
};

/** Fields that did not come back; parts of an object that the answer's schema does not show are not asked for. */
const lost = (sent: unknown, back: unknown, shown: unknown, checks: SchemaChecks, at: string): string[] => {
  const schema = folded(shown, checks);
  if (schema.writeOnly === true) return [];
  const properties = isNode(schema.properties) ? schema.properties : {};
  if (isNode(sent) && Object.keys(properties).length > 0) {
    if (back !== undefined && !isNode(back)) return [`${at}: sent ${text(sent)}, got ${text(back)}`];
    return Object.entries(sent).flatMap(([name, value]) =>
      name in properties
        ? lost(value, isNode(back) ? back[name] : undefined, properties[name], checks, `${at}/${name}`)
        : [],
    );
  }
  // Another type than was sent is another thing: an id where an object was sent.
  if (checks.check(shown as Node, sent, 'response').length > 0) return [];
  return isSame(sent, back) ? [] : [`${at}: sent ${text(sent)}, got ${text(back)}`];
};

const text = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

const rowSchema = (get: FaceOperation, seen: Seen, checks: SchemaChecks): Node | undefined => {
  const answer = answerFor(get.http, seen.status);
  let at: unknown = answer && mediaOf(answer, seen.media)?.schema;
  for (const name of get.binding?.answer.path ?? []) {
    const { properties } = folded(at, checks);
    at = isNode(properties) ? properties[name] : undefined;
  }
  return at === undefined ? undefined : folded(at, checks);
};

/** Where the fields of the row are in the body: under the property that all of them share. */
const rowInBody = ({ binding }: FaceOperation, body: unknown, row: Node | undefined): unknown => {
  const paths = (binding?.args ?? [])
    .filter((one) => one.in === 'body' && (one.at?.length ?? 0) > 1)
    .map(({ at }) => at as string[]);
  const direct = (binding?.args ?? []).some((one) => one.in === 'body' && one.at?.length === 1);
  const [first] = paths;
  if (direct || first === undefined || !paths.every(([name]) => name === first[0])) return body;
  const properties = isNode(row?.properties) ? row.properties : {};
  return first[0] !== undefined && first[0] in properties ? body : dig(body, [first[0] as string]);
};

export interface Trip {
  pair: string;
  holds: boolean;
  /** Fields that were asked for. */
  why?: string;
}

const created = async (
  clerk: Clerk,
  { create }: Pair,
  session: string,
): Promise<{ asked: Asked; seen: Seen } | string> => {
  let last = '';
  for (let turn = 0; turn < 3; turn++) {
    const asked = await askOf(clerk, create, session, turn);
    if (typeof asked === 'string') return `not asked: ${asked}`;
    const seen = await seenOf(await clerk.fake.fetch(asked.request));
    if (seen.status < 300) return { asked, seen };
    last = `create answered ${seen.status}: ${seen.text.slice(0, 160)}`;
  }
  return last;
};

/** What the get calls the new row, where the client has seen it: in what it sent, in the answer or in a header of it. */
const idOfNew = async (
  clerk: Clerk,
  { create, get, param }: Pair,
  { asked, seen }: { asked: Asked; seen: Seen },
  session: string,
): Promise<string | number | undefined> => {
  const { answer } = create.binding as NonNullable<FaceOperation['binding']>;
  const shown = answer.key && dig(dig(seen.value, answer.path), answer.key);
  const place = placesOf(clerk, get).find(({ origin }) => origin.in === 'path' && origin.name === param);
  const table = toolOf(clerk, create)?.table as string;
  const key = clerk.spec.tables[table]?.key.col as string;
  const col = place?.arg.col ?? key;
  if (col === key && (typeof shown === 'string' || typeof shown === 'number')) return shown;
  const caller = await clerk.fake.callers.named(session);
  const before = new Set(queryOf(clerk.fake, clerk.caller, `SELECT "${key}" AS k FROM "${table}"`).map(({ k }) => k));
  const fresh = queryOf(clerk.fake, caller, `SELECT * FROM "${table}"`).filter((row) => !before.has(row[key]));
  const id = fresh.length === 1 ? fresh[0]?.[col] : undefined;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const known = [JSON.stringify(asked.body?.value ?? null), seen.text, seen.headers.get('location') ?? ''].join(' ');
  return known.includes(String(id)) ? id : undefined;
};

/** Undefined where no request could be made. */
export const tripOf = async (clerk: Clerk, pair: Pair, session: string): Promise<Trip | undefined> => {
  const { create, get, param } = pair;
  const name = `${create.http.label} then ${get.http.label}`;
  const made = await created(clerk, pair, session);
  if (typeof made === 'string')
    return made.startsWith('not asked') ? undefined : { pair: name, holds: false, why: made };
  const { asked } = made;
  const ids = new Map(
    [...asked.values].filter(([{ in: place }]) => place === 'path').map(([one, value]) => [one.name, value]),
  );
  if (param !== undefined) {
    const id = await idOfNew(clerk, pair, made, session);
    if (id === undefined) return undefined;
    ids.set(param, id);
  }
  const values: Values = new Map();
  for (const one of get.http.params) {
    if (one.in === 'path') values.set(one, ids.get(one.name));
    else if (one.required) {
      const same = [...asked.values].find(([other]) => other.name === one.name && other.in === one.in);
      if (!same) return undefined;
      values.set(one, same[1]);
    }
  }
  const back = await seenOf(await clerk.fake.fetch(requestOf(get.http, values, undefined, session)));
  if (back.status >= 300)
    return { pair: name, holds: false, why: `get answered ${back.status}: ${back.text.slice(0, 160)}` };
  const { checks } = clerk.fake.rest;
  const schema = rowSchema(get, back, checks);
  if (schema === undefined) return { pair: name, holds: true };
  const sent = rowInBody(create, asked.body?.value ?? {}, schema);
  const gone = lost(sent, dig(back.value, get.binding?.answer.path ?? []), schema, checks, '');
  return { pair: name, holds: gone.length === 0, ...(gone.length === 0 ? {} : { why: `lost ${gone[0]}` }) };
};
