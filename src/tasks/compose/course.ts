/** The course of a composed task: one session that goes from stage to stage, and the ground that the next stage grows on. */
import type { Call } from '../../artifacts/task.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { Session } from '../../serve/sessions/session.js';
import type { LoadedService, LoadedWorld, WorldTool } from '../../world/loaded.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { argSpecs } from '../../world/surface/args.js';
import type { Known, TableRows } from '../ground/descriptors.js';
import type { Ground } from '../ground/ground.js';

/** Rows of a service's table by key. */
export type Narrowed = (service: LoadedService, table: string) => ReadonlySet<SqlValue> | undefined;

export interface Played {
  result: Json;
  /** Keys of rows that the call made, changed or removed. */
  touched: { service: string; table: string; key: string | number; change: 'insert' | 'update' | 'delete' }[];
}

const placeOf = (service: string, table: string): string => `${service}.${table}`;
const rowId = (service: string, table: string, key: SqlValue): string => `${service}.${table}#${key}`;

/** The world with the course's present states for its initial ones: a stage is an atomic task in it. */
const worldAt = (world: LoadedWorld, session: Session): LoadedWorld => {
  const services = new Map<string, LoadedService>();
  for (const [id, service] of world.services) {
    const pristine = session.view(id);
    services.set(id, pristine === service.pristine ? service : { ...service, pristine });
  }
  const tools = new Map<string, WorldTool>();
  for (const [name, { service, tool }] of world.tools)
    tools.set(name, { service: services.get(service.id) as LoadedService, tool });
  return { ...world, spec: { ...world.spec, clock: session.clock }, services, tools };
};

/** Canonical values of a call's arguments, lists taken apart. */
const valuesOf = ({ service, tool }: WorldTool, call: Call): Set<SqlValue> => {
  const out = new Set<SqlValue>();
  for (const { path, codec, list } of argSpecs(service.spec, tool.tool).values()) {
    const written = path.reduce<Json | undefined>(
      (at, key) => (at as Record<string, Json> | undefined)?.[key],
      call.args,
    );
    if (written === undefined) continue;
    for (const item of list && Array.isArray(written) ? written : [written]) {
      try {
        out.add(codec.decode(item) as SqlValue);
      } catch {
        // A structured value: its parts are nobody's column.
      }
    }
  }
  return out;
};

export class Course {
  readonly base: Ground;
  #session: Session;
  readonly #rows = new Map<string, { real: readonly Row[]; said: readonly Row[] }>();
  /** Columns of rows whose values came about on the way: nobody knew them when the brief was written. */
  readonly #unknown = new Map<string, Set<string>>();
  #stages = 0;

  constructor(base: Ground) {
    this.base = base;
    this.#session = base.fresh();
  }

  /** As the stages so far have left it; to be read only. */
  get session(): Session {
    return this.#session;
  }

  /** Rows as they are now. */
  real(service: LoadedService, table: string): readonly Row[] {
    return this.#read(service, table).real;
  }

