/** Rows of a session's state by key, for those who compare two of them. */
import type { Check } from '../../artifacts/check.js';
import type { Literal } from '../../artifacts/table.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Row, SqlValue } from '../../world/state/types.js';

const quoted = (name: string): string => `"${name}"`;
const sql = (value: Literal): SqlValue => (typeof value === 'boolean' ? Number(value) : value);

/** At most two rows when nothing else is said, so that one can be told from several. */
export const rowsWhere = (
  session: Session,
  service: string,
  table: string,
  where: Record<string, Literal>,
  most = 2,
): Row[] => {
  const loaded = session.world.services.get(service);
  if (!loaded?.spec.tables[table]) return [];
  loaded.connection.bind(session.view(service));
  const clause = Object.keys(where)
    .map((col) => `${quoted(col)} IS ?`)
    .join(' AND ');
  const statement = loaded.connection.prepare(
    `SELECT * FROM ${quoted(table)}${clause ? ` WHERE ${clause}` : ''} LIMIT ${most}`,
  );
  return statement.all(Object.values(where).map(sql)) as Row[];
};

export const rowByKey = (session: Session, service: string, table: string, key: string | number): Row | undefined => {
  const col = session.world.services.get(service)?.keys[table];
  return col === undefined ? undefined : rowsWhere(session, service, table, { [col]: key })[0];
};

/**
 * The check as it has to be where the state is another one now: what it wants of the changed columns is what they hold. Undefined
 * where it cannot be told so.
 */
export const asItIsNow = (
  check: Check,
  session: Session,
  changed: ReadonlyMap<string, { before: SqlValue; now: SqlValue }>,
): Check | undefined => {
  if (check.kind === 'equals') {
    const rows = rowsWhere(session, check.service, check.table, check.where);
    const value = rows.length === 1 ? rows[0]?.[check.col] : undefined;
    return value === undefined ? undefined : { ...check, value: value as Literal };
  }
  if (check.kind !== 'exists' && check.kind !== 'count') return undefined;
  const where = Object.fromEntries(
    Object.entries(check.where).map(([col, value]) => {
      const other = changed.get(`${check.service}.${check.table}.${col}`);
      return [col, other && sql(value) === other.before ? (other.now as Literal) : value];
    }),
  );
  return { ...check, where };
};
