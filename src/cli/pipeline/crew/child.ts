/** A worker of a build: fills the slots it is sent, one after another. Started by slots.ts. */
import { FreshPair } from '../../../certify/determinism/pair.js';
import { Corpus } from '../../../corpus/corpus.js';
import { Engine } from '../../../world/state/engine.js';
import { noInterrupt } from '../../interrupt.js';
import type { Ui } from '../../ui.js';
import { draftsOf } from '../drafts.js';
import { note, serveOrders } from '../queue/serve.js';
import { fillSlot, proveDeterminism, type Run } from '../slot.js';
import type { Asked, Note, Setup } from './protocol.js';

const ui: Ui = {
  json: false,
  progress: () => undefined,
  step: () => undefined,
  say: () => undefined,
  give: () => undefined,
  style: (_, text) => text,
};
const tell = (said: Note): void => note(said);
const engine = await Engine.start();

serveOrders<Setup, Asked>(({ options }) => {
  const drafting = draftsOf(options.input, options.seed, options.pins);
  const run: Run = {
    options,
    ui,
    corpus: Corpus.open(options.out),
    engine,
    pair: options.skipDeterminism ? undefined : new FreshPair(),
    timesMs: {},
    interrupt: noInterrupt,
    keep: (kept, slot) => tell({ kept, slot }),
  };
  let isStopping = false;
  return {
    work: async (orders, ends) => {
      const filled: string[] = [];
      run.timesMs = {};
      for (const { id, asked } of orders) {
        // Between worlds the parent is heard: what is begun is finished, what is not waits for the next time.
        await new Promise((resolve) => setImmediate(resolve));
        if (isStopping) break;
        try {
          await fillSlot(run, drafting, asked.index, asked.known);
          filled.push(id);
        } catch (thrown) {
          ends.failed(id, thrown);
        }
      }
      await proveDeterminism(run);
      tell({ timesMs: run.timesMs });
      for (const id of filled) ends.done(id, {});
    },
    stop: () => {
      isStopping = true;
    },
    end: () => {
      run.pair?.close();
      engine.close();
    },
  };
});
