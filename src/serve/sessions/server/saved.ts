/** A live session as an image of it. */
import { FaultPlan } from '../../faults/plan.js';
import { packSession, unbundle } from '../parcel.js';
import type { Session } from '../session.js';
import type { SavedStart, SessionImage } from './image.js';
import type { LiveSession } from './live-session.js';
import type { LiveStart } from './start.js';

export const savedStart = (start: LiveStart): SavedStart => {
  const { id, pins, ground, labels, services, me, idleSeconds, digests, parent, print, woven, notices } = start;
  return {
    id,
    pins,
    ground,
    labels,
    services,
    me,
    idleSeconds,
    digests: digests.toString('base64'),
    ...(parent === undefined ? {} : { parent }),
    ...(print === undefined ? {} : { print }),
    ...(woven instanceof FaultPlan ? { faults: { rules: woven.rules, seed: woven.seed } } : {}),
    ...(notices ? { notices } : {}),
  };
};

/** Of a session in use, packed now; in its turn only. */
export const imageOfActive = (live: LiveSession, session: Session): SessionImage => ({
  ...headOf(live),
  parcels: [packSession(session.world, session), ...live.snapshots.freeze(() => session.world)],
});

/** Of one at rest, whose parcel is `bytes`: as it is kept in memory, or as it lies on disk with its snapshots. */
export const imageOfResting = (
  live: LiveSession,
  at: 'parked' | 'disk' | 'stored',
  bytes: Uint8Array,
): SessionImage => {
  const parcels =
    at === 'parked'
      ? [bytes, ...live.snapshots.freeze(() => live.house.worlds.get(live.start.ground))]
      : unbundle(bytes);
  return { ...headOf(live), parcels };
};

const headOf = (live: LiveSession): Omit<SessionImage, 'parcels'> => {
  const deeds = live.deeds.all();
  const entries = [...live.book.served()];
  return {
    start: savedStart(live.start),
    status: live.status,
    answer: live.answer,
    seq: live.seq,
    ...(live.lost === undefined ? {} : { lost: live.lost }),
    ...(live.companions.isEmpty ? {} : { hadCompanions: true as const }),
    operations: live.operations.all(),
    ...(deeds.length === 0 ? {} : { deeds }),
    entries,
    snapshots: live.snapshots.saved(entries),
  };
};
