/** The state engine: connections over copy-on-write SQLite states, and the building of base images. */
import type { Base } from './base.js';
import { buildBase } from './build.js';
import { Connection, type Pool } from './connection.js';
import { type Runtime, startRuntime } from './runtime.js';
import { WorldConnection } from './world-connection.js';
import { WorldPool } from './world-pool.js';

/** Handles kept open at a time: one with its statements and pages takes 50 to 150 KB, and opening one again most of a millisecond. */
const MOST_OPEN = 128;
const MOST_WORLDS = 8;

export class Engine {
  readonly #connections = new Map<string, Connection>();
  readonly #open = new Set<Connection>();
  readonly #worlds: WorldPool;
  readonly #pool: Pool;

  private constructor(readonly runtime: Runtime) {
    this.#worlds = new WorldPool(runtime, MOST_WORLDS);
    this.#pool = {
      uses: 0,
      opening: () => this.#makeRoom(),
      opened: (connection) => this.#open.add(connection),
      closed: (connection) => this.#open.delete(connection),
    };
  }

  /** Loads SQLite (once a process). Every engine has its own connections. */
  static async start(): Promise<Engine> {
    return new Engine(await startRuntime());
  }

  /** The connection for every state whose tables come from one DDL, by that DDL's key. */
  connection(ddlKey: string): Connection {
    const known = this.#connections.get(ddlKey);
    if (known) return known;
    const made = new Connection(this.runtime, this.#pool);
    this.#connections.set(ddlKey, made);
    return made;
  }

  /** A read-only connection over one state a service, each attached under its name; at most 10. */
  world(names: string[]): WorldConnection {
    return new WorldConnection(this.#worlds, names);
  }

  /**
   * A compact base: runs `ddl`, then `fill` inside one transaction with foreign keys checked at its end, then VACUUM.
   * The same statements give the same bytes.
   */
  build(ddl: string[], fill: (connection: Connection) => void): Base {
    return buildBase(this.runtime, ddl, fill);
  }

  /** Closes every connection; states live on. */
  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
    this.#worlds.close();
  }

  #makeRoom(): void {
    if (this.#open.size < MOST_OPEN) return;
    const idle = [...this.#open].filter((connection) => !connection.inTransaction);
    idle.sort((a, b) => Number(a.isRecording) - Number(b.isRecording) || a.lastUsed - b.lastUsed)[0]?.close();
  }
}