  #read(service: LoadedService, table: string): { real: readonly Row[]; said: readonly Row[] } {
    const place = placeOf(service.id, table);
    const known = this.#rows.get(place);
    if (known) return known;
    const own = this.base.world.services.get(service.id) as LoadedService;
    const state = this.#session.view(service.id);
    let real = this.base.rows(own)(table);
    if (state !== own.pristine) {
      own.connection.bind(state);
      real = own.connection.prepare(`SELECT * FROM "${table}" ORDER BY rowid`).all();
    }
    const key = own.keys[table] as string;
    const said = real.map((row) => {
      const hidden = this.#unknown.get(rowId(service.id, table, row[key] ?? null));
      if (!hidden) return row;
      const masked: Row = { ...row };
      for (const col of hidden) masked[col] = null;
      return masked;
    });
    const read = { real, said };
    this.#rows.set(place, read);
    return read;
  }

  /** The ground of the next stage: rows hold what a user can know, sessions go on from here. `narrowed` says what it is about. */
  ground(narrowed?: Narrowed): Ground {
    const world = worldAt(this.base.world, this.#session);
    const { actor } = this.base;
    const stage = this.#stages++;
    const { clock } = this.#session;
    const inside = { states: new Map(), workspace: this.#session.workspace.fork(), clock };
    const start = Session.resume(world, { id: `stage-${stage}`, me: actor, isUnversioned: true }, inside);
    let opened = 0;
    const rows =
      (service: LoadedService): TableRows =>
      (table) =>
        this.#read(service, table).said;
    const linked: Known['linked'] = (service, table, col) => {
      const to = this.base.linked(service, table, col);
      return to && { ...to, service: world.services.get(to.service.id) as LoadedService };
    };
    const subjects = (service: LoadedService, table: string): readonly Row[] => {
      const all = rows(service)(table);
      const keys = narrowed?.(service, table);
      const key = service.keys[table] as string;
      return keys ? all.filter((row) => keys.has(row[key] ?? null)) : all;
    };
    return { ...this.base, world, rows, linked, subjects, fresh: () => start.fork(`stage-${stage}-${opened++}`) };
  }

  /** Goes on by a stage's calls. Undefined, and nothing has happened, when one of them fails. */
  advance(calls: readonly Call[]): Played[] | undefined {
    const next = this.#session.fork(`${this.base.world.spec.id}-course`);
    const played: Played[] = [];
    for (const call of calls) {
      const outcome = next.call(call.tool, structuredClone(call.args));
      if (!outcome.ok) {
        next.drop();
        return undefined;
      }
      const touched = outcome.entry.touched.map(({ service, table, key, change }) => ({ service, table, key, change }));
      played.push({ result: outcome.result, touched });
    }
    this.#session.drop();
    this.#session = next;
    for (const [i, call] of calls.entries()) this.#forget(call, next.ledger.length - calls.length + i);
    return played;
  }

  /** What a call wrote that it was not told is nothing a user could say. */
  #forget(call: Call, index: number): void {
    const found = this.base.world.tools.get(call.tool);
    const entry = this.#session.ledger[index];
    if (!found || !entry || entry.touched.length === 0) return;
    const told = valuesOf(found, call);
    for (const { service, table, key, cols, change } of entry.touched) {
      this.#rows.delete(placeOf(service, table));
      if (change === 'delete') continue;
      const own = this.base.world.services.get(service) as LoadedService;
      own.connection.bind(this.#session.view(service));
      const row = own.connection.prepare(`SELECT * FROM "${table}" WHERE "${own.keys[table]}" = ?`).get([key]);
      const spec = own.spec.tables[table];
      if (!row || !spec) continue;
      const hidden = this.#unknown.get(rowId(service, table, key)) ?? new Set<string>();
      for (const col of change === 'insert' ? Object.keys(row) : cols) {
        const column = spec.cols[col];
        const isSaid = told.has(row[col] ?? null) || column?.enum !== undefined || column?.type === 'bool';
        if (col === own.keys[table] || (isSaid && !column?.auto)) hidden.delete(col);
        else hidden.add(col);
      }
      this.#unknown.set(rowId(service, table, key), hidden);
    }
  }

  /** A point to come back to: what `rewind` takes. */
  mark(): Mark {
    return {
      session: this.#session.fork(`${this.base.world.spec.id}-mark`),
      unknown: new Map([...this.#unknown].map(([id, cols]) => [id, new Set(cols)])),
    };
  }

  rewind({ session, unknown }: Mark): void {
    this.#session.drop();
    this.#session = session;
    this.#rows.clear();
    this.#unknown.clear();
    for (const [id, cols] of unknown) this.#unknown.set(id, cols);
  }

  drop(): void {
    this.#session.drop();
  }
}

export interface Mark {
  session: Session;
  unknown: Map<string, Set<string>>;
}

/** Whether two results show the same. */
export const sameResult = (one: Json, other: Json): boolean => canonicalJson(one) === canonicalJson(other);
