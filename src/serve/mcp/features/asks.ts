/** Requests that a server makes of its client in the revisions before 2026-07-28, and how long it waits for an answer. */
import { TreadleError } from '../../../errors.js';
import type { Asks, Outlet } from '../connection.js';
import { isObject } from '../messages.js';

/** The most questions that one client may have open. */
const MOST_OPEN = 64;

export const unreachable = (why: string): TreadleError =>
  new TreadleError({
    code: 'client_unreachable',
    message: `The client could not be asked: ${why}`,
    next: 'Open a session with initialize and accept text/event-stream.',
    fault: 'agent',
  });

interface Open {
  settle: (response: { result?: unknown; error?: unknown }) => void;
  fail: (error: TreadleError) => void;
}

/** `waitMs`: how long a client has for one answer; a person may have to read the question first. */
export const pendingAsks = (waitMs = 300_000): Asks => {
  const open = new Map<string, Open>();
  let asked = 0;
  let isClosed = false;

  const ask = (outlet: Outlet, method: string, params: object): Promise<unknown> => {
    if (isClosed) return Promise.reject(unreachable('its session has ended'));
    if (open.size >= MOST_OPEN) return Promise.reject(unreachable(`it has ${MOST_OPEN} questions open already`));
    const id = `ask-${++asked}`;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        open.delete(id);
        clearTimeout(timer);
        outlet.gone.removeEventListener('abort', left);
      };
      const fail = (error: TreadleError): void => {
        done();
        reject(error);
      };
      const left = (): void => fail(unreachable('it went away'));
      const timer = setTimeout(() => {
        // The client may stop thinking about it, too.
        const cancelled = { requestId: id, reason: 'No answer in time' };
        outlet.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }));
        fail(
          new TreadleError({
            code: 'client_silent',
            message: `The client did not answer ${method}`,
            next: 'Call again when it can answer.',
            fault: 'agent',
            isRetryable: true,
          }),
        );
      }, waitMs);
      timer.unref();
      const settle: Open['settle'] = ({ result, error }) => {
        done();
        if (error === undefined) {
          resolve(result);
          return;
        }
        const message =
          isObject(error) && typeof error.message === 'string' ? error.message.slice(0, 500) : 'no reason';
        reject(
          new TreadleError({
            code: 'client_refused',
            message: `The client refused ${method}: ${message}`,
            fault: 'agent',
          }),
        );
      };
      open.set(id, { settle, fail });
      outlet.gone.addEventListener('abort', left);
      if (outlet.gone.aborted) left();
      else if (!outlet.send(JSON.stringify({ jsonrpc: '2.0', id, method, params })))
        fail(unreachable('it reads no stream'));
    });
  };

  return {
    ask,
    answered: ({ id, ...response }) => {
      if (typeof id === 'string') open.get(id)?.settle(response);
    },
    close: () => {
      isClosed = true;
      for (const { fail } of [...open.values()]) fail(unreachable('its session has ended'));
    },
  };
};
