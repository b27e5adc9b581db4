/** What seeded rows point to, after a user's rows have taken places: keys and linked values follow. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Link } from '../../artifacts/world.js';
import type { Seeded } from '../../world/seed/seed.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import type { OwnRows } from './types.js';

/** A column that holds values of another: by foreign key, or by a link between services. */
interface Pointer {
  from: { service: string; table: string; col: string };
  to: { service: string; table: string; col: string };
}

const idOfPlace = ({ service, table, col }: Pointer['to']): string => `${service}.${table}.${col}`;

const pointersOf = (services: readonly ServiceSpec[], links: readonly Link[]): Pointer[] => [
  ...services.flatMap((spec) =>
    Object.entries(spec.tables).flatMap(([table, { cols }]) =>
      Object.entries(cols).flatMap(([col, { fk }]) => {
        const key = fk === undefined ? undefined : spec.tables[fk]?.key.col;
        return fk === undefined || key === undefined
          ? []
          : [{ from: { service: spec.id, table, col }, to: { service: spec.id, table: fk, col: key } }];
      }),
    ),
  ),
  ...links.map(({ from, to }) => ({ from, to })),
];

export class Renames {
  readonly #pointers: readonly Pointer[];
  /** Place -> old value -> new value. */
  readonly #moved = new Map<string, Map<SqlValue, SqlValue>>();

  constructor(services: readonly ServiceSpec[], links: readonly Link[]) {
    this.#pointers = pointersOf(services, links);
  }

  /** `row` stands where `base` stood. */
  note(service: string, table: string, base: Row, row: Row): void {
    for (const { to } of this.#pointers) {
      if (to.service !== service || to.table !== table) continue;
      const [old, now] = [base[to.col] ?? null, row[to.col] ?? null];
      if (old === now || old === null) continue;
      const at = idOfPlace(to);
      const moved = this.#moved.get(at) ?? new Map<SqlValue, SqlValue>();
      if (!moved.has(old)) moved.set(old, now);
      this.#moved.set(at, moved);
    }
  }

  /** Follows every reference that a user did not give; chains are followed to their end, as a linked key may itself be linked. */
  apply(rows: Seeded['rows'], own: OwnRows): void {
    for (let round = 0; round < 3; round++) {
      let changed = false;
      for (const { from, to } of this.#pointers) {
        const moved = this.#moved.get(idOfPlace(to));
        if (!moved) continue;
        const mine = own[from.service]?.[from.table] ?? [];
        rows[from.service]?.[from.table]?.forEach((row, i) => {
          const old = row[from.col] ?? null;
          if (old === null || !moved.has(old)) return;
          const given = mine[i];
          if (given && (given.values[from.col] !== undefined || given.refs?.[from.col] !== undefined)) return;
          const before = { ...row };
          row[from.col] = moved.get(old) ?? null;
          this.note(from.service, from.table, before, row);
          changed = true;
        });
      }
      if (!changed) return;
    }
  }

  /** Values that a user gave for a linked column and that nothing at the other end has. */
  lost(rows: Seeded['rows'], own: OwnRows): string[] {
    return this.#pointers.flatMap(({ from, to }) => {
      const mine = own[from.service]?.[from.table];
      if (!mine?.some(({ values }) => values[from.col] !== undefined)) return [];
      const there = new Set((rows[to.service]?.[to.table] ?? []).map((row) => row[to.col]));
      return mine.flatMap(({ at, values }) => {
        const value = values[from.col];
        return value === undefined || there.has(value)
          ? []
          : [`${at}, column ${from.col}: no ${to.service}.${to.table} has ${to.col} "${value}"`];
      });
    });
  }
}

/** Seeded rows that have become a second one where only one may be go, and what required them goes with them. */
export const dropTwins = (
  services: readonly ServiceSpec[],
  rows: Seeded['rows'],
  own: ReadonlyMap<Row, string>,
): void => {
  for (const spec of services)
    for (const [name, table] of Object.entries(spec.tables)) {
      const list = rows[spec.id]?.[name];
      if (!list) continue;
      const groups = [
        ...Object.keys(table.cols).flatMap((col) => (table.cols[col]?.unique || col === table.key.col ? [[col]] : [])),
        ...(table.unique ?? []),
      ];
      const gone = new Set<Row>();
      for (const group of groups) {
        const seen = new Set<string>();
        for (const isOwn of [true, false])
          for (const row of list) {
            if (own.has(row) !== isOwn || gone.has(row) || group.some((col) => (row[col] ?? null) === null)) continue;
            const text = JSON.stringify(group.map((col) => row[col]));
            if (seen.has(text) && !isOwn) gone.add(row);
            seen.add(text);
          }
      }
      if (gone.size > 0) dropRows(spec, rows, name, gone, own);
    }
};

const dropRows = (
  spec: ServiceSpec,
  rows: Seeded['rows'],
  name: string,
  gone: ReadonlySet<Row>,
  own: ReadonlyMap<Row, string>,
): void => {
  const tables = rows[spec.id];
  if (!tables?.[name] || gone.size === 0) return;
  const kept = tables[name].filter((row) => !gone.has(row));
  tables[name] = kept;
  const key = spec.tables[name]?.key.col as string;
  const there = new Set(kept.map((row) => row[key]));
  for (const [other, { cols }] of Object.entries(spec.tables))
    for (const [col, column] of Object.entries(cols)) {
      if (column.fk !== name) continue;
      const loose = (tables[other] ?? []).filter((row) => (row[col] ?? null) !== null && !there.has(row[col] ?? null));
      if (!column.required) for (const row of loose) row[col] = null;
      else dropRows(spec, rows, other, new Set(loose.filter((row) => !own.has(row))), own);
    }
};
