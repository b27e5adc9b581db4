/** What every connection of the process shares: the wasm instance, its memory and the file system. */
import { TreadleError } from '../../errors.js';
import { Hooks } from './hooks.js';
import { Memory } from './memory.js';
import { VFS_NAME, Vfs } from './vfs.js';
import { type Exports, loadWasm, type Wasm } from './wasm.js';

export interface Runtime {
  wasm: Wasm;
  c: Exports;
  memory: Memory;
  vfs: Vfs;
  hooks: Hooks;
  /** Address of the file system's name. */
  vfsName: number;
}

let starting: Promise<Runtime> | undefined;

/** After a trap the instance's memory cannot be trusted: it is given up, and the next engine starts another. */
const trapped = (vfs: Vfs, cause: unknown): TreadleError => {
  starting = undefined;
  vfs.abandon();
  return new TreadleError({
    code: 'engine_trapped',
    message: 'SQLite stopped inside its wasm instance',
    value: String(cause),
    next: 'Start a new engine. States live on; only one whose commit was cut short is lost.',
    fault: 'infrastructure',
    isRetryable: true,
    cause,
  });
};

const start = async (): Promise<Runtime> => {
  const wasm = await loadWasm();
  const memory = new Memory(wasm);
  const vfs = new Vfs(wasm, memory);
  const { sqlite3_step: step, sqlite3_prepare_v3: prepare } = wasm.c;
  const c: Exports = {
    ...wasm.c,
    sqlite3_step: (stmt) => {
      try {
        return step(stmt);
      } catch (cause) {
        throw trapped(vfs, cause);
      }
    },
    sqlite3_prepare_v3: (...args) => {
      try {
        return prepare(...args);
      } catch (cause) {
        throw trapped(vfs, cause);
      }
    },
  };
  return { wasm, c, memory, vfs, hooks: new Hooks(wasm), vfsName: memory.allocText(VFS_NAME).at };
};

/** The process's one runtime; another one after a trap. */
export const startRuntime = (): Promise<Runtime> => {
  starting ??= start();
  return starting;
};
