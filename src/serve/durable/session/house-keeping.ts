/**
 * One process's part in keeping sessions: its lease, its log, its savepoints, and what it takes up from processes that are gone. The
 * process that has no front does all of it alone, and is itself one worker with a lease and generations (serving.md, seams).
 */
import { join } from 'node:path';
import { asTreadleError, TreadleError } from '../../../errors.js';
import type { KeepingFigures } from '../../api.js';
import type { Blobs } from '../../blobs/blobs.js';
import type { Keeping } from '../../sessions/server/keeping.js';
import type { SessionServer } from '../../sessions/server/session-server.js';
import { type Clock, processClock } from '../clock.js';
import type { DiskWatch } from '../disk-watch.js';
import { type FaultPoints, NO_FAULTS } from '../faults/fault-points.js';
import { openPageLog } from '../log/file-log.js';
import type { PageLog } from '../log/page-log.js';
import type { Head, Ownership } from '../ownership/ownership.js';
import { Claims } from './claims.js';
import type { Durability } from './durability.js';
import { Keeper } from './keeper.js';
import type { Kept } from './kept.js';
import { LeaseKeeping } from './lease.js';
import { deadLogs, logFolder, readLogs, removeLogs } from './logs.js';
import { Pins } from './pins.js';
import { type Recovered, Recovery } from './recovery.js';
import { SAVEPOINT_TIMES, Savepoints, type SavepointTimes } from './savepoints.js';

export interface HouseKeepingOptions {
  /** Of the process; an incarnation of it is `name#uuid`. */
  name: string;
  /** The data folder; logs lie in `logs/`. */
  folder: string;
  durability: Durability;
  ownership: Ownership;
  blobs: Blobs;
  clock?: Clock;
  faults?: FaultPoints;
  leaseMs?: number;
  /** Says when nothing more may be taken. */
  disk?: Pick<DiskWatch, 'needRoom' | 'free'>;
  times?: Partial<SavepointTimes>;
  /** Beyond it calls are refused until savepoints catch up. */
  mostLogBytes?: number;
  /** Of a file of the log. */
  segmentBytes?: number;
  /** The lease was lost; absent: it is taken again, and with it every session that nobody took meanwhile. */
  lost?: () => void;
  onDefect: (error: TreadleError) => void;
}

export const LEASE_MS = 10_000;
const LOG_BYTES = 1_073_741_824;
const ROUND_MS = 100;
const RETRY_MS = 2_000;

export interface TakenUp {
  sessions: Recovered[];
  damage: ReturnType<typeof readLogs>['damage'];
}

export class HouseKeeping {
  readonly keeper: Keeper;
  readonly savepoints: Savepoints;
  readonly claims: Claims;
  readonly pins = new Pins();
  readonly counts = { recovered: 0, rolledBack: 0, lost: 0, moved: 0 };
  readonly #timer: NodeJS.Timeout;
  #server: SessionServer | undefined;
  #lease: LeaseKeeping;
  /** Sessions that are ours and cannot be had now. */
  readonly missing = new Map<string, string>();
  #isClosed = false;

  private constructor(
    readonly options: HouseKeepingOptions & { clock: Clock; faults: FaultPoints; leaseMs: number },
    readonly log: PageLog,
    lease: LeaseKeeping,
  ) {
    const { ownership, blobs, clock, faults, onDefect, durability } = options;
    this.#lease = lease;
    const incarnation = (): string => this.incarnation;
    const fenced = (kept: Kept): void => this.#fenced(kept);
    const unused = (keys: readonly string[]): void => this.#unused(keys);
    const covered = (kept: Kept, head: Head): void => {
      kept.head = head;
      kept.wrote(head.gen, head.seq);
      this.#free(kept, head);
    };
    const ended = (kept: Kept): void => this.#free(kept, { gen: kept.gen, seq: kept.live.seq });
    this.claims = new Claims({ ownership, incarnation, clock, fenced, ended, unused, onDefect });
    const times = { ...SAVEPOINT_TIMES, ...options.times };
    const { pins } = this;
    const parts = { blobs, log, claims: this.claims, pins, clock, faults };
    this.savepoints = new Savepoints({ ...parts, times, fenced, covered, unused, onDefect });
    const mostLogBytes = options.mostLogBytes ?? LOG_BYTES;
    this.keeper = new Keeper({ durability, ...parts, mostLogBytes, savepoints: this.savepoints });
    this.#timer = setInterval(() => this.savepoints.round(this.keeper.all()), ROUND_MS);
    this.#timer.unref();
  }

