/** Ctrl-C: the stage in hand is finished and written, then the command ends; where a stage cannot be left, it ends at once. */
import { TreadleError } from '../errors.js';
import { EXIT } from './exit.js';
import type { Ui } from './ui.js';

export interface Interrupt {
  /** Lets signals arrive; throws `interrupted` when one did. `done` says how far the command came. */
  check(done: string): Promise<void>;
  /** Work that holds the thread: Ctrl-C ends the process as the system does, with everything finished on disk. */
  atOnce<T>(work: () => T): T;
  end(): void;
}

export const noInterrupt: Interrupt = { check: async () => undefined, atOnce: (work) => work(), end: () => undefined };

/** Listens for SIGINT and SIGTERM until `end`. */
export const onInterrupt = (ui: Ui): Interrupt => {
  let asked = 0;
  const heard = (): void => {
    asked++;
    if (asked > 1) process.exit(EXIT.interrupted);
    ui.step('Stopping when this step is written; once more to stop now. Nothing finished is lost.');
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const listen = (): void => {
    for (const signal of signals) process.on(signal, heard);
  };
  const end = (): void => {
    for (const signal of signals) process.off(signal, heard);
  };
  listen();
  return {
    check: async (done) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (asked === 0) return;
      const next = 'Run the same command again: it goes on where it stopped.';
      throw new TreadleError({ code: 'interrupted', message: `Interrupted: ${done}`, next });
    },
    atOnce: (work) => {
      end();
      try {
        return work();
      } finally {
        listen();
      }
    },
    end,
  };
};

/** Work that can be called off at once: `stop` runs at the first SIGINT or SIGTERM, the second ends the process. */
export const onStop = (ui: Ui, stop: () => void): { isAsked(): boolean; end(): void } => {
  let asked = 0;
  const heard = (): void => {
    asked++;
    if (asked > 1) process.exit(EXIT.interrupted);
    ui.step('Stopping; once more to stop now. Nothing finished is lost.');
    stop();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, heard);
  return {
    isAsked: () => asked > 0,
    end: () => {
      for (const signal of signals) process.off(signal, heard);
    },
  };
};
