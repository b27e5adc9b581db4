/** What an invariant says of a session, and which rows stand nearest to breaking or mending it: SQL over all databases. */
import type { Invariant } from '../../artifacts/world.js';
import type { Session } from '../../serve/sessions/session.js';
import { triggerSql, violationSql } from '../../verify/invariants.js';
import { quoted } from '../../world/ddl.js';
import type { LoadedWorld } from '../../world/loaded.js';
import type { Access, Row } from '../../world/state/types.js';
import type { WorldConnection } from '../../world/state/world-connection.js';

/** A condition is data and may loop: steps of SQLite's virtual machine that one question may take. */
const MOST_STEPS = 3_000_000;
const MOST_ROWS = 40;

const DENIED = 'NOT coalesce((%), 0)';

/** One invariant of a world, asked of one session after the other. Throws what SQLite says of its conditions. */
export interface Situation {
  readonly invariant: Invariant;
  /** What the trigger's condition alone reads, and what the whole statement reads; `db` is the service. */
  accesses(session: Session): { trigger: Access; whole: Access };
  /** Keys of the trigger rows that break it. */
  broken(session: Session): (string | number)[];
  /** Trigger rows it speaks of. */
  fires(session: Session): number;
  /** How far it is from being true: pairs of rows that break it, or trigger rows that lack a partner. */
  weight(session: Session): number;
  /** Trigger rows that would break it if they met the trigger's condition. */
  almostTriggers(session: Session): Row[];
  /** Target rows that keep it true and would break it if they changed. */
  keepers(session: Session): Row[];
  /** Trigger rows that it speaks of; of those that break it, when `broken`. */
  triggers(session: Session, broken: boolean): Row[];
  /** Trigger rows that it does not speak of. */
  idle(session: Session): Row[];
  /** Target rows tied to a broken trigger row: those at fault, or for a missing one all that might become it. */
  culprits(session: Session): Row[];
  /** Target rows that meet the target's condition, tied or not; with a trigger's values in it, only tied ones. */
  meeting(session: Session): Row[];
}

const sqlOf = (invariant: Invariant) => {
  const { trigger, target, key } = invariant;
  const t = `${quoted(trigger.service)}.${quoted(trigger.table)} t`;
  const x = `${quoted(target.service)}.${quoted(target.table)} x`;
  const tie = `x.${quoted(key.target)} = t.${quoted(key.trigger)}`;
  const fires = `(${trigger.where}) AND t.${quoted(key.trigger)} IS NOT NULL`;
  const isWrong = target.expect === 'none' ? `(${target.where})` : DENIED.replace('%', () => target.where);
  const isRight = target.expect === 'none' ? DENIED.replace('%', () => target.where) : `(${target.where})`;
  const some = `EXISTS (SELECT 1 FROM ${x} WHERE ${tie} AND ${target.expect === 'at_least_one' ? isRight : isWrong})`;
  const breaks = target.expect === 'at_least_one' ? `NOT ${some}` : some;
  const limit = `LIMIT ${MOST_ROWS}`;
  return {
    weight:
      target.expect === 'at_least_one'
        ? `SELECT count(*) AS n FROM ${t} WHERE ${fires} AND ${breaks}`
        : `SELECT count(*) AS n FROM ${t} JOIN ${x} ON ${tie} WHERE ${fires} AND ${isWrong}`,
    almostTriggers: `SELECT t.* FROM ${t} WHERE ${DENIED.replace('%', () => trigger.where)} AND t.${quoted(key.trigger)} IS NOT NULL AND ${breaks} ${limit}`,
    keepers: `SELECT DISTINCT x.* FROM ${t} JOIN ${x} ON ${tie} WHERE ${fires} AND ${isRight} ${limit}`,
    triggers: `SELECT t.* FROM ${t} WHERE ${fires} ${limit}`,
    broken: `SELECT t.* FROM ${t} WHERE ${fires} AND ${breaks} ${limit}`,
    idle: `SELECT t.* FROM ${t} WHERE ${DENIED.replace('%', () => trigger.where)} AND t.${quoted(key.trigger)} IS NOT NULL ${limit}`,
    culprits: `SELECT DISTINCT x.* FROM ${t} JOIN ${x} ON ${tie} WHERE ${fires} AND ${breaks} AND ${isWrong} ${limit}`,
    meeting: /\bt\s*\./.test(target.where)
      ? `SELECT DISTINCT x.* FROM ${t} JOIN ${x} ON ${tie} WHERE (${target.where}) ${limit}`
      : `SELECT x.* FROM ${x} WHERE (${target.where}) ${limit}`,
  };
};

const timed = (sql: string, now: number): string => sql.replaceAll(':now', String(Math.trunc(now)));

/** A place that the world lacks shows when the situation is asked: SQLite does not know it. */
export const situationOf = (world: LoadedWorld, invariant: Invariant): Situation => {
  const key = world.services.get(invariant.trigger.service)?.spec.tables[invariant.trigger.table]?.key.col ?? 'id';
  const sql = sqlOf(invariant);
  let connection: WorldConnection | undefined;
  const bound = (session: Session): WorldConnection => {
    if (!connection) {
      connection = world.engine.world([...world.services.keys()]);
      connection.limit(MOST_STEPS);
    }
    connection.bind(Object.fromEntries([...world.services.keys()].map((id) => [id, session.view(id)])));
    return connection;
  };
  // One state is looked at from many sides before it is called upon: what was found there is found again.
  const found = new WeakMap<Session, { calls: number; rows: Map<string, Row[]> }>();
  const rows = (session: Session, text: string): Row[] => {
    let known = found.get(session);
    if (known?.calls !== session.calls) {
      known = { calls: session.calls, rows: new Map() };
      found.set(session, known);
    }
    const held = known.rows.get(text) ?? bound(session).all(timed(text, session.clock));
    known.rows.set(text, held);
    return [...held];
  };
  const count = (session: Session, text: string): number => Number(rows(session, text)[0]?.n ?? 0);
  return {
    invariant,
    accesses: (session) => {
      const view = bound(session);
      return {
        trigger: view.access(triggerSql(invariant, session.clock)),
        whole: view.access(violationSql(invariant, key, session.clock)),
      };
    },
    broken: (session) =>
      bound(session)
        .all(violationSql(invariant, key, session.clock))
        .map((row) => row.key as string | number),
    fires: (session) => Number(bound(session).all(triggerSql(invariant, session.clock))[0]?.n ?? 0),
    weight: (session) => count(session, sql.weight),
    almostTriggers: (session) => rows(session, sql.almostTriggers),
    keepers: (session) => rows(session, sql.keepers),
    triggers: (session, broken) => rows(session, broken ? sql.broken : sql.triggers),
    idle: (session) => rows(session, sql.idle),
    culprits: (session) => rows(session, sql.culprits),
    meeting: (session) => rows(session, sql.meeting),
  };
};
