/** A live session as an image of it. */
import { FaultPlan } from '../../faults/plan.js';
import { packSession, unbundle } from '../parcel.js';
import type { Session } from '../session.js';
import type { SavedStart, SessionImage } from './image.js';
import type { LiveSession } from './live-session.js';
import type { LiveStart } from './start.js';

const startOf = (start: LiveStart): SavedStart => {
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

/** Packed parts that branches of one state have in common, by what was packed. */
export type Shared = Map<string, unknown>;

const once = <T>(shared: Shared | undefined, key: string, make: () => T): T => {
  if (!shared) return make();
  if (!shared.has(key)) shared.set(key, make());
  return shared.get(key) as T;
};

/** Of a session in use, packed now; in its turn only. */
export const imageOfActive = (live: LiveSession, session: Session, shared?: Shared): SessionImage => {
  const own = once(shared, 'own', () => packSession(session.world, session));
  return { ...headOf(live, shared), parcels: [own, ...live.snapshots.freeze(() => session.world)] };
};

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

const headOf = (live: LiveSession, shared?: Shared): Omit<SessionImage, 'parcels'> => {
  const deeds = live.deeds.all();
  const entries = once(shared, 'entries', () => [...live.book.served()]);
  return {
    start: startOf(live.start),
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
