/** The rows that a request touched, as they are after it; those that it deleted as they were before. */
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

const rowIn = (
  session: Session,
  state: State,
  service: string,
  table: string,
  col: string,
  key: string | number,
): Row | undefined => {
  const connection = session.world.engine.world([service]);
  connection.bind({ [service]: state });
  const sql = `SELECT * FROM ${quoted(service)}.${quoted(table)} WHERE ${quoted(col)} = ?`;
  return connection.all(sql, [key])[0];
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
