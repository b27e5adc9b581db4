/** Ownership of a server without a data folder: the same rules, gone with the process. */
import type { Clock } from '../clock.js';
import { type FaultPoints, NO_FAULTS } from '../faults/fault-points.js';
import { reach } from '../store/failure.js';
import type { Claim, Commit, Committed, Lease, OwnedSession, Ownership, WorkerRow } from './ownership.js';
import { startPulse } from './pulse.js';
import { headsOf } from './rows.js';
import { incarnationOf, judge, moved, notRegistered, type Owned } from './rules.js';
import type { OwnershipOptions } from './stored.js';

interface Worker {
  ms: number;
  until: number;
  dead: boolean;
}

class MemoryOwnership implements Ownership {
  /** Milliseconds since it was made: as the store's, a clock of its own. */
  readonly #now: () => number;
  readonly #faults: FaultPoints;
  readonly #fence: boolean;
  readonly #workers = new Map<string, Worker>();
  /** In the order of first claims. */
  readonly #sessions = new Map<string, Owned>();
  readonly #pulse = startPulse(0);

  constructor(clock: Clock, { faults = NO_FAULTS, fence = true }: OwnershipOptions) {
    const start = clock.now();
    this.#now = () => Math.floor(clock.now() - start);
    this.#faults = faults;
    this.#fence = fence;
  }

  #isDead(incarnation: string): boolean {
    return this.#workers.get(incarnation)?.dead ?? true;
  }

  async register(name: string, ms: number): Promise<Lease> {
    const incarnation = incarnationOf(name, ms);
    const now = this.#now();
    this.#pulse.isSpared(now);
    this.#workers.set(incarnation, { ms, until: now + ms, dead: false });
    this.#pulse.longest = Math.max(this.#pulse.longest, ms);
    this.#pulse.beat(now);
    return { incarnation, until: now + ms, ms };
  }

  async renew(incarnation: string): Promise<Lease | undefined> {
    await reach(this.#faults, 'ownership.renew');
    const now = this.#now();
    const isSpared = this.#pulse.isSpared(now);
    const worker = this.#workers.get(incarnation);
    if (!worker || worker.dead || (worker.until < now && !isSpared)) return undefined;
    worker.until = now + worker.ms;
    this.#pulse.beat(now);
    return { incarnation, until: worker.until, ms: worker.ms };
  }

  async bury(incarnation: string): Promise<boolean> {
    if (this.#isDead(incarnation)) return false;
    (this.#workers.get(incarnation) as Worker).dead = true;
    return true;
  }

  async claim(incarnation: string, sessions: readonly string[]): Promise<Claim[]> {
    await reach(this.#faults, 'ownership.claim');
    if (this.#isDead(incarnation)) throw notRegistered(incarnation);
    for (const id of new Set(sessions)) {
      const session = this.#sessions.get(id) ?? { owner: null, gen: 0, head: undefined, previous: undefined };
      const { owner } = session;
      if (owner === null || owner === incarnation || this.#isDead(owner))
        this.#sessions.set(id, { ...session, owner: incarnation, gen: session.gen + 1 });
    }
    const claims = sessions.map((id): Claim => {
      const session = this.#sessions.get(id) as Owned;
      return session.owner === incarnation
        ? { session: id, granted: true, gen: session.gen, ...headsOf(session) }
        : { session: id, granted: false, owner: session.owner as string, gen: session.gen };
    });
    await reach(this.#faults, 'ownership.claimed');
    return claims;
  }

  async commitHead(incarnation: string, commits: readonly Commit[]): Promise<Committed[]> {
    await reach(this.#faults, 'ownership.commit');
    const committed = commits.map((commit): Committed => {
      const session = this.#sessions.get(commit.session);
      const why = !this.#fence && session ? 'move' : judge(session, incarnation, commit);
      if (why !== 'move' || !session) return why as Committed;
      const next = moved(session, commit);
      this.#sessions.set(commit.session, next.session);
      return { session: commit.session, outcome: 'moved', superseded: next.superseded };
    });
    await reach(this.#faults, 'ownership.committed');
    return committed;
  }

  #owned(incarnation: string, sessions: readonly string[]): [string, Owned][] {
    return [...new Set(sessions)].flatMap((id): [string, Owned][] => {
      const session = this.#sessions.get(id);
      return session?.owner === incarnation ? [[id, session]] : [];
    });
  }

  async release(incarnation: string, sessions: readonly string[]): Promise<number> {
    const owned = this.#owned(incarnation, sessions);
    for (const [id, session] of owned) this.#sessions.set(id, { ...session, owner: null });
    return owned.length;
  }

  async forget(incarnation: string, sessions: readonly string[]): Promise<string[]> {
    const owned = this.#owned(incarnation, sessions);
    for (const [id] of owned) this.#sessions.delete(id);
    return owned.flatMap(([, { head, previous }]) => [head, previous].flatMap((kept) => (kept ? [kept.key] : [])));
  }

  async reap(): Promise<{ died: string[]; removed: number }> {
    const now = this.#now();
    const died: string[] = [];
    if (!this.#pulse.isSpared(now)) {
      for (const [incarnation, worker] of this.#workers) {
        if (worker.dead || worker.until >= now) continue;
        worker.dead = true;
        died.push(incarnation);
      }
    }
    const owners = new Set([...this.#sessions.values()].map(({ owner }) => owner));
    let removed = 0;
    for (const [incarnation, { dead }] of this.#workers)
      if (dead && !owners.has(incarnation) && this.#workers.delete(incarnation)) removed++;
    this.#pulse.longest = Math.max(0, ...[...this.#workers.values()].filter(({ dead }) => !dead).map(({ ms }) => ms));
    this.#pulse.beat(now);
    return { died: died.sort(), removed };
  }

  async sessions(): Promise<OwnedSession[]> {
    return [...this.#sessions].map(([session, owned]) => ({
      session,
      owner: owned.owner,
      ownerIsDead: owned.owner !== null && this.#isDead(owned.owner),
      gen: owned.gen,
      ...headsOf(owned),
    }));
  }

  async workers(): Promise<WorkerRow[]> {
    const counts = new Map<string, number>();
    for (const { owner } of this.#sessions.values())
      if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return [...this.#workers]
      .map(([incarnation, { until, dead }]) => ({ incarnation, until, dead, sessions: counts.get(incarnation) ?? 0 }))
      .sort((a, b) => (a.incarnation < b.incarnation ? -1 : 1));
  }
}

export const memoryOwnership = (clock: Clock, options: OwnershipOptions = {}): Ownership =>
  new MemoryOwnership(clock, options);
