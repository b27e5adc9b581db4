/** What is said of a session to its trainer. */
import type { SessionInfo } from '../../api.js';
import type { LiveSession } from './live-session.js';
import { residenceOf } from './place.js';

export const sessionInfo = (live: LiveSession): SessionInfo => {
  const { id, pins, labels, parent, faults, notices } = live.start;
  return {
    id,
    status: live.status,
    residence: residenceOf(live.place),
    pins,
    labels,
    ...(parent === undefined ? {} : { parent }),
    calls: live.book.length,
    seq: live.seq,
    ...(live.lost === undefined ? {} : { lost: live.lost }),
    clock: live.clock,
    unforkable: live.companions.unforkable(),
    snapshots: live.snapshots.ids(),
    ...(live.companions.sandboxFolder === undefined ? {} : { sandbox: live.companions.sandboxFolder }),
    ...(faults ? { faults: [...faults] } : {}),
    ...(notices ? { notices } : {}),
  };
};

/** What of it a request changes: who asks again is told how it stood then. */
export type Stance = Pick<SessionInfo, 'status' | 'calls' | 'seq' | 'clock'>;

export const stanceOf = (live: LiveSession): Stance => ({
  status: live.status,
  calls: live.book.length,
  seq: live.seq,
  clock: live.clock,
});
