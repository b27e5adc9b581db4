/** Work over many worlds, one after another, in this process or by several: which of them takes a world changes nothing. */
import { Corpus } from '../../../corpus/corpus.js';
import type { Json } from '../../../kit/hash.js';
import type { JobRow } from '../../../serve/durable/jobs/jobs.js';
import { type Hand, runJobs } from '../../../serve/durable/jobs/run.js';
import { Engine } from '../../../world/state/engine.js';
import type { Interrupt } from '../../interrupt.js';
import { crew } from '../queue/crew.js';
import { jobsFailed, queueError } from '../queue/errors.js';
import { type FilledQueue, LEASE_MS, openQueue, type Queue } from '../queue/open.js';

export interface WorldsPlan<Made> {
  /** Of the work: one process at a time does it in a corpus. */
  kind: string;
  dir: string;
  worlds: readonly string[];
  /** What the work is done with; plain data. */
  settings: unknown;
  /** Does a world in this process. */
  here(corpus: Corpus, engine: Engine, world: string): Promise<Made>;
  /** The compiled worker, which calls `serveWorlds`; absent: everything is done in this process. */
  program?: string;
  jobs: number;
  /** What there is of a world that was done before; undefined where it has to be done again. */
  before(corpus: Corpus, world: string): Made | undefined;
  /** Every failure ends it: another try would cost again. */
  isDear?: boolean;
  interrupt: Interrupt;
  onMade(made: Made): void;
}

interface Under<Made> {
  plan: WorldsPlan<Made>;
  corpus: Corpus;
  queue: Queue;
  filled: FilledQueue;
  came(): string;
  took(made: Made): void;
}

const alone = async <Made>({ plan, corpus, queue, filled, came, took }: Under<Made>): Promise<void> => {
  const engine = await Engine.start();
  const hand: Hand = {
    isWornOut: false,
    stop: () => undefined,
    close: () => undefined,
    work: async (jobs, ends) => {
      for (const job of jobs)
        try {
          await plan.interrupt.check(came());
          const made = await plan.here(corpus, engine, job.id);
          await ends.done(job, made as Json);
        } catch (thrown) {
          await ends.failed(job, thrown);
        }
    },
  };
  try {
    const end = await runJobs({
      jobs: filled.jobs,
      queue: filled.queue,
      hands: 1,
      hire: () => hand,
      leaseMs: LEASE_MS,
      onDone: (_, made) => took(made as Made),
      ...(plan.isDear ? { isFatal: () => true } : {}),
    });
    const failure = end.failure ?? jobsFailed(end.failed, plan.worlds.length, 'worlds');
    if (failure !== undefined) throw queueError(failure, queue.folder);
    await plan.interrupt.check(came());
  } finally {
    engine.close();
  }
};

/**
 * Goes over all of them; throws the first failure once what was begun is finished: `interrupted`, what another try would not change,
 * or after all others the last error of a world that came to nothing. `corpus_in_use` where another process does this work.
 */
export const overWorlds = async <Made>(plan: WorldsPlan<Made>): Promise<void> => {
  const corpus = Corpus.open(plan.dir);
  const queue = await openQueue(corpus, plan.kind);
  let done = 0;
  const took = (made: Made): void => {
    done++;
    plan.onMade(made);
  };
  const came = (): string => `${done} of ${plan.worlds.length} worlds are finished`;
  let isOver = false;
  try {
    const found: Made[] = [];
    const isMade = ({ id }: JobRow): boolean => {
      const made = plan.before(corpus, id);
      if (made !== undefined) found.push(made);
      return made !== undefined;
    };
    const items = plan.worlds.map((id) => ({ id, payload: null }));
    const filled = await queue.fill({ settings: plan.settings as Json, items, isMade });
    for (const made of found) took(made);
    const under: Under<Made> = { plan, corpus, queue, filled, came, took };
    if (plan.program === undefined || plan.jobs <= 1) await alone(under);
    else
      await crew({
        store: queue,
        filled,
        processes: plan.jobs,
        program: plan.program,
        setup: { dir: plan.dir, settings: plan.settings },
        asked: ({ id }) => id,
        interrupt: plan.interrupt,
        came,
        what: 'worlds',
        onDone: (_, made) => took(made as Made),
      });
    isOver = true;
  } finally {
    await queue.close(isOver);
  }
};
