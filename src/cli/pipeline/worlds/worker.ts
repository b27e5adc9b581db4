/** The other end of crew.ts: what a worker process does with the worlds it is given. */
import { Corpus } from '../../../corpus/corpus.js';
import { asTreadleError } from '../../../errors.js';
import { Engine } from '../../../world/state/engine.js';
import type { Answer, Order } from './crew.js';

/** Serves until the parent lets go. `work` gets the settings the parent gave. */
export const serveWorlds = async <Settings, Made>(
  work: (corpus: Corpus, engine: Engine, world: string, settings: Settings) => Promise<Made> | Made,
): Promise<void> => {
  const engine = await Engine.start();
  const [dir = '', told = '{}'] = process.argv.slice(2);
  const settings = JSON.parse(told) as Settings;
  const corpus = Corpus.open(dir);
  const answer = (said: Answer<Made>): void => {
    process.send?.(said);
  };
  const one = async (world: string): Promise<void> => {
    try {
      answer({ made: await work(corpus, engine, world, settings), rss: process.memoryUsage.rss() });
    } catch (thrown) {
      const { code, message, next, fault } = asTreadleError(thrown, 'world');
      answer({ failed: { code, message, fault, ...(next === undefined ? {} : { next }) } });
    }
  };
  process.on('message', ({ world }: Order) => void one(world));
  process.on('disconnect', () => {
    engine.close();
    process.exit(0);
  });
  // Ctrl-C at a terminal is sent to children too; the parent decides when to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
};
