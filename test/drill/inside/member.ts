/** One worker of a drill: a real session server with its keeping, in this process, that can be stopped and ended at any point. */

import type { Blobs } from '../../../src/serve/blobs/blobs.js';
import { faultyBlobs } from '../../../src/serve/blobs/faulty.js';
import type { Clock } from '../../../src/serve/durable/clock.js';
import type { Ownership } from '../../../src/serve/durable/ownership/ownership.js';
import type { Durability } from '../../../src/serve/durable/session/durability.js';
import { HouseKeeping } from '../../../src/serve/durable/session/house-keeping.js';
import type { Registry } from '../../../src/serve/registry/registry.js';
import { recordedWorlds } from '../../../src/serve/registry/worlds.js';
import { SessionServer } from '../../../src/serve/sessions/server/session-server.js';
import type { Engine } from '../../../src/world/state/engine.js';
import { HALTED, Points } from './points.js';
import { reached } from './watched.js';

export const LEASE_MS = 9_000;
/** Nothing is saved unless the drill says so: what happens is the seed's to say. */
const NEVER = Number.POSITIVE_INFINITY;
const TIMES = { quietMs: NEVER, busyMs: NEVER, requests: NEVER, bytes: NEVER };

export interface MemberOptions {
  name: string;
  engine: Engine;
  registry: Registry;
  folder: string;
  durability: Durability;
  ownership: () => Ownership;
  blobs: Blobs;
  clock: Clock;
}

export class Member {
  /** It was told that its lease is lost. */
  isLost = false;

  private constructor(
    readonly name: string,
    readonly points: Points,
    readonly house: HouseKeeping,
    readonly server: SessionServer,
  ) {}

  static async start(options: MemberOptions): Promise<Member> {
    const { name, engine, registry, folder, durability, ownership, blobs, clock } = options;
    const points = new Points();
    let made: Member | undefined;
    const house = await HouseKeeping.open({
      name,
      folder,
      durability,
      ownership: reached(ownership, points),
      blobs: faultyBlobs(blobs, points),
      clock,
      faults: points,
      leaseMs: LEASE_MS,
      times: TIMES,
      lost: () => {
        if (made) made.isLost = true;
      },
      onDefect: () => {},
    });
    const worlds = recordedWorlds(registry);
    const partsOf = (hash: string) => worlds.partsOf(hash);
    made = new Member(name, points, house, new SessionServer({ engine, registry, partsOf, keeping: house.keeping }));
    return made;
  }

  /** What comes of it, as somebody outside hears it: nothing, once the worker has stopped. */
  async heard<T>(work: () => T | Promise<T>): Promise<T | typeof HALTED> {
    const { points } = this;
    if (points.isStopped) return HALTED;
    try {
      const halted = points.halted;
      const said = await Promise.race([Promise.resolve(work()), halted]);
      return points.isStopped ? HALTED : said;
    } catch (thrown) {
      if (points.isStopped) return HALTED;
      throw thrown;
    }
  }

  /** Undefined where it does not have the session. */
  kept(session: string) {
    for (const kept of this.house.keeper.all()) if (kept.live.id === session) return kept;
    return undefined;
  }

  async save(session: string): Promise<boolean | typeof HALTED> {
    const kept = this.kept(session);
    return kept === undefined ? false : this.heard(() => this.house.savepoints.save(kept));
  }

  /** As kill -9; what it held in memory is given back, which a dead process does too. */
  async end(): Promise<void> {
    this.points.end();
    try {
      this.house.abandon();
    } catch {
      // Nobody needed its log any more, and it is gone: a dead process does not mind.
    }
    await this.server.shutDown();
  }
}
