/** The client, as a tool, a prompt or a resource sees it while it is being served. */
import { TreadleError } from '../../../errors.js';
import { LOG_LEVELS } from '../envelope.js';
import type { Params } from '../messages.js';
import { capabilityFor, type Questions } from './questions.js';

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Caller {
  /** Aborts when the client cancels or goes away for good. */
  readonly signal: AbortSignal;
  /** Whether the client said it can do this: `sampling`, `elicitation`, `roots`. */
  has(capability: string): boolean;
  /** Dropped below the level that the client asked for; in 2026-07-28, without one asked for, always. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Dropped where the client wants none, and where it does not grow. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Asks the client and gives its answers under the same names. Before 2026-07-28 by requests of our own, since then by ending
   * the request as unfinished: whoever called is run again with the answers so far. Throws TreadleError `client_lacks_capability`,
   * `client_unreachable`, `client_silent`, `client_refused`.
   */
  ask<Q extends Questions>(questions: Q): Promise<Record<keyof Q & string, Params>>;
  /** Ends the stream of this call where the client can come back for the rest of it (2025-11-25); elsewhere nothing. */
  hangUp(): void;
}

/** A capability as a client declares it, with the offending name as the value. */
export const lacking = (capabilities: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'client_lacks_capability',
    message: `The client did not declare ${capabilities.join(', ')}`,
    value: capabilities,
    next: 'Declare the capability, or call a tool that asks nothing.',
    fault: 'agent',
  });

/** Throws `client_lacks_capability` when the client cannot be asked all of this. */
export const needCapabilities = (declared: Params, questions: Questions): void => {
  const missing = [...new Set(Object.values(questions).map(capabilityFor))].filter((name) => !(name in declared));
  if (missing.length > 0) throw lacking(missing);
};

const rank = (level: unknown): number => LOG_LEVELS.indexOf(level as LogLevel);

/** The parts that are the same in every revision: how notifications of one request are made and when they are dropped. */
export const notifier = (
  send: (message: string) => void,
  { least, token }: { least: string | undefined; token: unknown },
): Pick<Caller, 'log' | 'progress'> => {
  let furthest = Number.NEGATIVE_INFINITY;
  const notify = (method: string, params: object): void => send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  return {
    log: (level, data, logger) => {
      if (least === undefined || rank(level) < rank(least)) return;
      notify('notifications/message', { level, ...(logger === undefined ? {} : { logger }), data: data ?? null });
    },
    progress: (done, total, message) => {
      if (token === undefined || !(done > furthest)) return;
      furthest = done;
      notify('notifications/progress', {
        progressToken: token,
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    },
  };
};
