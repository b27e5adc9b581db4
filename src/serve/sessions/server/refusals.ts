/** What is said to who asks something of a session that cannot do it now, or ever. */
import { TreadleError } from '../../../errors.js';
import type { SessionStatus } from '../../api.js';

const REASONS: Record<Exclude<SessionStatus, 'open'>, [string, string]> = {
  paused: ['The session is paused', 'Resume it first, or ask again when its owner has.'],
  forked: ['The session was forked and lives on in its branches', 'Call one of the branches.'],
  closed: ['The session is closed', 'Open another one.'],
};

export const notOpen = (status: Exclude<SessionStatus, 'open'>, id: string): TreadleError => {
  const [message, next] = REASONS[status];
  return new TreadleError({ code: `session_${status}`, message, value: id, next, fault: 'infrastructure' });
};

export const unknownSession = (id: string): TreadleError =>
  new TreadleError({
    code: 'unknown_session',
    message: 'There is no such session',
    value: id.slice(0, 80),
    next: 'It was never opened here, or was forgotten after it was closed.',
  });

export const unknownSnapshot = (id: string, known: readonly string[]): TreadleError =>
  new TreadleError({
    code: 'unknown_snapshot',
    message: 'The session has no such snapshot',
    value: id.slice(0, 80),
    next: known.length > 0 ? `It has ${known.slice(0, 8).join(', ')}.` : 'Take one first.',
  });

export const notForkable = (services: readonly string[], action: string): TreadleError =>
  new TreadleError({
    code: 'not_forkable',
    message: `Cannot ${action}: an outside server keeps state that cannot be copied`,
    value: services,
    next: 'Declare what it keeps (nothing, or its workspace) where that is true, or leave the server out.',
  });

export const noScenario = (id: string): TreadleError =>
  new TreadleError({
    code: 'no_scenario',
    message: 'The session was opened without a scenario, so there are no events',
    value: id,
    next: 'Open sessions with {"scenario": "<name>"}; the registry lists scenarios.',
  });

/** `mayReturn`: what it lies in cannot be asked now. */
export const lostSession = (id: string, why: string, mayReturn: boolean): TreadleError =>
  new TreadleError({
    code: mayReturn ? 'session_recovering' : 'session_lost',
    message: mayReturn
      ? `The session's process died, and its savepoint cannot be had yet: ${why}`
      : `The session's process died, and nothing that was kept of it can be read: ${why}`,
    value: id,
    next: mayReturn ? 'Ask again in a moment.' : 'Open another one; treadle sessions tells what is left of this one.',
    fault: 'infrastructure',
    isRetryable: mayReturn,
  });

/** `lost`: the last request that had been acknowledged. */
export const rolledBack = (id: string, seq: number, lost: number): TreadleError =>
  new TreadleError({
    code: 'rolled_back',
    message: `The session is back at request ${seq}: its process died, and ${lost - seq} later ones were lost with it`,
    value: { session: id, seq, lost },
    next: 'Look at its state and go on from there; --durable call keeps every call that is answered.',
    fault: 'infrastructure',
  });

export const wrongSeq = (id: string, seq: number, expected: number): TreadleError =>
  new TreadleError({
    code: 'wrong_seq',
    message: `The session is at request ${seq}, not at ${expected}`,
    value: { session: id, seq },
    next: 'Somebody else asked it meanwhile; look at its state and go on from there.',
  });

export const atCapacity = (capacity: number): TreadleError =>
  new TreadleError({
    code: 'at_capacity',
    message: 'No room for another session',
    value: capacity,
    next: 'Close a session, or wait and try again.',
    fault: 'infrastructure',
    isRetryable: true,
  });
