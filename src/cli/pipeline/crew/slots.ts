/** The slots of a build as jobs: in this process one after another, or shared by several. */
import { fileURLToPath } from 'node:url';
import type { Corpus } from '../../../corpus/corpus.js';
import type { Json } from '../../../kit/hash.js';
import type { LeasedJob, NewJob } from '../../../serve/durable/jobs/jobs.js';
import { type Hand, runJobs } from '../../../serve/durable/jobs/run.js';
import type { Interrupt } from '../../interrupt.js';
import type { BuildOptions } from '../build.js';
import type { Drafts } from '../drafts.js';
import { crew } from '../queue/crew.js';
import { jobsFailed, queueError } from '../queue/errors.js';
import { type FilledQueue, LEASE_MS, type Queue } from '../queue/open.js';
import type { BuildRecord, Slot } from '../record.js';
import { fillSlot, isFinished, proveDeterminism, type Run } from '../slot.js';
import type { Asked, Note, Setup } from './protocol.js';

// From src (under a test runner) and from dist alike: the compiled child.
const CHILD = fileURLToPath(new URL('../../../../dist/cli/pipeline/crew/child.js', import.meta.url));
/** Slots leased at a time: the two fresh processes of validator 11 finish them together. */
const MOST_AT_A_TIME = 6;
/** The same in this process, where images are held until both have answered: a long build must not wait for its end. */
const PROVEN_TOGETHER = 8;

const idOf = (index: number): string => `world ${index + 1}`;
const indexOf = ({ payload }: { payload: Json }): number => (payload as { index: number }).index;

/** The queue of the build. A slot that was given up is done as well. */
export const fillSlots = (queue: Queue, corpus: Corpus, record: BuildRecord): Promise<FilledQueue> =>
  queue.fill({
    settings: null,
    items: Array.from({ length: record.worlds }, (_, index): NewJob => ({ id: idOf(index), payload: { index } })),
    isMade: (row) => {
      const slot = record.slots[String(indexOf(row))];
      if (slot === undefined) return false;
      return slot.world === undefined || isFinished(corpus, slot.world);
    },
  });

export interface SlotsPlan {
  queue: Queue;
  filled: FilledQueue;
  record: BuildRecord;
  interrupt: Interrupt;
}

/** One after another. With a model a failure ends the build at once: another try would cost again. */
export const slotsHere = async (
  { queue, filled, record, interrupt }: SlotsPlan,
  run: Run,
  drafting: Drafts,
  isByModel: boolean,
): Promise<void> => {
  let isStopping = false;
  const hand: Hand = {
    isWornOut: false,
    stop: () => {
      isStopping = true;
    },
    close: () => undefined,
    work: async (jobs, ends) => {
      const open: LeasedJob[] = [];
      for (const job of jobs) {
        if (isStopping) break;
        const index = indexOf(job);
        try {
          await interrupt.check(`${index} of ${record.worlds} worlds are finished`);
          await fillSlot(run, drafting, index, record.slots[String(index)]);
          open.push(job);
        } catch (thrown) {
          await ends.failed(job, thrown);
        }
      }
      try {
        await proveDeterminism(run);
      } catch (thrown) {
        for (const job of open.splice(0)) await ends.failed(job, thrown);
      }
      for (const job of open) await ends.done(job, {});
    },
  };
  const { jobs, queue: name } = filled;
  for (const { id } of filled.before) run.ui.step(`  ${id} of ${record.worlds}: done before`);
  const end = await runJobs({
    jobs,
    queue: name,
    hands: 1,
    hire: () => hand,
    share: () => PROVEN_TOGETHER,
    leaseMs: LEASE_MS,
    onDone: () => undefined,
    ...(isByModel ? { isFatal: () => true } : {}),
  });
  const failure = end.failure ?? jobsFailed(end.failed, record.worlds, 'worlds');
  if (failure !== undefined) throw queueError(failure, queue.folder);
};

export interface SharedSlots extends SlotsPlan {
  options: BuildOptions;
  processes: number;
  keep(index: number, slot: Slot): void;
  onDone(index: number): void;
  onMemory(rss: number): void;
  onTimes(timesMs: Record<string, number>): void;
}

/** By several processes: they write worlds, this one remembers. */
export const slotsShared = async (plan: SharedSlots): Promise<void> => {
  const { queue, filled, record, interrupt, options, processes } = plan;
  let done = filled.before.length;
  for (const row of filled.before) plan.onDone(indexOf(row));
  await crew({
    store: queue,
    filled,
    processes,
    program: CHILD,
    setup: { options } satisfies Setup,
    asked: (job): Asked => {
      const index = indexOf(job);
      const known = record.slots[String(index)];
      return known ? { index, known } : { index };
    },
    share: (waiting) => Math.min(MOST_AT_A_TIME, Math.ceil(waiting / processes / 2)),
    interrupt,
    came: () => `${done} of ${record.worlds} worlds are finished`,
    what: 'worlds',
    onNote: (said) => {
      const note = said as Note;
      if ('kept' in note) plan.keep(note.kept, note.slot);
      else plan.onTimes(note.timesMs);
    },
    onOver: plan.onMemory,
    onDone: (job) => {
      done++;
      plan.onDone(indexOf(job));
    },
  });
};
