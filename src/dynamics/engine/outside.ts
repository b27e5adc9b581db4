/** What the world outside does to a session's state: guards read it, patches change it, each in one transaction. */
import type { PatchOp, Predicate } from '../../artifacts/scenario.js';
import type { Literal } from '../../artifacts/table.js';
import type { Touch } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import type { Session } from '../../serve/sessions/session.js';
import type { LoadedService } from '../../world/loaded.js';
import type { SqlValue } from '../../world/state/types.js';
import { pathWords } from '../paths.js';

/** What an engine needs of a session; Session fits. */
export type Ground = Pick<Session, 'world' | 'state' | 'view'>;

const sql = (value: Literal): SqlValue => (typeof value === 'boolean' ? Number(value) : value);
const quoted = (name: string): string => `"${name}"`;

/** Throws `no_such_place` for a service, table or column that the world lacks. */
const placeIn = (ground: Ground, service: string, table: string, cols: readonly string[]): LoadedService => {
  const loaded = ground.world.services.get(service);
  const known = loaded?.spec.tables[table];
  const missing = known ? cols.find((col) => !known.cols[col] && known.key.col !== col) : undefined;
  if (loaded && known && missing === undefined) return loaded;
  throw new TreadleError({
    code: 'no_such_place',
    message: 'An event speaks of something that the world lacks',
    value: missing === undefined ? `${service}.${table}` : `${service}.${table}.${missing}`,
    fault: 'task',
    next: 'Name a service, a table and columns as the world’s description has them.',
  });
};

const compared = (op: Predicate['op'], value: SqlValue, wanted: SqlValue): boolean => {
  if (op === 'eq') return value === wanted;
  if (op === 'ne') return value !== wanted;
  if (value === null || wanted === null || typeof value !== typeof wanted) return false;
  if (op === 'lt') return value < wanted;
  if (op === 'lte') return value <= wanted;
  return op === 'gt' ? value > wanted : value >= wanted;
};

const holds = (ground: Ground, { path, op, value = null }: Predicate): boolean => {
  const { service, table, key, col } = path;
  const loaded = placeIn(ground, service, table, col === undefined ? [] : [col]);
  const { connection } = loaded;
  connection.bind(ground.view(service));
  const keyCol = loaded.spec.tables[table]?.key.col as string;
  const where = key === undefined ? '' : ` WHERE ${quoted(keyCol)} IS ?`;
  const rows = connection
    .prepare(`SELECT ${quoted(col ?? keyCol)} AS v FROM ${quoted(table)}${where}`)
    .all(key === undefined ? [] : [key]);
  if (op === 'absent') return rows.every(({ v }) => col !== undefined && v === null);
  if (op === 'exists') return rows.some(({ v }) => col === undefined || v !== null);
  return rows.some(({ v }) => compared(op, v as SqlValue, sql(value)));
};

/** The first predicate that does not hold, in words; undefined where all do. Throws `no_such_place`. */
export const unmetGuard = (ground: Ground, guard: readonly Predicate[]): string | undefined => {
  const unmet = guard.find((predicate) => !holds(ground, predicate));
  return (
    unmet &&
    `${pathWords(unmet.path)} ${unmet.op}${unmet.value === undefined ? '' : ` ${JSON.stringify(unmet.value)}`} does not hold`
  );
};

const statementOf = ({ do: what, table, where = {}, set = {} }: PatchOp): { text: string; values: SqlValue[] } => {
  const [at, put] = [Object.entries(where), Object.entries(set)];
  const clause = at.length > 0 ? ` WHERE ${at.map(([col]) => `${quoted(col)} IS ?`).join(' AND ')}` : '';
  const [atValues, putValues] = [at, put].map((pairs) => pairs.map(([, value]) => sql(value))) as [
    SqlValue[],
    SqlValue[],
  ];
  if (what === 'insert')
    return {
      text: `INSERT INTO ${quoted(table)} (${put.map(([col]) => quoted(col)).join(', ')}) VALUES (${put.map(() => '?').join(', ')})`,
      values: putValues,
    };
  if (what === 'delete') return { text: `DELETE FROM ${quoted(table)}${clause}`, values: atValues };
  return {
    text: `UPDATE ${quoted(table)} SET ${put.map(([col]) => `${quoted(col)} = ?`).join(', ')}${clause}`,
    values: [...putValues, ...atValues],
  };
};

const shapeless = (op: PatchOp): TreadleError | undefined => {
  const [at, put] = [Object.keys(op.where ?? {}).length, Object.keys(op.set ?? {}).length];
  const isWhole =
    op.do === 'insert' ? put > 0 && at === 0 : op.do === 'delete' ? at > 0 && put === 0 : at > 0 && put > 0;
  if (isWhole) return undefined;
  return new TreadleError({
    code: 'bad_patch',
    message: `A patch that should ${op.do} does not say what`,
    value: op,
    fault: 'task',
    next: 'An insert has `set`, a delete has `where`, an update has both.',
  });
};

/**
 * Applies a patch, all of it or nothing, and tells the rows it changed. Throws `no_such_place`, `bad_patch`, `missing_record` where an
 * update or delete meets no row, and what the constraints of the tables throw (`constraint`).
 */
export const applyPatch = (ground: Ground, patch: readonly PatchOp[]): Touch[] => {
  for (const op of patch) {
    placeIn(ground, op.service, op.table, [...Object.keys(op.where ?? {}), ...Object.keys(op.set ?? {})]);
    const wrong = shapeless(op);
    if (wrong) throw wrong;
  }
  const services = [...new Set(patch.map(({ service }) => service))];
  const open: LoadedService[] = [];
  const touched: Touch[] = [];
  // Each service is a database of its own: all are written before any is committed.
  try {
    for (const id of services) {
      const service = ground.world.services.get(id) as LoadedService;
      const { connection } = service;
      connection.bind(ground.state(id));
      connection.record('keys');
      connection.begin();
      open.push(service);
      for (const op of patch.filter(({ service: own }) => own === id)) {
        const before = connection.touched().length;
        const { text, values } = statementOf(op);
        connection.prepare(text).run(values);
        if (connection.touched().length === before && op.do !== 'insert' && !isMet(service, op)) throw missing(op);
      }
    }
    for (const { id, connection } of open) {
      connection.commit();
      for (const { table, key, change, cols } of connection.touched())
        touched.push({ service: id, table, key, change, cols });
    }
    return touched;
  } catch (thrown) {
    for (const { connection } of open) connection.rollback();
    throw thrown;
  }
};

/** Whether the rows are there although nothing changed in them. */
const isMet = ({ connection }: LoadedService, { do: what, table, where = {} }: PatchOp): boolean => {
  if (what !== 'update') return false;
  const at = Object.entries(where);
  const clause = at.map(([col]) => `${quoted(col)} IS ?`).join(' AND ');
  return (
    connection
      .prepare(`SELECT 1 AS one FROM ${quoted(table)} WHERE ${clause} LIMIT 1`)
      .all(at.map(([, value]) => sql(value))).length > 0
  );
};

const missing = (op: PatchOp): TreadleError =>
  new TreadleError({
    code: 'missing_record',
    message: `An event would ${op.do} a record that is not there`,
    value: { service: op.service, table: op.table, where: op.where },
    fault: 'task',
    next: 'Guard the event, or let it speak of a record that is there whenever it can fire.',
  });
