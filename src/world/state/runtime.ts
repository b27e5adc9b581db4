/** What every connection of the process shares: the wasm instance, its memory and the file system. */
import { Memory } from './memory.js';
import { VFS_NAME, Vfs } from './vfs.js';
import { type Exports, loadWasm, type Wasm } from './wasm.js';

export interface Runtime {
  wasm: Wasm;
  c: Exports;
  memory: Memory;
  vfs: Vfs;
  /** Address of the file system's name. */
  vfsName: number;
}

let starting: Promise<Runtime> | undefined;

const start = async (): Promise<Runtime> => {
  const wasm = await loadWasm();
  const memory = new Memory(wasm);
  return { wasm, c: wasm.c, memory, vfs: new Vfs(wasm, memory), vfsName: memory.allocText(VFS_NAME).at };
};

/** The process's one runtime. */
export const startRuntime = (): Promise<Runtime> => {
  starting ??= start();
  return starting;
};
