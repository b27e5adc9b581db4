/** Idle management (weft.txt 3.3.3): what rests moves from memory to disk to the blob store, and what is over is forgotten. */
import { asTreadleError, type TreadleError } from '../../../errors.js';
import { elapsedMs } from '../../../kit/clock.js';
import type { LiveSession } from './live-session.js';

/** Seconds without a request until the next step. */
export interface IdleTimes {
  /** Compressed in memory. Agents think for more than ten seconds between calls. */
  park: number;
  /** On disk, out of memory. */
  disk: number;
  /** In the blob store, off the disk. */
  store: number;
  /** Closed sessions are forgotten, their ledgers and final states with them. */
  forget: number;
}

export const IDLE_TIMES: IdleTimes = { park: 30, disk: 300, store: 1800, forget: 3600 };

/** Milliseconds of one round: parking costs about one a session, and calls must not wait for it. */
const SLICE_MS = 10;
/** Moves to disk or further that one round begins. */
const MOST_MOVES = 32;

export interface Sweep {
  sessions: Iterable<LiveSession>;
  times: IdleTimes;
  now: number;
  /** Ends a session that nobody has used for too long. */
  expire(live: LiveSession): void;
  forget(live: LiveSession): void;
  failed(error: TreadleError): void;
}

/** Closed sessions are read once more at most, so they leave memory without waiting. */
const waits = (live: LiveSession, seconds: number): number => (live.status === 'closed' ? 0 : seconds);

type Move = 'parks' | 'moves' | undefined;

const move = (live: LiveSession, idle: number, { times, failed }: Sweep): Move => {
  const { at } = live.place;
  const broke = (thrown: unknown): void => failed(asTreadleError(thrown, 'infrastructure', 'park_failed'));
  if (live.turns.isBusy) return undefined;
  if (at === 'active' && idle >= waits(live, times.park)) return live.park() ? 'parks' : undefined;
  if (at === 'parked' && idle >= waits(live, times.disk)) void live.leaveMemory().catch(broke);
  else if (at === 'disk' && idle >= times.store && live.canLeaveDisk) void live.leaveDisk().catch(broke);
  else return undefined;
  return 'moves';
};

/** One round; true when there is more to do at once. */
export const sweep = (round: Sweep): boolean => {
  const started = elapsedMs();
  let moves = 0;
  for (const live of round.sessions) {
    const idle = round.now - live.usedAt;
    if (live.status === 'closed' && idle >= round.times.forget) round.forget(live);
    else if (live.status !== 'closed' && idle >= live.start.idleSeconds) round.expire(live);
    else {
      const moved = move(live, idle, round);
      if (moved === 'moves' && ++moves >= MOST_MOVES) return true;
      if (moved === 'parks' && elapsedMs() - started > SLICE_MS) return true;
    }
  }
  return false;
};
