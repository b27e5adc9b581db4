/** Open handles with a world's services attached, least recently used closed first: one costs about 0.8 MB and 3 ms. */
import { Database } from './database.js';
import type { Runtime } from './runtime.js';
import type { Slot } from './slot.js';
import type { State } from './state.js';
import { Statement } from './statement.js';

/** Kilobytes, negative as SQLite wants it: ten services in eight handles must fit the wasm heap. */
const CACHE = -2048;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** One handle over one state a service; every combination of services and schemas needs its own. */
export class WorldHandle {
  readonly #database: Database;
  readonly #slots: Map<string, Slot>;
  readonly #statements = new Map<string, Statement>();

  constructor(runtime: Runtime, states: Readonly<Record<string, State>>) {
    this.#database = new Database(runtime, ':memory:', 'query');
    this.#slots = new Map(Object.keys(states).map((name) => [name, runtime.vfs.slot()]));
    this.bind(states);
    try {
      for (const [name, slot] of this.#slots) {
        this.#database.admin(`ATTACH '${slot.name}' AS ${quoted(name)}`);
        this.#database.admin(`PRAGMA ${quoted(name)}.cache_size=${CACHE}`);
      }
      this.#database.configure();
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  bind(states: Readonly<Record<string, State>>): void {
    for (const [name, slot] of this.#slots) {
      const state = states[name] as State;
      slot.bind(state.head, state);
    }
  }

  ready(): Database {
    return this.#database;
  }

  statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = new Statement(this, sql);
    this.#statements.set(sql, made);
    return made;
  }

  close(): void {
    this.#database.close();
  }
}

export class WorldPool {
  readonly #handles = new Map<string, WorldHandle>();

  constructor(
    readonly runtime: Runtime,
    readonly most: number,
  ) {}

  /** A handle bound to `states`. */
  bound(states: Readonly<Record<string, State>>): WorldHandle {
    const names = Object.keys(states).sort();
    const key = JSON.stringify(names.map((name) => [name, (states[name] as State).base.schema.key]));
    let handle = this.#handles.get(key);
    if (handle) {
      this.#handles.delete(key);
      handle.bind(states);
    } else {
      if (this.#handles.size >= this.most) this.#closeOldest();
      handle = new WorldHandle(this.runtime, states);
    }
    this.#handles.set(key, handle);
    return handle;
  }

  close(): void {
    for (const handle of this.#handles.values()) handle.close();
    this.#handles.clear();
  }

  #closeOldest(): void {
    const [key, handle] = this.#handles.entries().next().value as [string, WorldHandle];
    handle.close();
    this.#handles.delete(key);
  }
}
