/** The rows that a request touched, as they are after it; those that it deleted as they were before. And those that tell who is told. */
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Touch } from '../../../artifacts/trace.js';
import type { State } from '../../../world/state/state.js';
import type { Row } from '../../../world/state/types.js';
import type { Session } from '../../sessions/session.js';
import type { Caller } from '../callers.js';
import type { Effect } from './effect.js';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Sessions of documents are in memory while they are asked. */
const sessionOf = ({ live }: Caller): Session | undefined =>
  live.place.at === 'active' ? live.place.session : undefined;

/** The state as it is now, in constant time; drop it. */
export const rowsBefore = (caller: Caller, service: string): State | undefined =>
  sessionOf(caller)?.view(service).fork();

const ask = (session: Session, service: string, state: State, sql: string, params: (string | number)[]): Row[] => {
  const connection = session.world.engine.world([service]);
  connection.bind({ [service]: state });
  return connection.all(sql, params);
};

const rowIn = (
  session: Session,
  state: State,
  service: string,
  table: string,
  col: string,
  key: string | number,
): Row | undefined =>
  ask(session, service, state, `SELECT * FROM ${quoted(service)}.${quoted(table)} WHERE ${quoted(col)} = ?`, [key])[0];

/** Most rows of a table that are looked through for those that the session made. */
const MOST_MADE = 1_000;

/** Keys of the initial data, which is one for all sessions of a world. */
const initial = new WeakMap<State, Map<string, ReadonlySet<unknown>>>();

const keysAtStart = (session: Session, { id, tables }: ServiceSpec, table: string): ReadonlySet<unknown> => {
  const pristine = session.world.services.get(id)?.pristine as State;
  const known = initial.get(pristine) ?? new Map<string, ReadonlySet<unknown>>();
  initial.set(pristine, known);
  const keys = known.get(table);
  if (keys) return keys;
  const col = quoted(tables[table]?.key.col as string);
  const rows = ask(session, id, pristine, `SELECT ${col} AS "key" FROM ${quoted(id)}.${quoted(table)}`, []);
  const made = new Set(rows.map(({ key }) => key));
  known.set(table, made);
  return made;
};

/** Rows of a table that are not of the initial data, in the order in which they were made. */
export const rowsMade = (caller: Caller, spec: ServiceSpec, table: string): Row[] => {
  const session = sessionOf(caller);
  // Without a copy of its own it has made nothing.
  if (!session?.states.has(spec.id)) return [];
  const col = spec.tables[table]?.key.col as string;
  const seeded = keysAtStart(session, spec, table);
  const sql = `SELECT * FROM ${quoted(spec.id)}.${quoted(table)} ORDER BY rowid DESC LIMIT ?`;
  const last = ask(session, spec.id, session.view(spec.id), sql, [seeded.size + MOST_MADE]);
  return last.filter((row) => !seeded.has(row[col])).reverse();
};

const HIGHEST = 3;

/** Whether a row hangs under another, by its references or those of what it hangs under; undefined where nothing says so. */
export const isUnder = (
  caller: Caller,
  spec: ServiceSpec,
  row: { table: string; row: Row },
  above: { table: string; key: string | number },
  depth = 0,
): boolean | undefined => {
  const held = spec.tables[row.table];
  if (!held) return undefined;
  if (row.table === above.table) return row.row[held.key.col] === above.key;
  const references = Object.entries(held.cols).flatMap(([col, { fk }]) => {
    const key = row.row[col];
    return fk !== undefined && (typeof key === 'string' || typeof key === 'number') ? [{ fk, key }] : [];
  });
  const direct = references.filter(({ fk }) => fk === above.table);
  if (direct.length > 0) return direct.some(({ key }) => key === above.key);
  const session = sessionOf(caller);
  if (depth >= HIGHEST || !session) return undefined;
  for (const { fk, key } of references) {
    if (fk === row.table) continue;
    const col = spec.tables[fk]?.key.col as string;
    const found = rowIn(session, session.view(spec.id), spec.id, fk, col, key);
    const said = found && isUnder(caller, spec, { table: fk, row: found }, above, depth + 1);
    if (said !== undefined) return said;
  }
  return undefined;
};

export const effectsOf = (
  caller: Caller,
  spec: ServiceSpec,
  touched: readonly Touch[],
  before: State | undefined,
): Effect[] => {
  const session = sessionOf(caller);
  if (!session) return [];
  return touched.flatMap(({ service, table, key, change, cols }): Effect[] => {
    const col = spec.tables[table]?.key.col;
    if (service !== spec.id || col === undefined) return [];
    const state = change === 'delete' ? before : session.view(service);
    const row = (state && rowIn(session, state, service, table, col, key)) ?? { [col]: key };
    return [{ service, table, key, change, cols, row }];
  });
};
