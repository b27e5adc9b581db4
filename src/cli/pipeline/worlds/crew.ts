/** Work over many worlds, one after another, by several processes: which of them takes a world changes nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type Fault, TreadleError } from '../../../errors.js';
import type { Interrupt } from '../../interrupt.js';

export interface Order {
  world: string;
}

/** What a worker says of an order. */
export type Answer<Made> =
  | { made: Made; rss: number }
  | { failed: { code: string; message: string; fault: string; next?: string } };

export interface CrewPlan<Made> {
  /** The compiled worker, which calls `serveWorlds`. */
  program: string;
  dir: string;
  /** What the worker is told beside the folder; plain data. */
  settings: unknown;
  worlds: readonly string[];
  jobs: number;
  interrupt: Interrupt;
  onMade(made: Made): void;
}

/** A worker that holds more than this (bytes) is replaced by a new one. */
const MOST_RESIDENT = 700 * 2 ** 20;
/** How often a world may take its worker down with it. */
const MOST_DEATHS = 2;
const LOOK_MS = 100;

const startChild = ({ program, dir, settings }: Pick<CrewPlan<never>, 'program' | 'dir' | 'settings'>): ChildProcess =>
  spawn(process.execPath, [program, dir, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });

/** The worker's answer; undefined when it died instead. */
const ask = <Made>(child: ChildProcess, order: Order): Promise<Answer<Made> | undefined> =>
  new Promise((resolve) => {
    const settle = (answer?: Answer<Made>): void => {
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
const workOn = async <Made>(plan: CrewPlan<Made>, waiting: string[], isStopping: () => boolean): Promise<void> => {
  let child = startChild(plan);
  try {
    for (let deaths = 0; waiting.length > 0 && !isStopping(); ) {
      const world = waiting.pop() as string;
      const answer = await ask<Made>(child, { world });
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

/** Goes over all of them, or throws the first failure once what was begun is finished; `interrupted` and `worker_died` likewise. */
export const overWorlds = async <Made>(plan: CrewPlan<Made>): Promise<void> => {
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
