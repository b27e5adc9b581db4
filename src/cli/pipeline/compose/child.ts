/** A worker that composes: it is sent a world and slots, and answers with tasks. Started by run.ts. */
import { Corpus } from '../../../corpus/corpus.js';
import { loadWorld, unloadWorld } from '../../../world/loaded.js';
import { Engine } from '../../../world/state/engine.js';
import type { FromComposer, ToComposer } from './protocol.js';
import { composeSlots } from './slots.js';

const tell = (message: FromComposer): void => {
  process.send?.(message);
};

const engine = await Engine.start();
let corpus: Corpus | undefined;
let seed = '';
let wantsAccounts = false;

process.on('message', (message: ToComposer) => {
  if (message === 'end') {
    engine.close();
    process.exit(0);
  }
  if ('corpus' in message) {
    corpus = Corpus.open(message.corpus);
    seed = message.seed;
    wantsAccounts = message.wantsAccounts;
    return;
  }
  try {
    const world = loadWorld(engine, (corpus as Corpus).readWorld(message.world));
    const done = composeSlots(world, message.slots, seed, wantsAccounts);
    unloadWorld(world);
    tell({ done });
  } catch (thrown) {
    tell({ failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) });
  }
});
process.on('disconnect', () => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
