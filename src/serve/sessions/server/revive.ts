/** A session as it was kept, alive again: its image, and on top of it the calls that were logged since. No tool is run. */
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { Json } from '../../../kit/hash.js';
import type { LoadedWorld } from '../../../world/loaded.js';
import type { State } from '../../../world/state/state.js';
import type { Workspace } from '../../../world/workspace/workspace.js';
import type { Pin } from '../../api.js';
import { FaultPlan } from '../../faults/plan.js';
import { Session } from '../session.js';
import type { Woven } from '../woven.js';
import { NO_COMPANIONS } from './companions.js';
import type { CallDelta, SavedStart, SessionImage } from './image.js';
import { LiveSession } from './live-session.js';
import { statesIn } from './place.js';
import type { Scenarios } from './scenarios.js';
import type { ServedBook } from './served-book.js';
import type { House, LiveStart } from './start.js';

/** What a session is made of again, by whoever holds sessions. */
export interface Reviving {
  house: House;
  scenarios: Scenarios;
  book: (start: SavedStart) => ServedBook;
}

export interface Revived {
  live: LiveSession;
  session: Session;
  /** Why the deltas from the one after `live.seq` on could not be applied, where they could not. */
  stopped?: TreadleError;
}

const wovenAtStart = ({ scenarios }: Reviving, { pins, faults }: SavedStart, world: LoadedWorld): Woven | undefined => {
  if (faults) return new FaultPlan(faults.rules, faults.seed);
  if (!pins.scenario) return undefined;
  return scenarios.begin(scenarios.find(pins.scenario.hash), (pins.verifier as Pin).hash, () => world.tools.keys());
};

const startOf = (saved: SavedStart, woven: Woven | undefined): LiveStart => {
  const { id, pins, ground, labels, services, me, idleSeconds, parent, print, faults, notices } = saved;
  const digests = Buffer.from(saved.digests, 'base64');
  const texts = faults?.rules.map(({ text }) => text);
  return { id, pins, ground, labels, services, me, idleSeconds, digests, parent, print, woven, faults: texts, notices };
};

interface Moving {
  states: Map<string, State>;
  workspace: Workspace;
  clock: number;
  woven: Json | undefined;
}

const outOfOrder = (expected: number, found: number): TreadleError =>
  new TreadleError({
    code: 'damaged_savepoint',
    message: 'A call is missing among those that were logged',
    value: { expected, found },
    fault: 'infrastructure',
  });

/** All of a delta or nothing. Throws `bad_delta`. */
const apply = (moving: Moving, world: LoadedWorld, { pages, files = [], clock, woven }: CallDelta): void => {
  const touched = pages.map(([service, bytes]) => {
    const pristine = world.services.get(service)?.pristine;
    const before = moving.states.get(service) ?? pristine;
    if (!before) throw outOfOrder(0, 0);
    const state = before.fork();
    try {
      state.applyDelta(bytes);
    } catch (thrown) {
      state.drop();
      throw thrown;
    }
    return [service, state] as const;
  });
  for (const [service, state] of touched) {
    moving.states.get(service)?.drop();
    moving.states.set(service, state);
  }
  for (const [path, text] of files) if (text === null) moving.workspace.delete(path);
  for (const [path, text] of files) if (text !== null) moving.workspace.write(path, text);
  moving.clock = clock;
  if (woven !== undefined) moving.woven = woven as Json;
};

/** Throws `bad_parcel`, and what loading its world throws; nothing is held then. */
export const revive = (by: Reviving, image: SessionImage, deltas: readonly CallDelta[]): Revived => {
  const { house } = by;
  const { start: saved } = image;
  const world = house.worlds.hold(saved.ground);
  try {
    const woven = wovenAtStart(by, saved, world);
    const moving: Moving = statesIn(world, image.parcels[0] as Uint8Array);
    const start = startOf(saved, woven);
    const book = by.book(saved);
    book.refill(image.entries);
    let { seq } = image;
    let stopped: TreadleError | undefined;
    const operations = [...image.operations];
    for (const delta of deltas) {
      try {
        if (delta.seq !== seq + 1) throw outOfOrder(seq + 1, delta.seq);
        apply(moving, world, delta);
      } catch (thrown) {
        stopped = asTreadleError(thrown, 'infrastructure', 'damaged_savepoint');
        break;
      }
      book.refill([delta.entry]);
      if (delta.operation) operations.push(delta.operation);
      seq = delta.seq;
    }
    const { states, workspace, clock } = moving;
    const own = moving.woven === undefined ? woven : woven?.loaded(moving.woven);
    const { id, services, me } = start;
    const session = Session.resume(world, { id, services, me, book }, { states, workspace, clock, woven: own });
    const live = new LiveSession(house, start, session, book, NO_COMPANIONS);
    live.status = image.hadCompanions ? 'closed' : image.status;
    live.answer = image.answer;
    live.seq = seq;
    // A call after it is one of somebody who was told; a fork's parent's calls, which count up to 0, are not.
    live.lost = seq > Math.max(image.seq, 0) ? undefined : image.lost;
    for (const [name, known] of operations) live.operations.put(name, known);
    for (const [name, deed] of image.deeds ?? []) live.deeds.put(name, deed);
    for (const [i, { id: snapshot, shared, more }] of image.snapshots.entries()) {
      const then = by.book(saved);
      then.refill([...image.entries.slice(0, shared), ...more]);
      live.snapshots.giveSaved(snapshot, then, image.parcels[i + 1] as Uint8Array);
    }
    return stopped ? { live, session, stopped } : { live, session };
  } catch (thrown) {
    house.worlds.letGo(saved.ground);
    throw thrown;
  }
};
