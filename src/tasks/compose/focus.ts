/** What an errand is about: rows it has dealt with, and through keys the rows that belong to them. */
import type { LoadedService, LoadedWorld } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import type { Narrowed } from './course.js';

interface Held {
  service: string;
  table: string;
  key: string | number;
}

type Rows = (service: LoadedService, table: string) => readonly Row[];

/** Rows beyond this many belong to no errand: a warehouse's articles, everybody of a department. */
const MOST_RELATED = 60;

export class Focus {
  readonly #world: LoadedWorld;
  readonly #rows: Rows;
  #held: Held[] = [];

  constructor(world: LoadedWorld, rows: Rows) {
    this.#world = world;
    this.#rows = rows;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Colleagues and mail are of every errand, so they lead nowhere. */
  add(service: string, table: string, key: string | number): void {
    if (this.#world.services.get(service)?.role === 'core') return;
    if (this.#held.some((one) => one.service === service && one.table === table && one.key === key)) return;
    this.#held.push({ service, table, key });
  }

  clear(): void {
    this.#held = [];
  }

  holds(service: string, table: string, key: SqlValue): boolean {
    return this.#held.some((one) => one.service === service && one.table === table && one.key === key);
  }

  /** Whether a new row of the table could belong to what the errand has dealt with. */
  couldHave(service: LoadedService, table: string): boolean {
    return this.#held.some(
      (held) =>
        (held.service === service.id &&
          Object.values(service.spec.tables[table]?.cols ?? {}).some(({ fk }) => fk === held.table)) ||
        this.#world.spec.links.some(
          ({ from, to }) =>
            from.service === service.id &&
            from.table === table &&
            to.service === held.service &&
            to.table === held.table,
        ),
    );
  }

  /** Tables of the world that the errand leads to. */
  tables(): { service: LoadedService; table: string }[] {
    return [...this.#world.services.values()].flatMap((service) =>
      service.role === 'core'
        ? []
        : Object.keys(service.spec.tables)
            .filter((table) => (this.related(service, table)?.size ?? 0) > 0)
            .map((table) => ({ service, table })),
    );
  }

  /** Keys of the table's rows that belong to the errand; undefined where the errand leads to none. */
  readonly related: Narrowed = (service, table) => {
    const out = new Set<SqlValue>();
    const key = service.keys[table] as string;
    const spec = service.spec.tables[table];
    const own = this.#held.filter((held) => held.service === service.id && held.table === table);
    // What the errand has dealt with comes before what belongs to it.
    if (own.length > 0) return new Set(own.map((held) => held.key));
    if (!spec || service.role === 'core') return undefined;
    for (const held of this.#held) {
      const there = this.#world.services.get(held.service) as LoadedService;
      const heldKey = there.keys[held.table] as string;
      const row = this.#rows(there, held.table).find((one) => one[heldKey] === held.key);
      if (!row) continue;
      if (held.service === service.id) {
        for (const [col, column] of Object.entries(there.spec.tables[held.table]?.cols ?? {}))
          if (column.fk === table && row[col] !== null) out.add(row[col] ?? null);
        this.#where(service, table, key, (cols) => cols.fk === held.table, held.key, out);
      }
      for (const { from, to } of this.#world.spec.links) {
        if (
          from.service === service.id &&
          from.table === table &&
          to.service === held.service &&
          to.table === held.table
        )
          this.#equal(service, table, key, from.col, row[to.col], out);
        if (
          to.service === service.id &&
          to.table === table &&
          from.service === held.service &&
          from.table === held.table
        )
          this.#equal(service, table, key, to.col, row[from.col], out);
      }
    }
    return out.size > 0 && out.size <= MOST_RELATED ? out : undefined;
  };

  #where(
    service: LoadedService,
    table: string,
    key: string,
    fits: (column: { fk?: string | undefined }) => boolean,
    value: SqlValue,
    out: Set<SqlValue>,
  ): void {
    for (const [col, column] of Object.entries(service.spec.tables[table]?.cols ?? {}))
      if (fits(column)) this.#equal(service, table, key, col, value, out);
  }

  #equal(
    service: LoadedService,
    table: string,
    key: string,
    col: string,
    value: SqlValue | undefined,
    out: Set<SqlValue>,
  ): void {
    if (value === null || value === undefined) return;
    for (const row of this.#rows(service, table)) if (row[col] === value) out.add(row[key] ?? null);
  }
}
