/**
 * Keeps a process's sessions (serving.md, seams): every state-changing request is in the log before it is acknowledged, and savepoints
 * follow. `none`: the log says that it happened; `call`: what it changed, so it survives the process; `disk`: and the power too.
 */
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { Keeping, KeptCall, Parent } from '../../sessions/server/keeping.js';
import type { LiveSession } from '../../sessions/server/live-session.js';
import { imageOfActive, savedStart } from '../../sessions/server/saved.js';
import type { Maybe } from '../../sessions/server/turns.js';
import type { Session } from '../../sessions/session.js';
import type { Clock } from '../clock.js';
import type { FaultPoints } from '../faults/fault-points.js';
import type { PageLog, RecordKind } from '../log/page-log.js';
import { deltaBytes, imageBytes } from './bytes.js';
import type { Claims } from './claims.js';
import type { Durability } from './durability.js';
import { forkBytes } from './fork.js';
import { Kept } from './kept.js';
import type { Pins } from './pins.js';
import type { Savepoints } from './savepoints.js';

export interface KeeperParts {
  durability: Durability;
  log: PageLog;
  /** Bytes of log beyond which nothing more is taken. */
  mostLogBytes: number;
  claims: Claims;
  savepoints: Savepoints;
  pins: Pins;
  clock: Clock;
  faults: FaultPoints;
}

const EMPTY = new Uint8Array();
/** How much later than after a request a session is saved that was taken up. */
const AFTER_RECOVERY_MS = 10_000;

/** It ran, and what it did is in memory alone. */
const notKept = (live: LiveSession, cause: TreadleError): TreadleError =>
  new TreadleError({
    code: 'not_kept',
    message: `The request was done, but could not be kept: ${cause.message}`,
    value: { session: live.id, seq: live.seq },
    next: 'Send it again under the same operation, or look at the session: its next request keeps this one too.',
    fault: 'infrastructure',
    isRetryable: true,
    cause,
  });

/** It was let go of while a request was under way: what that did here is nobody's. */
const gone = (live: LiveSession): TreadleError =>
  new TreadleError({
    code: 'session_moving',
    message: 'Another process has the session now, and what was asked of it here does not count',
    value: live.id,
    next: 'Ask again.',
    fault: 'infrastructure',
    isRetryable: true,
  });

export class Keeper implements Omit<Keeping, 'figures'> {
  readonly #kept = new Map<LiveSession, Kept>();
  /** Those that ended here, where the last request may be the one that ends them. */
  readonly #over = new WeakSet<LiveSession>();
  #isClosed = false;

  constructor(readonly parts: KeeperParts) {}

  get size(): number {
    return this.#kept.size;
  }

  all(): Iterable<Kept> {
    return this.#kept.values();
  }

  of(live: LiveSession): Kept | undefined {
    return this.#kept.get(live);
  }

  /** Throws `log_full`, retryable: savepoints that do not come about keep the log. */
  ready(): void {
    const { log, mostLogBytes } = this.parts;
    if (log.bytes <= mostLogBytes) return;
    throw new TreadleError({
      code: 'log_full',
      message: 'The log is full, because savepoints cannot be written',
      value: `${Math.round(log.bytes / 1_048_576)} MiB`,
      next: 'See that the blob store can be written; calls go on by themselves then.',
      fault: 'infrastructure',
      isRetryable: true,
    });
  }

  opened(live: LiveSession, session: Session, parent?: Parent): void {
    this.ready();
    const kept = new Kept(live, 1, undefined);
    const origin = parent && this.#kept.get(parent.live);
    if (parent && origin) this.#fork(kept, session, origin, parent.session);
    else this.#whole(kept, session);
    this.#kept.set(live, kept);
    kept.claimed = this.parts.claims.add(kept);
  }

  /** A session that was recovered or moved here, and whose records are in the log already, at generation `gen`. */
  took(live: LiveSession, session: Session, gen: number): Kept {
    const kept = new Kept(live, gen, undefined);
    kept.wrote(gen, live.seq);
    this.#begin(kept, session);
    this.#kept.set(live, kept);
    // All of it is in the log here: its savepoint can wait until those that call are served.
    kept.logged(this.parts.clock.now() + AFTER_RECOVERY_MS, 0);
    return kept;
  }

  called(live: LiveSession, session: Session, call: KeptCall): Maybe<void> {
    const kept = this.#kept.get(live);
    if (!kept) throw gone(live);
    const { faults, durability } = this.parts;
    faults.hit('call.ran');
    try {
      if (durability === 'none') this.#mark(kept);
      else if (kept.needsWhole) this.#whole(kept, session);
      else this.#delta(kept, session, call);
    } catch (thrown) {
      kept.needsWhole = true;
      throw notKept(live, asTreadleError(thrown, 'infrastructure'));
    }
    faults.hit('call.logged');
    return durability === 'disk' ? this.#synced(kept) : undefined;
  }

  /** Whoever hears the answer takes the request for kept, also where it was not when it ran. */
  repeated(live: LiveSession, session: Session | undefined): Maybe<void> {
    const kept = this.#kept.get(live);
    if (!kept || !(kept.needsWhole || kept.needsSync)) return undefined;
    const { durability } = this.parts;
    try {
      if (durability === 'none') this.#mark(kept);
      else if (kept.needsWhole && session) this.#whole(kept, session);
      else if (kept.needsWhole) return this.#restingWhole(kept);
    } catch (thrown) {
      throw notKept(live, asTreadleError(thrown, 'infrastructure'));
    }
    return durability === 'disk' ? this.#synced(kept) : undefined;
  }

