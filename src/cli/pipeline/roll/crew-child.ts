/** A worker of a run: rolls out the worlds it is given, one after another, and keeps them itself. Started by crew.ts. */
import { Corpus } from '../../../corpus/corpus.js';
import { asTreadleError, type TreadleError } from '../../../errors.js';
import { Engine } from '../../../world/state/engine.js';
import { note, serveOrders } from '../queue/serve.js';
import type { Note, Setup } from './crew-protocol.js';
import type { Picked } from './pick.js';
import { planOf } from './plan.js';
import { runRollouts } from './run.js';

const tell = (said: Note): void => note(said);
const engine = await Engine.start();

/** Rollouts that ended and could not be kept are counted by whoever prints what came of the run. */
const failureOf = (thrown: unknown): TreadleError => asTreadleError(thrown, 'infrastructure', 'run_failed');

serveOrders<Setup, Picked>(({ dir, options }) => {
  const corpus = Corpus.open(dir);
  const plan = planOf(options);
  const stop = new AbortController();
  return {
    work: async (orders, ends) => {
      for (const { id, asked } of orders) {
        let isWhole = false;
        const { failure, lost } = await runRollouts({
          ...plan,
          corpus,
          engine,
          picked: [asked],
          stop,
          onKept: (kept) => tell({ kept }),
          onSkipped: (skipped) => tell({ skipped }),
          onClosed: (_, whole) => {
            isWhole = whole;
          },
        });
        if (lost > 0) tell({ lost });
        if (failure !== undefined) ends.failed(id, failureOf(failure));
        else if (isWhole) ends.done(id, {});
      }
    },
    stop: () => stop.abort(),
    end: () => engine.close(),
  };
});
