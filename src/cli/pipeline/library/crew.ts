/** Libraries of many worlds, by several processes: which of them makes one changes nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Corpus } from '../../../corpus/corpus.js';
import { type Fault, TreadleError } from '../../../errors.js';
import type { TaskModels } from '../../../tasks/model/models.js';
import { Engine } from '../../../world/state/engine.js';
import type { Interrupt } from '../../interrupt.js';
import { type MadeLibrary, makeLibrary, type Wanted } from './make.js';

export interface Order {
  world: string;
}

/** What a worker says of an order. */
export type Answer =
  | { made: MadeLibrary; rss: number }
  | { failed: { code: string; message: string; fault: string; next?: string } };

export interface LibraryPlan {
  dir: string;
  worlds: readonly string[];
  wanted: Wanted;
  jobs: number;
  interrupt: Interrupt;
  onMade(made: MadeLibrary): void;
  /** Only with one job. */
  onStep?(line: string): void;
  /** One budget and one conversation: one job. */
  models?: TaskModels;
}

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/library/child.js', import.meta.url));
/** A worker that holds more than this (bytes) is replaced by a new one. */
const MOST_RESIDENT = 700 * 2 ** 20;
/** How often a world may take its worker down with it. */
const MOST_DEATHS = 2;
const LOOK_MS = 100;

const startChild = ({ dir, wanted }: LibraryPlan): ChildProcess =>
  spawn(process.execPath, [CHILD, dir, JSON.stringify(wanted)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });

/** The worker's answer; undefined when it died instead. */
const ask = (child: ChildProcess, order: Order): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const settle = (answer?: Answer): void => {
      child.off('message', settle).off('exit', gone).off('error', gone);
      resolve(answer);
    };
    const gone = (): void => settle();
    child.once('message', settle).once('exit', gone).once('error', gone);
    if (child.exitCode !== null || child.signalCode !== null) gone();
    else child.send(order, (error) => (error ? gone() : undefined));
  });

const died = (world: string): TreadleError =>
  new TreadleError({
    code: 'worker_died',
    message: 'A worker process died again and again on this world',
    value: world,
    next: 'Give it more memory or fewer --jobs, and run the same command again: it goes on where it stopped.',
    fault: 'infrastructure',
  });

/** Works until nothing waits or `isStopping`. */
const workOn = async (plan: LibraryPlan, waiting: string[], isStopping: () => boolean): Promise<void> => {
  let child = startChild(plan);
  try {
    for (let deaths = 0; waiting.length > 0 && !isStopping(); ) {
      const world = waiting.pop() as string;
      const answer = await ask(child, { world });
      if (answer === undefined) {
        if (++deaths >= MOST_DEATHS) throw died(world);
        waiting.push(world);
      } else if ('failed' in answer) {
        const { fault, next = 'Run the same command again: it goes on where it stopped.', ...failed } = answer.failed;
        throw new TreadleError({ ...failed, next, fault: fault as Fault });
      } else {
        deaths = 0;
        plan.onMade(answer.made);
        if (answer.rss <= MOST_RESIDENT) continue;
      }
      if (child.connected) child.disconnect();
      child = startChild(plan);
    }
  } finally {
    if (child.connected) child.disconnect();
  }
};

const alone = async ({ dir, worlds, wanted, interrupt, onMade, onStep, models }: LibraryPlan): Promise<void> => {
  const corpus = Corpus.open(dir);
  const engine = await Engine.start();
  try {
    for (const [i, world] of worlds.entries()) {
      onMade(await makeLibrary(corpus, engine, world, wanted, onStep, models));
      await interrupt.check(`${i + 1} of ${worlds.length} worlds are finished`);
    }
  } finally {
    engine.close();
  }
};

/** Makes all of them, or throws the first failure once what was begun is finished; `interrupted` and `worker_died` likewise. */
export const makeLibraries = async (plan: LibraryPlan): Promise<void> => {
  if (plan.jobs <= 1 || plan.models) return alone(plan);
  const waiting = [...plan.worlds].reverse();
  let failure: unknown;
  const note = (thrown: unknown): void => {
    failure ??= thrown;
  };
  const look = setInterval(() => {
    plan.interrupt
      .check(`${plan.worlds.length - waiting.length} of ${plan.worlds.length} worlds were begun, and are finished`)
      .catch(note);
  }, LOOK_MS);
  const isStopping = (): boolean => failure !== undefined;
  await Promise.all(Array.from({ length: plan.jobs }, () => workOn(plan, waiting, isStopping).catch(note)));
  clearInterval(look);
  if (failure !== undefined) throw failure;
};