  #mark(kept: Kept): void {
    this.#append(kept, 'mark', EMPTY);
    kept.needsWhole = false;
  }

  async #synced(kept: Kept): Promise<void> {
    kept.needsSync = true;
    try {
      await this.parts.log.sync();
      kept.needsSync = false;
    } catch (thrown) {
      throw notKept(kept.live, asTreadleError(thrown, 'infrastructure'));
    }
  }

  changed(live: LiveSession, session: Session | undefined): Maybe<void> {
    const kept = this.#kept.get(live);
    if (!kept && this.#over.has(live)) return undefined;
    if (!kept) throw gone(live);
    const { durability, savepoints } = this.parts;
    try {
      if (durability === 'none') {
        this.#mark(kept);
        savepoints.hasten(kept);
        return undefined;
      }
      if (session) this.#whole(kept, session);
      else return this.#restingWhole(kept);
    } catch (thrown) {
      kept.needsWhole = true;
      throw notKept(live, asTreadleError(thrown, 'infrastructure'));
    }
    return durability === 'disk' ? this.#synced(kept) : undefined;
  }

  /** Of a session at rest, whose parcel may have to be fetched. */
  async #restingWhole(kept: Kept): Promise<void> {
    const { live } = kept;
    try {
      this.#append(kept, 'whole', imageBytes(await live.toImage()));
      kept.needsWhole = false;
    } catch (thrown) {
      kept.needsWhole = true;
      throw notKept(live, asTreadleError(thrown, 'infrastructure'));
    }
    if (this.parts.durability === 'disk') await this.#synced(kept);
  }

  #delta(kept: Kept, session: Session, { outcome, operation }: KeptCall): void {
    const { live } = kept;
    const pages: [string, Uint8Array][] = [];
    for (const [service, state] of session.states) {
      const bytes = state.takeDelta(session.world.services.get(service)?.pristine);
      if (bytes) pages.push([service, bytes]);
    }
    const files = kept.files(session);
    const { woven } = session;
    const body = deltaBytes({
      seq: live.seq,
      clock: session.clock,
      entry: { ...outcome.entry, ms: live.book.at(outcome.entry.index)?.ms ?? 0 },
      ...(operation ? { operation } : {}),
      ...(woven ? { woven: woven.save() } : {}),
      ...(files ? { files } : {}),
      pages,
    });
    this.#append(kept, 'delta', body);
  }

  /** A record that names its parent. Where nothing holds all of that as it is now, which is so with `none`, it is written first. */
  #fork(kept: Kept, session: Session, parent: Kept, parents: Session): void {
    const { live } = kept;
    const { id, seq } = parent.live;
    if (parent.written?.seq !== seq) this.#whole(parent, parents);
    const { head, gen, written } = parent;
    const body = forkBytes({
      start: savedStart(live.start),
      status: live.status,
      ...(live.lost === undefined ? {} : { lost: live.lost }),
      ...(live.companions.isEmpty ? {} : { hadCompanions: true as const }),
      of: { session: id, seq, from: written?.gen ?? gen, gen, ...(head ? { head } : {}) },
    });
    this.#append(kept, 'fork', body, id);
    const { pins } = this.parts;
    pins.hold(live.id, head ? [head.key] : pins.keysOf(id));
    this.#begin(kept, session);
  }

  #whole(kept: Kept, session: Session): void {
    this.#append(kept, 'whole', imageBytes(imageOfActive(kept.live, session)));
    kept.needsWhole = false;
    this.#begin(kept, session);
  }

  /** Only where deltas are taken: a marked state holds on to the pages that are written over. */
  #begin(kept: Kept, session: Session): void {
    if (this.parts.durability !== 'none') kept.begin(session);
  }

  #append(kept: Kept, kind: RecordKind, body: Uint8Array, needs?: string): void {
    const { log, clock, faults } = this.parts;
    const { gen } = kept;
    const { id: session, seq } = kept.live;
    faults.hit('log.append');
    log.append({ session, gen, seq, kind, body }, needs);
    if (kind !== 'mark') kept.wrote(gen, seq);
    kept.logged(clock.now(), body.length);
  }

  rested(live: LiveSession): void {
    const kept = this.#kept.get(live);
    if (kept && kept.unsaved > 0) this.parts.savepoints.hasten(kept);
  }

  forgotten(live: LiveSession): void {
    const kept = this.#kept.get(live);
    if (!kept) return;
    this.#kept.delete(live);
    this.#over.add(live);
    kept.isOver = true;
    try {
      this.#append(kept, 'gone', EMPTY);
    } catch {
      // It is recovered once more, as the closed session that it is, and forgotten again.
    }
    this.parts.claims.forget(kept);
  }

  woke(live: LiveSession, session: Session): void {
    const kept = this.#kept.get(live);
    if (kept && !kept.needsWhole) this.#begin(kept, session);
  }

  /** It goes on elsewhere: nothing of it is kept from here, and nothing that was kept goes. */
  letGo(live: LiveSession): void {
    const kept = this.#kept.get(live);
    if (!kept) return;
    kept.isOver = true;
    this.#kept.delete(live);
  }

  /** Saves what no savepoint holds; what cannot be saved is in the log. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { savepoints, claims, log } = this.parts;
    claims.end();
    await savepoints.saveAll(this.#kept.values());
    await claims.release([...this.#kept.values()]);
    log.close();
  }
}
