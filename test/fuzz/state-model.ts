/** The plain side of the state fuzz: an ordinary in-memory database per state, which knows nothing of the engine. */
import type { Engine } from '../../src/world/state/engine.js';
import type { Row, RowChange, SqlValue } from '../../src/world/state/types.js';

export const DDL = [
  'CREATE TABLE item (id TEXT PRIMARY KEY NOT NULL, n INTEGER, x REAL, body TEXT, CHECK (n IS NULL OR n < 900)) STRICT',
  'CREATE INDEX item_n ON item (n)',
  `CREATE TABLE note (id INTEGER PRIMARY KEY, item TEXT REFERENCES item (id) ON DELETE CASCADE, body TEXT UNIQUE) STRICT`,
  'CREATE INDEX note_item ON note (item)',
  'CREATE TABLE audit (id INTEGER PRIMARY KEY, item TEXT NOT NULL, was INTEGER) STRICT',
  `CREATE TRIGGER item_audit AFTER UPDATE OF n ON item WHEN old.n IS NOT new.n
   BEGIN INSERT INTO audit (item, was) VALUES (old.id, old.n); END`,
];
export const KEYS: Record<string, string> = { audit: 'id', item: 'id', note: 'id' };

/** Runs a statement; `error` stands for any constraint failure, whose text both sides share. */
export type Answer = { rows: Row[] } | { error: string };

export class PlainDatabase {
  readonly #engine: Engine;
  readonly #db: InstanceType<Engine['runtime']['wasm']['sqlite3']['oo1']['DB']>;

  constructor(engine: Engine, image: Uint8Array) {
    this.#engine = engine;
    const { capi, config, oo1, wasm } = engine.runtime.wasm.sqlite3;
    // The package warns on the console of every broken constraint, and this fuzz breaks thousands.
    Object.assign(config, { warn: () => undefined });
    this.#db = new oo1.DB();
    const at = wasm.allocFromTypedArray(image);
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
    const size = image.length;
    const rc = capi.sqlite3_deserialize(this.#db.pointer as number, 'main', at, size, size, flags);
    if (rc !== 0) throw new Error(`deserialize answered ${rc}`);
    this.#db.exec('PRAGMA foreign_keys=ON');
  }

  run(sql: string, params: readonly SqlValue[] = []): Answer {
    try {
      const bind = params.length > 0 ? [...params] : undefined;
      const rows = this.#db.exec({
        sql,
        bind,
        rowMode: 'object',
        returnValue: 'resultRows',
      } as never) as unknown as Row[];
      return { rows: rows.map((row) => ({ ...row })) };
    } catch (thrown) {
      return { error: String(thrown).replace(/^.*sqlite3 result code \d+: /, '') };
    }
  }

  rows(table: string): Row[] {
    const answer = this.run(`SELECT * FROM ${table} ORDER BY id`);
    if ('error' in answer) throw new Error(answer.error);
    return answer.rows;
  }

  integrity(): string {
    return String(this.#db.selectValue('PRAGMA integrity_check'));
  }

  copy(): PlainDatabase {
    const { capi } = this.#engine.runtime.wasm.sqlite3;
    return new PlainDatabase(this.#engine, capi.sqlite3_js_db_export(this.#db.pointer as number));
  }

  close(): void {
    this.#db.close();
  }
}

/** The diff by its definition, over all rows of both sides. */
export const slowDiff = (before: PlainDatabase, after: PlainDatabase): RowChange[] =>
  Object.keys(KEYS).flatMap((table) => {
    const key = KEYS[table] as string;
    const side = (db: PlainDatabase) => new Map(db.rows(table).map((row) => [row[key] as string | number, row]));
    const [olds, news] = [side(before), side(after)];
    const ids = [...new Set([...olds.keys(), ...news.keys()])].sort((a, b) => (a < b ? -1 : 1));
    return ids.flatMap((id): RowChange[] => {
      const [old, now] = [olds.get(id), news.get(id)];
      if (!old && now) return [{ table, key: id, change: 'insert', after: now, cols: Object.keys(now) }];
      if (old && !now) return [{ table, key: id, change: 'delete', before: old, cols: Object.keys(old) }];
      if (!old || !now) return [];
      const cols = Object.keys(now).filter((name) => old[name] !== now[name]);
      return cols.length > 0 ? [{ table, key: id, change: 'update', before: old, after: now, cols }] : [];
    });
  });
