/** A worker of a run: rolls out the worlds it is given, one after another, and keeps them itself. Started by crew.ts. */
import { Corpus } from '../../../corpus/corpus.js';
import { asTreadleError } from '../../../errors.js';
import { Engine } from '../../../world/state/engine.js';
import type { Failure } from '../crew/protocol.js';
import type { FromRoller, ToRoller } from './crew-protocol.js';
import type { Picked } from './pick.js';
import { type CorpusPlan, planOf } from './plan.js';
import { runRollouts } from './run.js';

const tell = (message: FromRoller): void => {
  process.send?.(message);
};

const failureOf = (thrown: unknown): Failure => {
  const { code, message, value, next, fault } = asTreadleError(thrown, 'infrastructure', 'run_failed');
  const shown = value === undefined ? {} : { value: typeof value === 'object' ? JSON.stringify(value) : value };
  return { code, message, fault, ...shown, ...(next === undefined ? {} : { next }) };
};

const engine = await Engine.start();
const stop = new AbortController();
let corpus: Corpus | undefined;
let plan: CorpusPlan | undefined;

const roll = async (picked: Picked): Promise<void> => {
  if (!corpus || !plan) return;
  const { failure, lost } = await runRollouts({
    ...plan,
    corpus,
    engine,
    picked: [picked],
    stop,
    onKept: (kept) => tell({ kept }),
    onSkipped: (skipped) => tell({ skipped }),
  });
  tell({ lost, ...(failure === undefined ? {} : { failed: failureOf(failure) }) });
};

process.on('message', (message: ToRoller) => {
  if (message === 'stop') stop.abort();
  else if (message === 'end') {
    engine.close();
    process.exit(0);
  } else if ('dir' in message) {
    corpus = Corpus.open(message.dir);
    plan = planOf(message.options);
  } else roll(message.picked).catch((thrown: unknown) => tell({ lost: 0, failed: failureOf(thrown) }));
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C at a terminal is sent to children too; the parent decides when to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
