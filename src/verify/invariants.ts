/** World invariants as SQL over all of a world's databases, attached under their service ids (agentmercury-summary.txt, 3). */
import type { Invariant } from '../artifacts/world.js';
import { TreadleError } from '../errors.js';
import type { LoadedWorld } from '../world/loaded.js';
import type { State } from '../world/state/state.js';
import type { Evidence } from './evidence.js';

const TIED: Record<Invariant['target']['expect'], (target: string, tie: string, where: string) => string> = {
  none: (target, tie, where) => `EXISTS (SELECT 1 FROM ${target} x WHERE ${tie} AND (${where}))`,
  at_least_one: (target, tie, where) => `NOT EXISTS (SELECT 1 FROM ${target} x WHERE ${tie} AND (${where}))`,
  every: (target, tie, where) => `EXISTS (SELECT 1 FROM ${target} x WHERE ${tie} AND NOT coalesce((${where}), 0))`,
};

/** `:now` as a literal: an integer, so nothing can be injected and the statement stays cacheable per clock. */
const atTime = (sql: string, now: number): string => sql.replaceAll(':now', String(Math.trunc(now)));

const place = (end: { service: string; table: string }): string => `"${end.service}"."${end.table}"`;

/** Selects the keys of trigger rows that break the invariant. */
export const violationSql = (invariant: Invariant, triggerKey: string, now: number): string => {
  const { trigger, target, key } = invariant;
  const tie = `x."${key.target}" = t."${key.trigger}"`;
  const broken = TIED[target.expect](place(target), tie, target.where);
  return atTime(
    `SELECT t."${triggerKey}" AS key FROM ${place(trigger)} t WHERE (${trigger.where}) AND t."${key.trigger}" IS NOT NULL AND ${broken} ORDER BY 1 LIMIT 50`,
    now,
  );
};

/** Counts the trigger rows an invariant speaks of: zero means it is vacuous now. */
export const triggerSql = (invariant: Invariant, now: number): string =>
  atTime(
    `SELECT count(*) AS n FROM ${place(invariant.trigger)} t WHERE (${invariant.trigger.where}) AND t."${invariant.key.trigger}" IS NOT NULL`,
    now,
  );

/** Keys of the trigger rows that break `invariant` in the given states. */
export const brokenRows = (
  world: LoadedWorld,
  invariant: Invariant,
  states: Record<string, State>,
  now: number,
): (string | number)[] => {
  const table = world.services.get(invariant.trigger.service)?.spec.tables[invariant.trigger.table];
  if (!table)
    throw new TreadleError({
      code: 'bad_invariant',
      message: 'An invariant names a table that the world lacks',
      value: invariant.id,
      fault: 'world',
    });
  const connection = world.engine.world([...world.services.keys()]);
  connection.bind(states);
  return connection.all(violationSql(invariant, table.key.col, now)).map((row) => row.key as string | number);
};

/** The violations of one invariant of the world in the final state. Throws `bad_check` for an unknown invariant. */
export const violationsOf = (evidence: Evidence, id: string): (string | number)[] => {
  const invariant = evidence.world.spec.invariants.find((candidate) => candidate.id === id);
  if (!invariant)
    throw new TreadleError({
      code: 'bad_check',
      message: 'A check names an invariant that the world lacks',
      value: id,
      fault: 'verifier',
    });
  const states = Object.fromEntries(
    [...evidence.world.services.keys()].map((service) => [service, evidence.after(service)]),
  );
  return brokenRows(evidence.world, invariant, states, evidence.clock);
};
