/**
 * The record of a session that began as a fork: what it is itself, and which session it was like, and when. So a fork costs what its
 * start takes, not what was changed before it; the parent's records and savepoint stay until the fork has a savepoint of its own.
 */
import type { SessionStatus } from '../../api.js';
import type { CallDelta, SavedStart, SessionImage } from '../../sessions/server/image.js';
import type { Head } from '../ownership/ownership.js';
import { damaged } from './bytes.js';

/** What a fork was like when it began. */
export interface ForkOrigin {
  session: string;
  seq: number;
  /** Generation in which that seq was written, and the one that the session had: none between them is another's. */
  from: number;
  gen: number;
  /** The savepoint that it then had, where it had one of its own. */
  head?: Head;
}

/** As in an image. */
export interface Forked extends Pick<SessionImage, 'lost' | 'hadCompanions'> {
  start: SavedStart;
  status: SessionStatus;
  of: ForkOrigin;
}

export const forkBytes = (forked: Forked): Uint8Array => Buffer.from(JSON.stringify(forked));

/** Throws `damaged_savepoint`. */
export const forkOf = (body: Uint8Array): Forked => {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')) as Forked;
  } catch (cause) {
    throw damaged('the record of its fork is damaged', cause);
  }
};

/**
 * A fork as an image and calls, of what its parent was: the parent's calls count as made before its own first, up to 0. What belongs to
 * the parent alone, as its snapshots do, is left behind.
 */
export const forkedFrom = (
  { start, status, lost, hadCompanions }: Forked,
  parent: { image: SessionImage; deltas: readonly CallDelta[] },
): { image: SessionImage; deltas: CallDelta[] } => {
  const before = parent.deltas.length;
  const { entries, parcels } = parent.image;
  return {
    image: {
      start,
      status,
      answer: '',
      seq: 0 - before,
      ...(lost === undefined ? {} : { lost }),
      ...(hadCompanions ? { hadCompanions } : {}),
      operations: [],
      entries,
      snapshots: [],
      parcels: parcels.slice(0, 1),
    },
    deltas: parent.deltas.map(({ operation: _, ...delta }, i) => ({ ...delta, seq: i + 1 - before })),
  };
};
