/** Ids for requests: what the document's own lists show, asked as a client would; where no list shows a table, its rows in SQL. */
import type { FaceArg } from '../../src/artifacts/face.js';
import type { ServiceSpec } from '../../src/artifacts/service.js';
import type { Arg, Tool } from '../../src/artifacts/tool.js';
import { isNode } from '../../src/document/node.js';
import type { Fake } from '../../src/fake/fake.js';
import { rng } from '../../src/kit/rng.js';
import type { Caller } from '../../src/serve/face/callers.js';
import type { FaceOperation } from '../../src/serve/face/types.js';
import { seenOf } from './answers.js';
import { queryOf, type Row } from './rows.js';
import { valueFor } from './values.js';
import { requestOf, type Values } from './wire.js';

export interface Place {
  /** In the tool. */
  name: string;
  arg: Arg;
  origin: FaceArg;
}

/** A document's fake with one caller, whose lists are asked once each. */
export interface Clerk {
  fake: Fake;
  session: string;
  caller: Caller;
  spec: ServiceSpec;
  /** By operation and its parents' ids. */
  lists: Map<string, unknown[]>;
}

export const dig = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isNode(at) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined), value);

export const toolOf = ({ spec }: Clerk, { binding }: FaceOperation): Tool | undefined =>
  spec.tools[binding?.tool ?? ''];

/** Where a request has each argument of the tool behind it. */
export const placesOf = (clerk: Clerk, operation: FaceOperation): Place[] => {
  const { binding } = operation;
  const args = Object.entries(toolOf(clerk, operation)?.args ?? {});
  return (binding?.args ?? []).flatMap((origin) => {
    const path = origin.to.join('.');
    const found = args.find(([name, arg]) => (arg.field ?? name) === path);
    return found ? [{ name: found[0], arg: found[1], origin }] : [];
  });
};

const tableOf = (clerk: Clerk, operation: FaceOperation, { arg }: Place): string | undefined => {
  if (arg.ref !== undefined) return arg.ref;
  return arg.role === 'key' ? toolOf(clerk, operation)?.table : undefined;
};

const collectionBefore = (path: string, param: string): string =>
  path.slice(0, path.indexOf(`{${param}}`)).replace(/\/[^/]*$/, '');

const isPlainList = ({ http, binding }: FaceOperation): boolean =>
  http.method === 'get' && binding?.answer.kind === 'rows' && binding.answer.key !== undefined;

/** Keys that a list shows to a request with these path parameters. */
const listed = async (
  clerk: Clerk,
  operation: FaceOperation,
  path: ReadonlyMap<string, unknown>,
): Promise<unknown[]> => {
  const key = `${operation.http.label} ${JSON.stringify([...path])}`;
  const known = clerk.lists.get(key);
  if (known) return known;
  const values: Values = new Map();
  const drawing = { checks: clerk.fake.rest.checks, draw: rng('ids', operation.http.label) };
  for (const param of operation.http.params)
    if (param.in === 'path') values.set(param, path.get(param.name));
    else if (param.required) values.set(param, param.example ?? valueFor(param.schema, drawing));
  const seen = await seenOf(await clerk.fake.fetch(requestOf(operation.http, values, undefined, clerk.session)));
  const { answer } = operation.binding as NonNullable<FaceOperation['binding']>;
  const rows = seen.status === 200 ? dig(seen.value, answer.path) : undefined;
  const keys = (Array.isArray(rows) ? rows : [])
    .map((row) => dig(row, answer.key ?? []))
    .filter((one) => typeof one === 'string' || typeof one === 'number');
  clerk.lists.set(key, keys);
  return keys;
};

/** Keys of a table, from a list that needs no ids, else from SQL. */
export const idsOf = async (clerk: Clerk, table: string): Promise<unknown[]> => {
  const list = clerk.fake.rest.operations.find(
    (one) =>
      isPlainList(one) &&
      toolOf(clerk, one)?.table === table &&
      one.http.params.every((param) => param.in !== 'path' && !param.required),
  );
  const keys = list ? await listed(clerk, list, new Map()) : [];
  if (keys.length > 0) return keys;
  return rowsOf(clerk, table).map((row) => row[clerk.spec.tables[table]?.key.col ?? 'id']);
};

const rowsOf = (clerk: Clerk, table: string): Row[] => {
  const key = `sql ${table}`;
  const known = clerk.lists.get(key) as Row[] | undefined;
  if (known) return known;
  const rows = queryOf(clerk.fake, clerk.caller, `SELECT * FROM "${table}" LIMIT 20`);
  clerk.lists.set(key, rows);
  return rows;
};

/** `turn` goes on to other rows when the first ones would not do. */
const at = (keys: readonly unknown[], turn: number): unknown =>
  keys.length === 0 ? undefined : keys[turn % keys.length];

type Get = { table: string; where: Record<string, unknown>; as: string };

