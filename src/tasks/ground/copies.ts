/** New rows like those that a world holds: another's values, with a key and with unique values of their own. */
import type { Column, Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import { idOf } from '../../world/ids.js';
import type { LoadedService } from '../../world/loaded.js';
import type { State } from '../../world/state/state.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { newEmail } from '../atomic/texts.js';
import type { Ground } from './ground.js';

/** Keys and numbers from here on: sessions count up from the world's own rows and do not get there. */
const FAR = 1_000_000;
const FAR_NUMBER = 700;

const isUnique = (spec: Table, col: string): boolean =>
  spec.cols[col]?.unique === true || (spec.unique ?? []).some((cols) => cols.length === 1 && cols[0] === col);

/** The next running number after all that are there, with room for those that sessions give out. */
const farNumber = (column: Column, col: string, rows: readonly Row[], serial: number): SqlValue => {
  const numbers = rows.map((row) => Number(/(\d+)$/.exec(String(row[col] ?? ''))?.[1] ?? 0));
  const next = Math.max(0, ...numbers.filter((n) => n < Number.MAX_SAFE_INTEGER / 2)) + FAR_NUMBER + serial * 3;
  return column.type === 'text' ? `${column.prefix ?? ''}${next}` : next;
};

/** `ABC-12` with other digits. */
const otherCode = (value: string, serial: number): string | undefined => {
  const digits = /\d+(?=\D*$)/.exec(value)?.[0];
  if (digits === undefined) return undefined;
  const other = String((Number(digits) + 3000 + serial * 7) % 10 ** Math.max(4, digits.length));
  return value.replace(/\d+(?=\D*$)/, other.padStart(digits.length, '0'));
};

/** Adds rows to states of its own. What does not fit is not added. */
export class Copier {
  readonly #ground: Ground;
  readonly #states = new Map<string, State>();
  #serial = 0;

  constructor(ground: Ground, serial = 0) {
    this.#ground = ground;
    this.#serial = serial;
  }

  get serial(): number {
    return this.#serial;
  }

  states(): Record<string, State> {
    return Object.fromEntries(
      [...this.#ground.world.services.values()].map(({ id, pristine }) => [id, this.#states.get(id) ?? pristine]),
    );
  }

  rows(service: LoadedService, table: string): readonly Row[] {
    const state = this.#states.get(service.id);
    if (!state) return this.#ground.rows(service)(table);
    service.connection.bind(state);
    return service.connection.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).all();
  }

  /** Values that must be the row's own; undefined when one cannot be made up. */
  #own(service: LoadedService, table: string, donor: Row, set: Row, random: Rng): Row | undefined {
    const spec = service.spec.tables[table] as Table;
    const out: Row = { ...donor, ...set };
    const rows = this.rows(service, table);
    const { gen, col: key } = spec.key;
    if (!gen) return undefined;
    const serial = this.#serial++;
    out[key] = idOf(gen, `${this.#ground.world.spec.seed}/${service.id}/${table}`, FAR + serial);
    for (const [col, column] of Object.entries(spec.cols)) {
      if (col === key || out[col] === null || out[col] === undefined) continue;
      if (column.auto === 'number') out[col] = farNumber(column, col, rows, serial);
      else if (isUnique(spec, col)) {
        const value = out[col] ?? null;
        const isFree = !rows.some((row) => row[col] === value);
        if (Object.hasOwn(set, col) && isFree) continue;
        if (Object.hasOwn(set, col)) return undefined;
        const text = typeof value === 'string' && !column.fk ? value : undefined;
        const made = text?.includes('@')
          ? newEmail(
              text,
              String(
                random.pick(this.#ground.spare(service)(table).length > 0 ? this.#ground.spare(service)(table) : rows)[
                  col
                ] ?? text,
              ),
            )
          : text && otherCode(text, serial);
        if (made !== undefined && made !== value && !rows.some((row) => row[col] === made)) out[col] = made;
        else if (column.required) return undefined;
        else out[col] = null;
      }
    }
    return out;
  }

  /** A row like `donor` with `set` in it, added; undefined, and nothing added, when the world would not have it. */
  add(service: LoadedService, table: string, donor: Row, set: Row, random: Rng): Row | undefined {
    const row = this.#own(service, table, donor, set, random);
    return row && this.put(service, table, row) ? row : undefined;
  }

  /** Adds the row as it is; whether it fits. */
  put(service: LoadedService, table: string, row: Row): boolean {
    const state = this.#states.get(service.id) ?? service.pristine.fork();
    this.#states.set(service.id, state);
    const { connection } = service;
    connection.bind(state);
    const cols = Object.keys(row);
    try {
      connection
        .prepare(
          `INSERT INTO "${table}" (${cols.map((col) => `"${col}"`).join(', ')}) VALUES (${cols.map(() => '?').join(', ')})`,
        )
        .run(Object.values(row));
      return true;
    } catch {
      return false;
    }
  }

  drop(): void {
    for (const state of this.#states.values()) state.drop();
    this.#states.clear();
  }
}
