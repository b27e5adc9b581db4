/** From a draft to a world with data: seeds every service, builds its image, and names all parts by content address. */
import type { ServiceSpec } from '../artifacts/service.js';
import type { Snapshot } from '../artifacts/snapshot.js';
import type { WorldSpec } from '../artifacts/world.js';
import { TreadleError } from '../errors.js';
import { addressOf, deepFreeze, sha256 } from '../kit/hash.js';
import { ddlOf } from '../world/ddl.js';
import { seedWorld } from '../world/seed/seed.js';
import type { Engine } from '../world/state/engine.js';
import type { Row, SqlValue } from '../world/state/types.js';
import type { WorldDraft } from './draft.js';
import { layOwnRows } from './own-data/lay.js';
import { misfit } from './own-data/types.js';

export interface BuiltWorld {
  world: WorldSpec;
  snapshot: Snapshot;
  services: ServiceSpec[];
  images: Record<string, Uint8Array>;
}

type TableRows = Record<string, Row[]>;

/** One statement a table, columns in the spec's order; rows in the seeder's order, parents first. */
const imageOf = (
  engine: Engine,
  spec: ServiceSpec,
  rows: TableRows,
  counters: Record<string, number>,
  own: ReadonlyMap<Row, string>,
): Uint8Array =>
  engine.build(ddlOf(spec), (connection) => {
    for (const [table, list] of Object.entries(rows)) {
      const cols = Object.keys(spec.tables[table]?.cols ?? {});
      const insert = connection.prepare(
        `INSERT INTO "${table}" (${cols.map((col) => `"${col}"`).join(', ')}) VALUES (${cols.map(() => '?').join(', ')})`,
      );
      for (const row of list) {
        try {
          insert.run(cols.map((col): SqlValue => row[col] ?? null));
        } catch (cause) {
          const at = own.get(row);
          if (at === undefined || !(cause instanceof TreadleError) || cause.code !== 'constraint') throw cause;
          throw misfit([`${at}: ${cause.message}`], 'Correct the row, or correct the table in overrides.yaml.');
        }
      }
    }
    const count = connection.prepare('INSERT INTO _treadle_counter (name, n) VALUES (?, ?)');
    for (const [name, n] of Object.entries(counters)) count.run([name, n]);
  }).image;

/** Deterministic: one draft, one set of bytes. Throws when initial data breaks a constraint (fault `world`). */
export const assembleWorld = (engine: Engine, draft: WorldDraft): BuiltWorld => {
  const services = draft.services.map(({ spec }) => deepFreeze(spec));
  const { company, clock, seed, links, invariants } = draft;
  const seeded = seedWorld(services, { company, clock, seed, links, invariants });
  const laid = draft.own
    ? layOwnRows(services, seeded, draft.own, { seed, links })
    : { rows: seeded.rows, counters: seeded.counters, own: new Map<Row, string>() };
  const images: Record<string, Uint8Array> = {};
  const rows: WorldSpec['rows'] = {};
  for (const spec of services) {
    const own = laid.rows[spec.id] ?? {};
    images[spec.id] = imageOf(engine, spec, own, laid.counters[spec.id] ?? {}, laid.own);
    rows[spec.id] = Object.fromEntries(Object.keys(spec.tables).map((table) => [table, own[table]?.length ?? 0]));
  }
  const databases = Object.fromEntries(Object.entries(images).map(([id, image]) => [id, sha256(image)]));
  const snapshot: Snapshot = deepFreeze({ treadle: 'snapshot/1', clock, databases, files: {} });
  const world: WorldSpec = deepFreeze({
    treadle: 'world/1',
    id: draft.id,
    company,
    brief: draft.brief,
    clock,
    seed,
    services: draft.services.map(({ spec, role, prefix }) => ({ id: spec.id, hash: addressOf(spec), role, prefix })),
    links,
    policies: draft.policies,
    invariants,
    processes: draft.processes,
    rows,
    snapshot: addressOf(snapshot),
  });
  return { world, snapshot, services, images };
};
