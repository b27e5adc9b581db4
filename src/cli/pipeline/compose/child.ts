/** A worker that composes: it is sent worlds with slots, and answers with tasks. Started by work.ts. */
import { Corpus } from '../../../corpus/corpus.js';
import { loadWorld, unloadWorld } from '../../../world/loaded.js';
import { Engine } from '../../../world/state/engine.js';
import { serveOrders } from '../queue/serve.js';
import type { Setup, Slot } from './protocol.js';
import { composeSlots } from './slots.js';

const engine = await Engine.start();

serveOrders<Setup, readonly Slot[]>(({ dir, seed, wantsAccounts }) => {
  const corpus = Corpus.open(dir);
  return {
    work: async (orders, ends) => {
      for (const { id, asked } of orders) {
        const world = loadWorld(engine, corpus.readWorld(id));
        try {
          // As text: what comes back from a queue has its keys sorted, and a task is written as it was made.
          ends.done(id, JSON.stringify(composeSlots(world, asked, seed, wantsAccounts)));
        } finally {
          unloadWorld(world);
        }
      }
    },
    end: () => engine.close(),
  };
});
