/** Slots filled by several processes: the build hands them out and remembers; which process fills one changes nothing. */
import { type Fault, TreadleError } from '../../../errors.js';
import type { Interrupt } from '../../interrupt.js';
import type { BuildOptions } from '../build.js';
import type { Slot } from '../record.js';
import type { Failure, FromWorker, Order } from './protocol.js';
import { Worker } from './worker.js';

export interface Setup {
  options: BuildOptions;
  /** Replaces the child in tests. */
  program?: string;
}

export interface CrewPlan extends Setup {
  jobs: number;
  slots: readonly number[];
  /** What is remembered of a slot by now. */
  known(index: number): Slot | undefined;
  interrupt: Interrupt;
  onKept(index: number, slot: Slot): void;
  onDone(index: number): void;
  onBatch?(timesMs: Record<string, number>, rss: number): void;
}

/** Slots sent at a time: the two fresh processes of validator 11 finish them together. */
const MOST_AT_A_TIME = 6;
/** A worker that holds more than this (bytes) is replaced by a new one when its slots are done. */
const MOST_RESIDENT = 700 * 2 ** 20;
/** How often a slot may take its worker down with it. */
const MOST_DEATHS = 2;
const LOOK_MS = 100;

const asError = ({ code, message, value, next, fault }: Failure): TreadleError =>
  new TreadleError({
    code,
    message,
    ...(value === undefined ? {} : { value }),
    next: next ?? 'Run the same command again: it goes on where it stopped.',
    fault: fault as Fault,
  });

/**
 * Fills all slots, or throws the first failure once every worker has finished what it had begun; `interrupted` likewise. A worker
 * that dies is replaced and its slots are filled anew; `worker_died` when that happens to the same slot again and again.
 */
export const runCrew = (plan: CrewPlan): Promise<void> =>
  new Promise((resolve, reject) => {
    const waiting = [...plan.slots].reverse();
    const workers = new Set<Worker>();
    const deaths = new Map<number, number>();
    let failure: unknown;
    let isStopping = false;
    let done = 0;

    const stop = (thrown: unknown): void => {
      failure ??= thrown;
      if (isStopping) return;
      isStopping = true;
      for (const worker of workers) worker.stop();
    };

    const settle = (): void => {
      const isIdle = [...workers].every(({ orders }) => orders.length === 0);
      if (!isIdle || (!isStopping && waiting.length > 0)) return;
      clearInterval(look);
      for (const worker of workers) worker.end();
      workers.clear();
      if (failure === undefined) resolve();
      else reject(failure);
    };

    const shareOf = (): number =>
      Math.max(1, Math.min(MOST_AT_A_TIME, Math.ceil(waiting.length / plan.jobs / 2), waiting.length));

    const orderOf = (index: number): Order => {
      const known = plan.known(index);
      return known ? { index, known } : { index };
    };

    const employ = (worker: Worker): void => {
      if (isStopping || waiting.length === 0) worker.orders = [];
      else worker.give(waiting.splice(-shareOf()).reverse().map(orderOf));
    };

    const start = (): void => {
      const worker = new Worker(plan, heard, died);
      workers.add(worker);
      employ(worker);
    };

    const guarded = (work: () => void): void => {
      try {
        work();
      } catch (thrown) {
        stop(thrown);
      }
    };

    const heard = (worker: Worker, message: FromWorker): void => {
      if ('kept' in message) guarded(() => plan.onKept(message.kept, message.slot));
      else if ('failed' in message) {
        worker.orders = [];
        stop(asError(message.failed));
      } else if ('done' in message) {
        done += message.done.length;
        for (const index of message.done) guarded(() => plan.onDone(index));
        plan.onBatch?.(message.timesMs, message.rss);
        worker.orders = [];
        if (message.rss > MOST_RESIDENT && !isStopping && waiting.length > 0) {
          worker.end();
          workers.delete(worker);
          start();
        } else employ(worker);
      }
      settle();
    };

    const died = (worker: Worker): void => {
      if (!workers.delete(worker)) return;
      for (const { index } of [...worker.orders].reverse()) waiting.push(index);
      const first = worker.orders[0]?.index ?? -1;
      const times = (deaths.get(first) ?? 0) + 1;
      deaths.set(first, times);
      if (times > MOST_DEATHS)
        stop(
          new TreadleError({
            code: 'worker_died',
            message: `A worker process died ${times} times on the way from world ${first + 1}`,
            value: worker.ending,
            next: 'Give it more memory or fewer --jobs, and run the same command again: it goes on where it stopped.',
            fault: 'infrastructure',
          }),
        );
      if (!isStopping) start();
      settle();
    };

    const look = setInterval(() => {
      plan.interrupt.check(`${done} of ${plan.slots.length} worlds of this run are finished`).catch((thrown) => {
        stop(thrown);
        settle();
      });
    }, LOOK_MS);

    const wanted = Math.min(plan.jobs, plan.slots.length);
    for (let i = 0; i < wanted; i++) start();
    settle();
  });
