/** What a front says when a worker cannot. */
import { TreadleError } from '../../../errors.js';

export const moving = (session: string): TreadleError =>
  new TreadleError({
    code: 'session_moving',
    message: 'The session is on its way to another worker',
    value: session,
    next: 'Ask again in a moment.',
    fault: 'infrastructure',
    isRetryable: true,
  });

/** `why`: of each worker there is. */
export const noWorker = (why: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'no_worker',
    message: `No worker takes sessions now${why.length === 0 ? '' : `: ${why.join(', ')}`}`,
    next: 'Ask again in a moment.',
    fault: 'infrastructure',
    isRetryable: true,
  });

export const startsInVain = (name: string, starts: number, last: TreadleError): TreadleError =>
  new TreadleError({
    code: 'worker_crashes',
    message: `Worker ${name} ended ${starts} times in a row right after it was started; the last time: ${last.message}`,
    value: last.value,
    next: last.next ?? 'Mend that; treadle serve with --workers 1 shows the same without other processes.',
    fault: last.fault,
    cause: last,
  });

export const ended = (how: string): TreadleError =>
  new TreadleError({ code: 'worker_ended', message: `The process ended (${how})`, fault: 'infrastructure' });

export const silent = (what: string, ms: number): TreadleError =>
  new TreadleError({
    code: 'worker_silent',
    message: `The process ${what} within ${Math.round(ms / 1_000)} s`,
    next: 'If the machine is only slow, give it fewer workers.',
    fault: 'infrastructure',
  });
