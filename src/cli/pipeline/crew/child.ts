/** A worker of a build: fills the slots it is sent, one after another. Started by worker.ts. */
import { FreshPair } from '../../../certify/determinism/pair.js';
import { Corpus } from '../../../corpus/corpus.js';
import { asTreadleError } from '../../../errors.js';
import { Engine } from '../../../world/state/engine.js';
import { noInterrupt } from '../../interrupt.js';
import type { Ui } from '../../ui.js';
import { type Drafting, draftsOf } from '../drafts.js';
import { fillSlot, proveDeterminism, type Run } from '../slot.js';
import type { FromWorker, Order, ToWorker } from './protocol.js';

const tell = (message: FromWorker): void => {
  process.send?.(message);
};

const ui: Ui = {
  json: false,
  progress: () => undefined,
  step: (said) => tell({ said }),
  say: () => undefined,
  give: () => undefined,
  style: (_, text) => text,
};

const engine = await Engine.start();
let run: Run | undefined;
let drafting: Drafting | undefined;
let isStopping = false;

const end = (): never => {
  run?.pair?.close();
  engine.close();
  process.exit(0);
};

const work = async (orders: readonly Order[]): Promise<void> => {
  if (!run || !drafting) return;
  const done: number[] = [];
  run.timesMs = {};
  for (const { index, known } of orders) {
    // Between worlds the parent is heard: what is begun is finished, what is not waits for the next time.
    await new Promise((resolve) => setImmediate(resolve));
    if (isStopping) break;
    await fillSlot(run, drafting, index, known);
    done.push(index);
  }
  await proveDeterminism(run);
  tell({ done, rss: process.memoryUsage.rss(), timesMs: run.timesMs });
};

process.on('message', (message: ToWorker) => {
  if (message === 'stop') isStopping = true;
  else if (message === 'end') end();
  else if ('options' in message) {
    const { options } = message;
    drafting = draftsOf(options.input, options.seed, options.pins);
    run = {
      options,
      ui,
      corpus: Corpus.open(options.out),
      engine,
      pair: options.skipDeterminism ? undefined : new FreshPair(),
      timesMs: {},
      interrupt: noInterrupt,
      keep: (kept, slot) => tell({ kept, slot }),
    };
  } else
    work(message.orders).catch((thrown: unknown) => {
      const { code, message: said, value, next, fault } = asTreadleError(thrown, 'world');
      const shown = value === undefined ? {} : { value: typeof value === 'object' ? JSON.stringify(value) : value };
      tell({ failed: { code, message: said, fault, ...shown, ...(next === undefined ? {} : { next }) } });
    });
});
process.on('disconnect', end);
// Ctrl-C at a terminal is sent to children too; the parent decides when to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