  /** Throws what registering and opening the log throw. */
  static async open(given: HouseKeepingOptions): Promise<HouseKeeping> {
    const options = { clock: processClock, faults: NO_FAULTS, leaseMs: LEASE_MS, ...given };
    const { ownership, clock, faults, leaseMs: ms, onDefect, name } = options;
    let made: HouseKeeping | undefined;
    const lost = (): void => {
      if (given.lost) given.lost();
      else void made?.registerAgain();
    };
    const lease = await LeaseKeeping.begin(name, { ownership, clock, faults, ms, lost, onDefect });
    try {
      const log = openPageLog(logFolder(join(options.folder, 'logs'), lease.incarnation), {
        faults,
        ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
      });
      made = new HouseKeeping(options, log, lease);
      return made;
    } catch (thrown) {
      lease.end();
      throw thrown;
    }
  }

  get incarnation(): string {
    return this.#lease.incarnation;
  }

  /** For the options of the server whose sessions are kept. */
  readonly keeping = (server: SessionServer): Keeping => {
    this.#server = server;
    const { keeper } = this;
    const close = (): Promise<void> => this.close();
    return {
      ready: () => {
        this.options.disk?.needRoom();
        keeper.ready();
      },
      opened: (...given) => keeper.opened(...given),
      called: (...given) => keeper.called(...given),
      repeated: (...given) => keeper.repeated(...given),
      changed: (...given) => keeper.changed(...given),
      rested: (live) => keeper.rested(live),
      woke: (...given) => keeper.woke(...given),
      forgotten: (live) => keeper.forgotten(live),
      figures: () => this.figures(),
      close,
    };
  };

  figures(): KeepingFigures {
    const { saved, fenced, failed, bytes } = this.savepoints.counts;
    const all = [...this.keeper.all()];
    let unsaved = 0;
    for (const kept of all) if (kept.unsaved > 0) unsaved++;
    return {
      durability: this.options.durability,
      kept: all.length,
      unsaved,
      savepointLagMs: Math.round(this.savepoints.lagMs(all)),
      savepoints: { saved, fenced, failed, bytes },
      log: { bytes: this.log.bytes, segments: this.log.segments, records: this.log.written },
      leaseLeftMs: Math.round(this.#lease.leftMs),
      recoveries: { ...this.counts, missing: this.missing.size },
    };
  }

  /** Nobody refers to these any more, but for forks that were made of them. */
  #unused(keys: readonly string[]): void {
    for (const key of this.pins.free(keys)) void this.options.blobs.delete(key).catch(() => {});
  }

