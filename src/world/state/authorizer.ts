/**
 * Decides at prepare time what a statement may do, and notes what it reads and writes. One callback is set when a
 * connection opens and never taken off, because setting it again re-prepares every statement.
 */
import type { AccessLog } from './access-log.js';
import type { Memory } from './memory.js';

const OK = 0;
const DENY = 1;
const DELETE = 9;
const INSERT = 18;
const READ = 20;
const SELECT = 21;
const UPDATE = 23;
const FUNCTION = 31;
const RECURSIVE = 33;

const NAMES: Record<number, string> = {
  19: 'PRAGMA',
  22: 'BEGIN, COMMIT and ROLLBACK',
  24: 'ATTACH',
  25: 'DETACH',
  32: 'SAVEPOINT',
};

/** Not reproducible, or telling what the connection did for another state before. */
const FUNCTIONS = new Set([
  'random',
  'randomblob',
  'current_timestamp',
  'current_time',
  'current_date',
  'changes',
  'total_changes',
  'last_insert_rowid',
  'load_extension',
  'sqlite_source_id',
  'sqlite_version',
  'sqlite_offset',
  'sqlite_compileoption_get',
  'sqlite_compileoption_used',
  'sqlite_log',
  'fts3_tokenizer',
]);
const TABLES = /^(sqlite_|pragma_|dbstat$|bytecode$|tables_used$)/i;

/** `admin` may do anything, `define` may create tables as well, `query` may not write. */
export type Mode = 'admin' | 'define' | 'change' | 'query';

export class Authorizer {
  log: AccessLog | undefined;
  /** What was refused last. */
  refusal: string | undefined;

  constructor(
    readonly memory: Memory,
    public mode: Mode,
  ) {}

  /** The callback for C, without its context and the trigger or view: (action, first, second, database). */
  decide(action: number, first: number, second: number, db: number): number {
    if (this.mode === 'admin' || action === SELECT || action === RECURSIVE) return OK;
    if (this.mode === 'define' && action === READ) return OK;
    try {
      const one = this.memory.cString(first) ?? '';
      const two = this.memory.cString(second) ?? '';
      return this.#judge(action, one, two, this.memory.cString(db) ?? '');
    } catch {
      return DENY;
    }
  }

  #judge(action: number, first: string, second: string, db: string): number {
    if (action === FUNCTION) return FUNCTIONS.has(second.toLowerCase()) ? this.#refuse(`the function ${second}()`) : OK;
    if (action === READ) {
      if (TABLES.test(first) && this.mode !== 'define') return this.#refuse(`reading ${first}`);
      this.log?.read(db, first, second);
      return OK;
    }
    if (action === INSERT || action === UPDATE || action === DELETE) {
      if (this.mode === 'query') return this.#refuse('writing');
      if (TABLES.test(first) && this.mode !== 'define') return this.#refuse(`writing ${first}`);
      if (db === 'temp') return this.#refuse('temporary tables');
      this.log?.write(db, first, action === INSERT ? 'insert' : action === UPDATE ? 'update' : 'delete', second);
      return OK;
    }
    const isDefinition = action <= 17 || (action >= 26 && action <= 28);
    if (this.mode === 'define' && isDefinition && db !== 'temp') return OK;
    return this.#refuse(NAMES[action] ?? 'changing the schema');
  }

  #refuse(what: string): number {
    this.refusal = what;
    return DENY;
  }
}
