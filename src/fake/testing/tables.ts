/** The rows behind a session, as a test asks for them: by table and partial row, or in SQL. */
import type { ServiceSpec } from '../../artifacts/service.js';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { nearNames } from '../../kit/near.js';
import { plural, singular, snake } from '../../kit/words.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { encodeRow } from '../../world/surface/answer.js';

/** SQLite attaches no more to one connection. */
const MOST_SERVICES = 10;
/** Steps of SQLite's virtual machine that one query of a test may use. */
const BUDGET = 50_000_000;

export interface FoundTable {
  service: string;
  spec: ServiceSpec;
  table: string;
}

/** A row in both its forms: as the API shows it, and as it is stored. */
export interface HeldRow {
  shown: { [key: string]: Json };
  stored: Row;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const namesOf = (session: Session): { service: string; table: string; spec: ServiceSpec }[] =>
  [...session.world.services.values()].flatMap(({ id, spec }) =>
    Object.keys(spec.tables).map((table) => ({ service: id, table, spec })),
  );

/** `customer`, `customers`, `Customer` or `billing.customer`. Throws `unknown_table`, which names the nearest. */
export const tableNamed = (session: Session, name: string): FoundTable => {
  const all = namesOf(session);
  const cut = name.indexOf('.');
  const [service, given] = cut < 0 ? [undefined, name] : [name.slice(0, cut), name.slice(cut + 1)];
  const own = all.filter((one) => service === undefined || one.service === service);
  const plain = snake(given);
  for (const wanted of [given, plain, singular(plain), plural(plain)]) {
    const found = own.find(({ table }) => table === wanted);
    if (found) return found;
  }
  throw new TreadleError({
    code: 'unknown_table',
    message: 'The world has no such table',
    value: name,
    next: `Nearest: ${
      nearNames(
        given,
        all.map(({ table }) => table),
      ).join(', ') || 'none'
    }.`,
  });
};

const queried = (session: Session, services: readonly string[], sql: string, params: readonly SqlValue[]): Row[] => {
  const connection = session.world.engine.world([...services]);
  connection.bind(Object.fromEntries(services.map((id) => [id, session.view(id)])));
  connection.limit(BUDGET);
  return connection.all(sql, params);
};

/** All rows of a table, in the order in which they are kept. */
export const rowsOf = (session: Session, { service, spec, table }: FoundTable): HeldRow[] =>
  queried(session, [service], `SELECT * FROM ${quoted(service)}.${quoted(table)}`, []).map((stored) => {
    const shown = encodeRow(spec, table, stored);
    return { stored, shown: typeof shown === 'object' && shown !== null && !Array.isArray(shown) ? shown : {} };
  });

/** Rows of a query over all services; values as they are stored. Throws `bad_sql`, and refuses writing. */
export const queryOf = (session: Session, sql: string, params: readonly SqlValue[]): Row[] => {
  const all = [...session.world.services.keys()];
  const named = all.length > MOST_SERVICES ? all.filter((id) => sql.includes(id)).slice(0, MOST_SERVICES) : all;
  try {
    return queried(session, named, sql, params);
  } catch (thrown) {
    if (thrown instanceof TreadleError && thrown.code === 'unknown_table') throw thrown;
    throw new TreadleError({
      code: 'bad_sql',
      message: `The query does not run: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      value: sql,
      next: `Tables: ${namesOf(session)
        .slice(0, 40)
        .map(({ table }) => table)
        .join(', ')}. Only reading is allowed.`,
      cause: thrown,
    });
  }
};
