/** The process's own pool and bridge for code tools: made when first needed, the same for all sessions. */
import { CodeBridge } from './bridge.js';
import { CodePool, type PoolOptions } from './pool.js';

let options: PoolOptions = {};
let pool: CodePool | undefined;
let bridge: CodeBridge | undefined;

/** Sizes the pool, for processes that are started from now on; those that are there are closed. */
export const configureCode = (to: PoolOptions): void => {
  closeCode();
  options = to;
};

/** Where callToolAsync runs code. */
export const codePool = (): CodePool => {
  pool ??= new CodePool(options);
  return pool;
};

/** Where callTool runs code. */
export const codeBridge = (): CodeBridge => {
  bridge ??= new CodeBridge(options);
  return bridge;
};

/** Forgets a bridge that is of no more use; the next call makes another. */
export const dropCodeBridge = (): void => {
  bridge?.close();
  bridge = undefined;
};

/** Ends all processes and the thread. Nothing keeps the process alive without it either. */
export const closeCode = (): void => {
  pool?.close();
  pool = undefined;
  dropCodeBridge();
};
