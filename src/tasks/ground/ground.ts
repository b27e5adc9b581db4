/** The ground tasks grow on: a loaded world, its initial rows, fresh sessions, and unused values for new things. */

import { type Actor, actorOf } from '../../serve/sessions/caller.js';
import { Session } from '../../serve/sessions/session.js';
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import { seedWorld } from '../../world/seed/seed.js';
import type { Row } from '../../world/state/types.js';
import type { Known, TableRows } from './descriptors.js';

export interface Ground extends Known {
  world: LoadedWorld;
  actor: Actor;
  /** Rows as the same company might have had: where a new thing's values come from, so that they look real and are free. */
  spare(service: LoadedService): TableRows;
  /** A session on the initial state, with the tools of all services. */
  fresh(): Session;
}

/** Rows that spare data is made of; enough to choose from, few enough to be cheap. */
const SPARE_ROWS = 12;

/** Prepares a world for task making. Reads each table once, when it is first asked for. */
export const prepareGround = (world: LoadedWorld): Ground => {
  const tables = new Map<string, readonly Row[]>();
  const spares = new Map<string, Record<string, Row[]>>();
  const actor = actorOf(world);
  const base = Session.open(world, { id: 'ground', me: actor });
  let opened = 0;
  const rows =
    (service: LoadedService): TableRows =>
    (table) => {
      const id = `${service.id}.${table}`;
      const known = tables.get(id);
      if (known) return known;
      service.connection.bind(service.pristine);
      const read = service.connection.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).all();
      tables.set(id, read);
      return read;
    };
  const spare =
    (service: LoadedService): TableRows =>
    (table) => {
      let made: Record<string, Row[]> | undefined = spares.get(service.id);
      if (!made) {
        const spec = {
          ...service.spec,
          tables: Object.fromEntries(
            Object.entries(service.spec.tables).map(([name, t]) => [name, { ...t, rows: SPARE_ROWS }]),
          ),
        };
        const { company, clock, seed } = world.spec;
        made =
          seedWorld([spec], { company, clock, seed: `${seed}/spare`, links: [], invariants: [] }).rows[service.id] ??
          {};
        spares.set(service.id, made);
      }
      return made[table] ?? [];
    };
  const links = new Map(world.spec.links.map(({ from, to }) => [`${from.service}.${from.table}.${from.col}`, to]));
  const linked: Known['linked'] = (service, table, col) => {
    const to = links.get(`${service}.${table}.${col}`);
    const target = to ? world.services.get(to.service) : undefined;
    return to && target ? { service: target, table: to.table, col: to.col } : undefined;
  };
  return { world, actor, rows, linked, spare, fresh: () => base.fork(`task-${opened++}`) };
};
