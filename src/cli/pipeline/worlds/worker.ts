/** The other end of crew.ts: what a worker process does with the worlds it is given. */
import { Corpus } from '../../../corpus/corpus.js';
import type { Json } from '../../../kit/hash.js';
import { Engine } from '../../../world/state/engine.js';
import { serveOrders } from '../queue/serve.js';

interface Setup<Settings> {
  dir: string;
  settings: Settings;
}

/** Serves until the parent lets go. `work` gets the settings the parent gave. */
export const serveWorlds = async <Settings, Made>(
  work: (corpus: Corpus, engine: Engine, world: string, settings: Settings) => Promise<Made> | Made,
): Promise<void> => {
  const engine = await Engine.start();
  serveOrders<Setup<Settings>, string>(({ dir, settings }) => {
    const corpus = Corpus.open(dir);
    return {
      work: async (orders, ends) => {
        for (const { id, asked: world } of orders) ends.done(id, (await work(corpus, engine, world, settings)) as Json);
      },
      end: () => engine.close(),
    };
  });
};
