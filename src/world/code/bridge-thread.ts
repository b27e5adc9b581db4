/** The thread behind bridge.ts: runs calls while its owner is blocked. Compiled, and started by path. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { asTreadleError } from '../../errors.js';
import type { FromThread, ToThread } from './bridge.js';
import { CodePool, type PoolOptions } from './pool.js';

const { port, signal, options } = workerData as { port: MessagePort; signal: Int32Array; options: PoolOptions };
const pool = new CodePool({ ...options, size: 1 });

const tell = (message: FromThread): void => {
  port.postMessage(message);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
};

let answered: ((text: string) => void) | undefined;
const ask = (text: string): Promise<string> =>
  new Promise((resolve) => {
    answered = resolve;
    tell({ ask: text });
  });

port.on('message', (message: ToThread) => {
  if ('answer' in message) {
    answered?.(message.answer);
    return;
  }
  pool.run(message.job, ask).then(
    (end) => tell({ end }),
    (thrown: unknown) => {
      const { code, message: why, next } = asTreadleError(thrown, 'infrastructure');
      tell({ failure: { code, message: why, next } });
    },
  );
});
