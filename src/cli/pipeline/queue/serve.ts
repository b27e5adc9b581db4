/** The other end of process.ts: what a worker process does with its orders. */
import { asTreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import { errorJson } from '../../../serve/durable/jobs/run.js';
import type { FromWorker, Order, ToWorker } from './protocol.js';

export interface WorkerEnds {
  /** Each order ends once; one that was not begun when it was told to stop does not. */
  done(id: string, result: Json): void;
  failed(id: string, thrown: unknown): void;
}

export interface Worker<Asked> {
  /** What it throws is the failure of all its orders that have not ended. */
  work(orders: readonly Order<Asked>[], ends: WorkerEnds): Promise<void>;
  /** Begins nothing new. */
  stop?(): void;
  /** Before the process ends. */
  end(): void;
}

const tell = (message: FromWorker): void => {
  process.send?.(message);
};

export const note = (said: unknown): void => tell({ note: said });

/** Serves until the parent lets go. */
export const serveOrders = <Setup, Asked>(make: (setup: Setup) => Worker<Asked>): void => {
  let worker: Worker<Asked> | undefined;

  const end = (): never => {
    worker?.end();
    process.exit(0);
  };
  const work = async (orders: readonly Order<Asked>[]): Promise<void> => {
    const open = new Set(orders.map(({ id }) => id));
    const ends: WorkerEnds = {
      done: (id, result) => {
        if (open.delete(id)) tell({ done: id, result });
      },
      failed: (id, thrown) => {
        if (open.delete(id)) tell({ failed: id, error: errorJson(asTreadleError(thrown, 'world')) });
      },
    };
    try {
      await worker?.work(orders, ends);
    } catch (thrown) {
      for (const id of [...open]) ends.failed(id, thrown);
    }
    tell({ over: process.memoryUsage.rss() });
  };

  process.on('message', (message: ToWorker) => {
    if (message === 'stop') worker?.stop?.();
    else if (message === 'end') end();
    else if ('setup' in message) worker = make(message.setup as Setup);
    else void work(message.orders as Order<Asked>[]);
  });
  process.on('disconnect', end);
  // Ctrl-C at a terminal is sent to children too; the parent decides when to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
};
