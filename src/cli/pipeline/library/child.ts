/** A worker that makes libraries: one world after another, as it is told. Started by crew.ts. */
import { Corpus } from '../../../corpus/corpus.js';
import { asTreadleError } from '../../../errors.js';
import { Engine } from '../../../world/state/engine.js';
import type { Answer, Order } from './crew.js';
import { makeLibrary, type Wanted } from './make.js';

const engine = await Engine.start();
const [dir = '', settings = '{}'] = process.argv.slice(2);
const wanted = JSON.parse(settings) as Wanted;
const corpus = Corpus.open(dir);

const answer = (said: Answer): void => {
  process.send?.(said);
};

process.on('message', ({ world }: Order) => {
  makeLibrary(corpus, engine, world, wanted)
    .then((made) => answer({ made, rss: process.memoryUsage.rss() }))
    .catch((thrown: unknown) => {
      const { code, message, next, fault } = asTreadleError(thrown, 'world');
      answer({ failed: { code, message, fault, ...(next === undefined ? {} : { next }) } });
    });
});
process.on('disconnect', () => {
  engine.close();
  process.exit(0);
});
// Ctrl-C at a terminal is sent to children too; the parent decides when to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
