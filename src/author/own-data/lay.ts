/** Lays a user's rows over the seeded ones: theirs take the places of seeded rows, which fill what they leave open. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Table } from '../../artifacts/table.js';
import type { Link } from '../../artifacts/world.js';
import { snake } from '../../kit/words.js';
import { capacityOf, idOf } from '../../world/ids.js';
import type { Seeded } from '../../world/seed/seed.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { conditionsOf, mendRow } from './mend.js';
import { completeParts } from './parts.js';
import { dropTwins, Renames } from './renames.js';
import { misfit, type OwnRow, type OwnRows } from './types.js';

/** Rows that a seeder makes at most to fill what a user's rows leave open; further ones are filled from these again. */
export const MOST_FILLED = 400;
const FEW = 3;

export interface Laid {
  rows: Seeded['rows'];
  counters: Seeded['counters'];
  /** Rows that are the user's, with the place in their file. */
  own: Map<Row, string>;
}

interface Bed {
  spec: ServiceSpec;
  name: string;
  table: Table;
  seed: string;
  counters: Record<string, number>;
  renames: Renames;
}

/** Seeded rows in the order in which they are taken: one in the state of the user's row where there is one. */
class Pool {
  readonly #all: readonly Row[];
  readonly #left: Set<Row>;
  readonly #col: string | undefined;
  readonly #alike = new Map<SqlValue | undefined, readonly Row[]>();
  #again = 0;

  constructor(rows: readonly Row[], col: string | undefined) {
    this.#all = rows;
    this.#left = new Set(rows);
    this.#col = col;
  }