  /** What the session was in the log, or of savepoints of others, up to here is of no use. */
  #free({ live }: Kept, { gen, seq }: Pick<Head, 'gen' | 'seq'>): void {
    this.log.covered(live.id, gen, seq);
    for (const key of this.pins.release(live.id)) void this.options.blobs.delete(key).catch(() => {});
  }

  get #recovery(): Recovery {
    const server = this.#server as SessionServer;
    const { ownership, blobs, faults, onDefect } = this.options;
    return new Recovery({
      ownership,
      incarnation: () => this.incarnation,
      blobs,
      log: this.log,
      keeper: this.keeper,
      unused: (keys) => this.#unused(keys),
      faults,
      revive: (image, deltas) => server.revive(image, deltas),
      onDefect,
    });
  }

  /**
   * Sessions of processes that are gone go on here: those named, or all that nobody alive owns. `folders`: logs of the dead; those that
   * are not needed any more are removed by whoever sees that all of their sessions were taken up.
   */
  async adopt(folders: readonly string[], sessions?: readonly string[]): Promise<TakenUp> {
    const left = readLogs(folders, sessions && new Set(sessions));
    const { records, damage, pinned } = left;
    this.pins.leave(pinned);
    const known = sessions ?? [...(await this.#unowned()), ...records.keys()];
    this.#leave(new Set(known));
    const taken = await this.#recovery.take([...new Set(known)], left);
    await this.log.sync();
    for (const one of taken) this.#count(one);
    return { sessions: taken, damage };
  }

  /** Whoever asks for these to be taken up never heard that they had been here before: nothing was answered since. */
  #leave(sessions: ReadonlySet<string>): void {
    for (const { live } of [...this.keeper.all()]) {
      if (!sessions.has(live.id)) continue;
      this.keeper.letGo(live);
      this.#server?.letGo(live);
    }
  }

  async #unowned(): Promise<string[]> {
    const rows = await this.options.ownership.sessions();
    return rows.filter(({ owner, ownerIsDead }) => owner === null || ownerIsDead).map(({ session }) => session);
  }

  #count(one: Recovered): void {
    if (one.outcome === 'recovered') this.counts.recovered++;
    else if (one.outcome === 'rolled_back') this.counts.rolledBack++;
    else if (one.outcome === 'lost') this.counts.lost++;
    if (one.outcome === 'gone') this.#server?.roll.over(one.session);
    if (one.outcome === 'lost') this.#server?.lose(one.session, one.why, one.mayReturn);
    if (one.outcome === 'lost' && one.mayReturn) this.missing.set(one.session, one.why);
    else this.missing.delete(one.session);
  }

  /**
   * Of the process that has the data folder alone: whoever was there before is dead, and all that they left goes on here. Sessions whose
   * savepoint cannot be fetched now are tried again.
   */
  async takeOver(): Promise<TakenUp> {
    const { ownership, folder } = this.options;
    for (const { incarnation } of await ownership.workers())
      if (incarnation !== this.incarnation) await ownership.bury(incarnation);
    const folders = deadLogs(join(folder, 'logs'), [this.incarnation]);
    const taken = await this.adopt(folders);
    if (this.missing.size === 0) removeLogs(folders);
    else void this.#seek(folders);
    await ownership.reap();
    return taken;
  }

  async #seek(folders: readonly string[]): Promise<void> {
    while (this.missing.size > 0 && !this.#isClosed) {
      await this.options.clock.sleep(RETRY_MS);
      if (this.#isClosed) return;
      try {
        await this.adopt(folders, [...this.missing.keys()]);
      } catch (thrown) {
        this.options.onDefect(asTreadleError(thrown, 'infrastructure'));
      }
    }
    if (!this.#isClosed) removeLogs(folders);
  }

  /** Each is saved and let go of, to go on elsewhere; those that cannot be saved stay. Answers with those that went. */
  async release(sessions: readonly string[]): Promise<string[]> {
    const server = this.#server as SessionServer;
    const went: Kept[] = [];
    const work = async (id: string): Promise<void> => {
      const kept = this.#keptOf(id);
      if (!kept) return;
      await this.#saveForks(id);
      await kept.live.turns.run(async () => {
        // Whoever has the session next knows nothing of forks here that need its savepoint.
        if (this.#forksOf(id).length > 0) return;
        // One under way may still fail, or come after somebody else claimed the session.
        if ((kept.unsaved > 0 || kept.isSaving) && !(await this.savepoints.saveNow(kept))) return;
        this.keeper.letGo(kept.live);
        server.letGo(kept.live);
        went.push(kept);
      });
    };
    await Promise.all(sessions.map(work));
    const ids = went.map(({ live }) => live.id);
    try {
      await this.options.ownership.release(this.incarnation, ids);
    } catch (thrown) {
      // They are not here any more, whatever the store says: whoever takes them up is told to ask for them here.
      this.options.onDefect(asTreadleError(thrown, 'infrastructure'));
    }
    this.counts.moved += ids.length;
    return ids;
  }

  #forksOf(id: string): Kept[] {
    return this.pins.dependents(id).flatMap((fork) => this.#keptOf(fork) ?? []);
  }

  async #saveForks(id: string): Promise<void> {
    for (const fork of this.#forksOf(id))
      if (this.pins.keysOf(fork.live.id).length > 0) await this.savepoints.save(fork);
  }

  #keptOf(id: string): Kept | undefined {
    for (const kept of this.keeper.all()) if (kept.live.id === id) return kept;
    return undefined;
  }

  /** Another has it: what is here is not the session any more. */
  #fenced(kept: Kept): void {
    this.keeper.letGo(kept.live);
    this.#server?.letGo(kept.live);
    this.options.onDefect(
      new TreadleError({
        code: 'fenced',
        message: 'Another process owns the session now; it is let go of here',
        value: kept.live.id,
        fault: 'infrastructure',
      }),
    );
  }

  /** After the lease was lost: sessions that nobody claimed since are as they were left, and stay. */
  async registerAgain(): Promise<void> {
    const { ownership, clock, faults, leaseMs: ms, onDefect, name } = this.options;
    const lost = (): void => void this.registerAgain();
    try {
      this.#lease = await LeaseKeeping.begin(name, { ownership, clock, faults, ms, lost, onDefect });
      const all = [...this.keeper.all()];
      const claims = await ownership.claim(
        this.incarnation,
        all.map(({ live }) => live.id),
      );
      for (const [i, claim] of claims.entries()) {
        const kept = all[i] as Kept;
        if (!claim.granted || claim.gen > kept.gen + 1) this.#fenced(kept);
        else kept.gen = claim.gen;
      }
    } catch (thrown) {
      onDefect(asTreadleError(thrown, 'infrastructure'));
      await clock.sleep(ms / 3);
      if (!this.#isClosed) await this.registerAgain();
    }
  }

  /** Ends at once and saves nothing, as the death of its process would. */
  abandon(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#lease.end();
    for (const { live } of [...this.keeper.all()]) this.keeper.letGo(live);
    this.log.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.keeper.close();
    this.#lease.end();
    await this.options.ownership.bury(this.incarnation).catch(() => false);
  }
}