/** Arguments that lead the tool's own lookups to this row: backwards from it to the rows above that its path names. */
const idsFor = (clerk: Clerk, tool: Tool, turn: number): { row?: Row | undefined; ids: Map<string, unknown> } => {
  const gets = (tool.steps ?? []).flatMap((step): Get[] => ('get' in step ? [step.get] : []));
  // Where a row is made, the last of those above it leads.
  const own = gets.findLast(({ table }) => table === tool.table) ?? gets.at(-1);
  const row = at(rowsOf(clerk, own?.table ?? tool.table), turn) as Row | undefined;
  if (!row) return { ids: new Map() };
  const known = new Map<string, Row>();
  const ids = new Map<string, unknown>();
  if (own) known.set(own.as, row);
  // Twice: a row above may be known only by one that comes before it.
  for (const { where, as } of [...gets, ...gets].reverse()) {
    const bound = known.get(as);
    if (!bound) continue;
    for (const [col, value] of Object.entries(where)) {
      const [, from, field] = /^\$(\w+)\.(\w+)$/.exec(String(value)) ?? [];
      if (from === undefined || field === undefined) continue;
      if (from === 'args') ids.set(field, bound[col]);
      const above = gets.find((one) => one.as === from);
      if (above === undefined || known.has(from)) continue;
      const [found] = queryOf(clerk.fake, clerk.caller, `SELECT * FROM "${above.table}" WHERE "${field}" = ?`, [
        bound[col],
      ]);
      if (found) known.set(from, found);
    }
    // A row above that only has to be there is the one that this row's own columns name.
    for (const above of gets) {
      if (known.has(above.as)) continue;
      const key = clerk.spec.tables[above.table]?.key.col ?? 'id';
      const id = ids.get(/^\$args\.(\w+)$/.exec(String(above.where[key]))?.[1] ?? '');
      if (id === undefined || id === null) continue;
      const [found] = queryOf(clerk.fake, clerk.caller, `SELECT * FROM "${above.table}" WHERE "${key}" = ?`, [id]);
      if (found) known.set(above.as, found);
    }
  }
  return { row, ids };
};

/**
 * Path parameters: each from the list of its collection under the parameters before it, where the document has one; else all of them
 * from one row of the tool's table, so that they belong together.
 */
export const pathIds = async (clerk: Clerk, operation: FaceOperation, turn: number): Promise<Map<string, unknown>> => {
  const { path } = operation.http;
  const places = placesOf(clerk, operation).filter(({ origin }) => origin.in === 'path');
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string);
  const found = new Map<string, unknown>();
  let byLists = true;
  for (const name of names) {
    const collection = collectionBefore(path, name);
    const list = clerk.fake.rest.operations.find((one) => one.http.path === collection && isPlainList(one));
    if (!list) {
      byLists = false;
      break;
    }
    const ownPath = new Map([...found].filter(([one]) => collection.includes(`{${one}}`)));
    const id = at(await listed(clerk, list, ownPath), turn);
    if (id === undefined) {
      byLists = false;
      break;
    }
    found.set(name, id);
  }
  if (byLists) return found;
  const tool = toolOf(clerk, operation);
  const { row, ids } = tool ? idsFor(clerk, tool, turn) : { ids: new Map<string, unknown>() };
  for (const { name, arg, origin } of places) {
    const own = ids.get(name) ?? (arg.role === 'filter' && arg.col !== undefined ? row?.[arg.col] : undefined);
    if (own !== undefined && own !== null) found.set(origin.name as string, own);
    else if (!found.has(origin.name as string) && arg.ref !== undefined)
      found.set(origin.name as string, at(await idsOf(clerk, arg.ref), turn));
  }
  return found;
};

/** What the row that is named already hangs under, where the call names that beside it. */
const besideOf = (clerk: Clerk, operation: FaceOperation, { arg }: Place, key: unknown): unknown => {
  const tool = toolOf(clerk, operation);
  const keyCol = clerk.spec.tables[tool?.table ?? '']?.key.col;
  if (!tool || keyCol === undefined || arg.role !== 'input' || arg.col === undefined || key === undefined)
    return undefined;
  const [row] = queryOf(clerk.fake, clerk.caller, `SELECT * FROM "${tool.table}" WHERE "${keyCol}" = ?`, [key]);
  return row?.[arg.col];
};

/** Ids that the query, the headers and the body of a request name rows by: by `in` and the property names. */
export const otherIds = async (clerk: Clerk, operation: FaceOperation, turn: number): Promise<Map<string, unknown>> => {
  const found = new Map<string, unknown>();
  let key: unknown;
  for (const place of placesOf(clerk, operation)) {
    const { in: where, name, at: inner = [] } = place.origin;
    const table = where === 'path' ? undefined : tableOf(clerk, operation, place);
    if (table === undefined) continue;
    const id = besideOf(clerk, operation, place, key) ?? at(await idsOf(clerk, table), turn);
    if (id === undefined || id === null) continue;
    if (place.arg.role === 'key') key = id;
    const value = place.arg.type === 'list' ? [id] : id;
    found.set(`${where} ${[...(name === undefined ? [] : [name]), ...inner].join('/')}`, value);
  }
  return found;
};