  /** `fresh` when nothing else was made of the row. */
  take(state: SqlValue | undefined): { base: Row; fresh: boolean } | undefined {
    const col = this.#col;
    const fits = (row: Row): boolean => col === undefined || state === undefined || row[col] === state;
    for (const row of this.#left)
      if (fits(row)) {
        this.#left.delete(row);
        return { base: row, fresh: true };
      }
    if (this.#all.length === 0) return undefined;
    const from = this.#likeness(state, fits);
    return { base: from[this.#again++ % from.length] as Row, fresh: false };
  }

  /** Rows in a state, or all where there are none; looked up once a state. */
  #likeness(state: SqlValue | undefined, fits: (row: Row) => boolean): readonly Row[] {
    const known = this.#alike.get(state);
    if (known) return known;
    const alike = this.#all.filter(fits);
    const from = alike.length > 0 ? alike : this.#all;
    this.#alike.set(state, from);
    return from;
  }

  rest(): Row[] {
    return [...this.#left];
  }
}

const newKey = ({ spec, name, table, seed, counters }: Bed, taken: ReadonlySet<SqlValue>): SqlValue | undefined => {
  if (!table.key.gen) return undefined;
  const capacity = capacityOf(table.key.gen);
  for (let tries = 0; tries <= capacity; tries++) {
    const n = (counters[name] ?? 0) + 1;
    counters[name] = n;
    const id = idOf(table.key.gen, `${seed}/${spec.id}/${name}`, n);
    if (!taken.has(id)) return id;
  }
  return undefined;
};

const MAIL = /(^|_)e_?mail/;

/** What must agree with a name that was given: an address made of another name would be somebody else's. */
const agreed = (table: Table, row: Row, base: Row, values: Row): void => {
  const { label } = table;
  if (label === undefined || values[label] === undefined || values[label] === base[label]) return;
  for (const [col, column] of Object.entries(table.cols)) {
    const seeded = row[col];
    if (values[col] !== undefined || typeof seeded !== 'string' || column.fk !== undefined) continue;
    if (MAIL.test(col) && seeded.includes('@'))
      row[col] = `${snake(String(values[label])).replaceAll('_', '.') || 'office'}@${seeded.split('@')[1]}`;
  }
};

/** A value that only one row may have and another row has. */
const another = (col: string, table: Table, value: SqlValue, n: number): SqlValue =>
  table.cols[col]?.required !== true
    ? null
    : typeof value === 'number'
      ? value + 1_000_000 + n
      : String(value).includes('@')
        ? String(value).replace('@', `.${n}@`)
        : `${value}-${n}`;

const uniqueCols = ({ cols, key, unique = [] }: Table): string[] =>
  Object.keys(cols).filter(
    (col) => col !== key.col && (cols[col]?.unique || unique.some((group) => group.includes(col))),
  );

const layTable = (bed: Bed, seeded: readonly Row[], own: readonly OwnRow[], laid: Map<Row, string>): Row[] => {
  const { spec, name, table, renames } = bed;
  const state = table.machine?.col;
  const pool = new Pool(seeded, state);
  const singles = uniqueCols(table);
  const conditions = conditionsOf(table);
  const given = new Set<SqlValue>(own.flatMap(({ values }) => values[table.key.col] ?? []));
  const keys = new Set<SqlValue>([...given, ...seeded.map((row) => row[table.key.col] ?? null)]);
  const out = own.map(({ at, values }, i) => {
    const { base, fresh } = pool.take(state === undefined ? undefined : values[state]) ?? { base: {}, fresh: false };
    const row: Row = { ...base, ...values };
    if (values[table.key.col] === undefined && (!fresh || given.has(base[table.key.col] ?? null))) {
      const key = newKey(bed, keys);
      if (key === undefined) throw misfit([`${at}: the ${table.noun} needs a ${table.key.col}`], 'Give the column.');
      row[table.key.col] = key;
      keys.add(key);
    }
    if (!fresh)
      for (const col of singles) if (values[col] === undefined) row[col] = another(col, table, row[col] ?? null, i);
    agreed(table, row, base, values);
    if (conditions.length > 0) mendRow(table, conditions, row, values, seeded);
    if (fresh) renames.note(spec.id, name, base, row);
    laid.set(row, at);
    return row;
  });
  // A life cycle needs rows in each of its states; a handful of rows is no table to search in.
  const keeps = state !== undefined || out.length < FEW;
  const rest = pool.rest();
  if (keeps) return [...out, ...rest.filter((row) => !given.has(row[table.key.col] ?? null))];
  for (const [i, row] of rest.entries()) renames.note(spec.id, name, row, out[i % out.length] as Row);
  return out;
};

/** Running numbers go on behind the highest that was given: `INV-1042`. */
const raiseCounters = ({ name, table, counters }: Bed, own: readonly OwnRow[]): void => {
  for (const [col, { auto }] of Object.entries(table.cols)) {
    if (auto !== 'number') continue;
    for (const { values } of own) {
      const digits = /(\d{1,12})$/.exec(String(values[col] ?? ''))?.[1];
      if (digits) counters[`${name}.${col}`] = Math.max(counters[`${name}.${col}`] ?? 0, Number(digits));
    }
  }
};

/** Ids that the service will give out next must not be the user's own. */
const AHEAD = 2_000;
const skipTaken = ({ spec, name, table, seed, counters }: Bed, rows: readonly Row[]): void => {
  const gen = table.key.gen;
  if (!gen) return;
  const keys = new Set(rows.map((row) => row[table.key.col]));
  let from = counters[name] ?? 0;
  for (let n = from + 1; n <= from + AHEAD; n++) if (keys.has(idOf(gen, `${seed}/${spec.id}/${name}`, n))) from = n;
  counters[name] = from;
};

/** Deterministic. Throws `data_does_not_fit` for a row whose key cannot be made and for links that lead nowhere. */
export const layOwnRows = (
  services: readonly ServiceSpec[],
  seeded: Seeded,
  own: OwnRows,
  world: { seed: string; links: readonly Link[] },
): Laid => {
  const renames = new Renames(services, world.links);
  const out: Laid = { rows: {}, counters: structuredClone(seeded.counters), own: new Map() };
  for (const spec of services) {
    const tables = seeded.rows[spec.id] ?? {};
    const counters = out.counters[spec.id] ?? {};
    out.counters[spec.id] = counters;
    out.rows[spec.id] = Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => {
        const mine = own[spec.id]?.[name];
        const table = spec.tables[name];
        if (!mine || !table || mine.length === 0) return [name, rows];
        const bed: Bed = { spec, name, table, seed: world.seed, counters, renames };
        const laid = layTable(bed, rows, mine, out.own);
        raiseCounters(bed, mine);
        skipTaken(bed, laid);
        return [name, laid];
      }),
    );
  }
  for (const spec of services)
    for (const [name, mine] of Object.entries(own[spec.id] ?? {}))
      mine.forEach(({ refs = {} }, i) => {
        const row = out.rows[spec.id]?.[name]?.[i];
        for (const [col, nth] of Object.entries(refs)) {
          const fk = spec.tables[name]?.cols[col]?.fk;
          const target = fk === undefined ? undefined : out.rows[spec.id]?.[fk]?.[nth];
          if (row && target) row[col] = target[spec.tables[fk as string]?.key.col as string] ?? null;
        }
      });
  renames.apply(out.rows, own);
  dropTwins(services, out.rows, out.own);
  completeParts(services, seeded.rows, out.rows, own);
  const lost = renames.lost(out.rows, own);
  if (lost.length > 0) throw misfit(lost, 'Correct the value, or leave the column out.');
  return out;
};
