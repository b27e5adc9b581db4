/** The ground tasks grow on: a loaded world, its initial rows, fresh sessions, and unused values for new things. */

import type { ServiceSpec } from '../../artifacts/service.js';
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
  /** Rows that a task may act on or refer to, of those that `rows` gives; all of them where this is absent. */
  subjects?(service: LoadedService, table: string): readonly Row[];
}

/** The rows of a table that a task may be about. */
export const subjectRows = (ground: Ground, service: LoadedService, table: string): readonly Row[] =>
  ground.subjects?.(service, table) ?? ground.rows(service)(table);

/** The same ground as a session has left it: its rows, and fresh sessions that go on from it. The session must not be called. */
export const groundAt = (ground: Ground, session: Session): Ground => {
  const tables = new Map<string, readonly Row[]>();
  let opened = 0;
  const rows =
    (service: LoadedService): TableRows =>
    (table) => {
      const state = session.view(service.id);
      // What the session has not touched was read before.
      if (state === service.pristine) return ground.rows(service)(table);
      const id = `${service.id}.${table}`;
      const known = tables.get(id);
      if (known) return known;
      service.connection.bind(state);
      const read = service.connection.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).all();
      tables.set(id, read);
      return read;
    };
  return { ...ground, rows, fresh: () => session.fork(`${session.id}-${opened++}`) };
};

/** Rows that spare data is made of; enough to choose from, few enough to be cheap. */
const SPARE_ROWS = 12;

/** The table and those that its rows point to, and theirs: what a row of it can speak of. */
const withParents = ({ tables }: ServiceSpec, table: string): Set<string> => {
  const out = new Set([table]);
  for (const name of out)
    for (const { fk } of Object.values(tables[name]?.cols ?? {})) if (fk !== undefined && tables[fk]) out.add(fk);
  return out;
};

/** Rows of one table as another seed would have made them, with only the tables that they need. */
const seedSpare = ({ spec }: LoadedService, table: string, world: LoadedWorld): Row[] => {
  const needed = withParents(spec, table);
  const tables = Object.fromEntries(
    Object.entries(spec.tables).flatMap(([name, t]) => (needed.has(name) ? [[name, { ...t, rows: SPARE_ROWS }]] : [])),
  );
  const { company, clock, seed } = world.spec;
  const context = { company, clock, seed: `${seed}/spare`, links: [], invariants: [], spares: 0 };
  return seedWorld([{ ...spec, tables }], context).rows[spec.id]?.[table] ?? [];
};

/** Prepares a world for task making. Reads each table once, when it is first asked for. */
export const prepareGround = (world: LoadedWorld): Ground => {
  const tables = new Map<string, readonly Row[]>();
  const spares = new Map<string, Row[]>();
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
      const id = `${service.id}.${table}`;
      const made = spares.get(id) ?? seedSpare(service, table, world);
      spares.set(id, made);
      return made;
    };
  const links = new Map(world.spec.links.map(({ from, to }) => [`${from.service}.${from.table}.${from.col}`, to]));
  const keys = new Map<string, boolean>();
  /** Two services may share a word that means many rows: a department is nobody. */
  const isKey = (service: LoadedService, table: string, col: string): boolean => {
    const id = `${service.id}.${table}.${col}`;
    const known = keys.get(id);
    if (known !== undefined) return known;
    const values = rows(service)(table).flatMap((row) => row[col] ?? []);
    const found = new Set(values).size === values.length;
    keys.set(id, found);
    return found;
  };
  const linked: Known['linked'] = (service, table, col) => {
    const to = links.get(`${service}.${table}.${col}`);
    const target = to ? world.services.get(to.service) : undefined;
    return to && target && isKey(target, to.table, to.col)
      ? { service: target, table: to.table, col: to.col }
      : undefined;
  };
  return { world, actor, rows, linked, spare, fresh: () => base.fork(`task-${opened++}`) };
};
