/**
 * One session of a server: the private copies of a world's services as one thing, wherever it is kept, asked one request at a
 * time (weft.txt 3.3.3, private state and session lifecycle).
 */
import { TreadleError } from '../../../errors.js';
import { addressOf, type Json } from '../../../kit/hash.js';
import type { Caller } from '../../../world/program/types.js';
import type { Labels, Pins, SessionEvents, SessionInfo, SessionLedger, SessionStatus } from '../../api.js';
import type { CallOptions, CallOutcome, Hearing, SessionTool } from '../../tool-host.js';
import type { SessionState } from '../../trainer.js';
import { toolGroups, toolsOfService } from '../describe.js';
import { unknownTool } from '../entry.js';
import { noticesDue } from '../notices.js';
import { bundle, unbundle } from '../parcel.js';
import { Session } from '../session.js';
import { isEvents } from '../weaver.js';
import type { Woven } from '../woven.js';
import type { Companions } from './companions.js';
import { type Known, Operations } from './operations.js';
import { type Place, parcelOf, park, residenceOf, type Storage, statesIn, toDisk, toStore, vacate } from './place.js';
import { noScenario, notOpen } from './refusals.js';
import type { Heard, ServedBook } from './served-book.js';
import { Snapshots } from './snapshots.js';
import { after, type Maybe, Turns } from './turns.js';
import type { WorldCache } from './world-cache.js';

/** What all sessions of a server share. */
export interface House {
  worlds: WorldCache;
  storage: Storage;
  /** Seconds that never go backwards. */
  now: () => number;
  /** Told once when a session closes. */
  ended: (live: LiveSession) => void;
}

export interface LiveStart {
  id: string;
  pins: Pins;
  /** The world it started on, as the cache is asked for it. */
  ground: string;
  labels: Labels;
  services: readonly string[];
  me: Caller;
  idleSeconds: number;
  /** Of its tokens: the whole session's, then one a service in the order of `services`. */
  digests: Buffer;
  parent?: string | undefined;
  /** What is woven into its calls, as it began: what a parcel holds of it is read into this. Forks share it. */
  woven?: Woven | undefined;
  /** Rules of the faults that are. */
  faults?: readonly string[] | undefined;
  /** Who is told of a scenario's events; the agent, in its results, when absent. */
  notices?: 'control' | undefined;
}

/** The agent that makes a call itself, by a token of all its session's services or of one. */
export interface CallingAgent {
  service?: string | undefined;
}

export class LiveSession {
  status: SessionStatus = 'open';
  /** The agent's last words, where they were given at the end. */
  answer = '';
  usedAt: number;
  /** In the order of opening; the roll counts. */
  number = 0;
  readonly turns = new Turns();
  /** Of the agent's client; only sessions of scenarios have anything to hear. */
  readonly hearing: Hearing | undefined;
  readonly #offered: ReadonlySet<string>;
  readonly #operations = new Operations();
  readonly #snapshots = new Snapshots();
  #place: Place;
  #book: ServedBook;
  #clock: number;

  constructor(
    readonly house: House,
    readonly start: LiveStart,
    session: Session,
    book: ServedBook,
    readonly companions: Companions,
  ) {
    this.#place = { at: 'active', session };
    this.#book = book;
    this.#clock = session.clock;
    this.#offered = session.offered;
    this.hearing = isEvents(start.woven) ? {} : undefined;
    this.usedAt = house.now();
  }

  get id(): string {
    return this.start.id;
  }
  get book(): ServedBook {
    return this.#place.at === 'active' ? (this.#place.session.book as ServedBook) : this.#book;
  }
  get place(): Place {
    return this.#place;
  }
  get snapshots(): Snapshots {
    return this.#snapshots;
  }
  get canLeaveDisk(): boolean {
    return this.house.storage.blobs !== undefined;
  }

  info(): SessionInfo {
    const { id, pins, labels, parent, faults, notices } = this.start;
    return {
      id,
      status: this.status,
      residence: residenceOf(this.#place),
      pins,
      labels,
      ...(parent === undefined ? {} : { parent }),
      calls: this.book.length,
      clock: this.#place.at === 'active' ? this.#place.session.clock : this.#clock,
      unforkable: this.companions.unforkable(),
      snapshots: this.#snapshots.ids(),
      ...(this.companions.sandboxFolder === undefined ? {} : { sandbox: this.companions.sandboxFolder }),
      ...(faults ? { faults: [...faults] } : {}),
      ...(notices ? { notices } : {}),
    };
  }

  tools(): SessionTool[] {
    return this.groups().flat();
  }

  /** Of all services, or of one. */
  groups(service?: string): (readonly SessionTool[])[] {
    const world = this.house.worlds.get(this.start.ground);
    if (service !== undefined) return [toolsOfService(world, service)];
    const own = toolGroups(world, this.#offered);
    const { tools = [] } = this.start.woven ?? {};
    if (this.companions.isEmpty && tools.length === 0) return own;
    return [...own, this.companions.tools(), tools].filter(({ length }) => length > 0);
  }

  /** Whether an agent of one service may call it; what no service has is for the session to refuse. */
  isOf(service: string, tool: string): boolean {
    return this.house.worlds.get(this.start.ground).tools.get(tool)?.service.id === service;
  }

  /** Runs `work` on the session as it is, in its turn; woken first where it rests. */
  on<T>(work: (session: Session) => Maybe<T>): Maybe<T> {
    this.usedAt = this.house.now();
    return this.turns.run(() => (this.#place.at === 'active' ? work(this.#place.session) : after(this.#wake(), work)));
  }

  /** As `on`, of an open session only. Throws `session_paused`, `session_forked` or `session_closed`. */
  onOpen<T>(work: (session: Session) => Maybe<T>): Maybe<T> {
    return this.on((session) => {
      if (this.status !== 'open') throw notOpen(this.status, this.id);
      return work(session);
    });
  }

  /** One call: the trainer's, or an agent's own. Throws what `onOpen` throws, and `operation_conflict`. */
  call(name: string, args: unknown, options?: CallOptions, agent?: CallingAgent): Maybe<CallOutcome> {
    const operation = options?.operation;
    return this.onOpen((session) => {
      if (operation === undefined) return this.#run(session, name, args, agent);
      const known = this.#operations.find(operation, name, args);
      if (known) return this.#again(known);
      return after(this.#run(session, name, args, agent), (outcome) => {
        this.#operations.keep(operation, name, args, outcome);
        return outcome;
      });
    });
  }

  #run(session: Session, name: string, args: unknown, agent: CallingAgent | undefined): Maybe<CallOutcome> {
    const outcome =
      agent?.service === undefined || this.isOf(agent.service, name)
        ? (this.companions.call(session, name, args) ?? session.perform(name, args))
        : session.note({ tool: name, args }, unknownTool(name));
    const isTold = this.hearing !== undefined && (agent === undefined || this.start.notices !== 'control');
    return isTold ? after(outcome, (made) => this.#told(session, made)) : outcome;
  }

  #told(session: Session, outcome: CallOutcome): CallOutcome {
    const { woven } = session;
    const notices = isEvents(woven) ? noticesDue(woven, outcome, session.calls) : undefined;
    return notices ? { ...outcome, notices } : outcome;
  }

  #again({ index, status, notices }: Known): CallOutcome {
    const entry = this.book.at(index);
    if (!entry)
      throw new TreadleError({
        code: 'ledger_lost',
        message: 'The call’s record is gone',
        value: index,
        fault: 'infrastructure',
      });
    const { ms: _, ...plain } = entry;
    const error = entry.error && { ...entry.error, status: status ?? 500 };
    const told = notices ? { notices } : {};
    return { ok: entry.ok, result: entry.result, ...(error ? { error } : {}), entry: plain, ...told };
  }

  /** The firing and the delivery log. Throws `no_scenario`. */
  events(): Maybe<SessionEvents> {
    const { scenario } = this.start.pins;
    return this.on(({ woven }) => {
      if (!scenario || !isEvents(woven)) throw noScenario(this.id);
      return structuredClone({ session: this.id, scenario, log: [...woven.log], notices: [...woven.notices] });
    });
  }

  /** What is due, for whoever passes it on; it counts as told. Throws `no_scenario`. */
  takeNotices(): Maybe<Pick<SessionEvents, 'notices'>> {
    return this.on((session) => {
      if (!isEvents(session.woven)) throw noScenario(this.id);
      return { notices: session.woven.tellAll(session.calls) };
    });
  }

  takeSnapshot(): Maybe<{ snapshot: string; hash: string }> {
    return this.on((session) =>
      after(this.companions.save(), (copies) => ({
        snapshot: this.#snapshots.take(session, copies),
        hash: session.hash(),
      })),
    );
  }

  dropSnapshot(snapshot: string): Maybe<void> {
    return this.on(() => this.companions.discard(this.#snapshots.drop(snapshot)));
  }

  /** The ledger with wall-clock times. */
  record(): SessionLedger {
    const { id, labels, pins } = this.start;
    return { session: id, labels, pins, entries: [...this.book.served()] };
  }

  state(): Maybe<SessionState> {
    return this.on((session) => ({
      hash: session.hash(),
      clock: session.clock,
      changes: session.diff() as unknown as Record<string, Json>,
      files: session.workspace.list(),
    }));
  }

  /** A service's database as a SQLite file. Throws `unknown_service`. */
  image(service: string, which: 'initial' | 'final'): Maybe<Uint8Array> {
    return this.on((session) => {
      const loaded = session.world.services.get(service);
      if (which === 'initial' && loaded) return loaded.pristine.bytes();
      return session.view(service).bytes();
    });
  }

  restore(snapshot: string): Maybe<void> {
    return this.on((session) => {
      if (this.status === 'forked' || this.status === 'closed') throw notOpen(this.status, this.id);
      return after(this.companions.load(this.#snapshots.copiesOf(snapshot)), () => {
        this.#snapshots.restore(session, snapshot);
        this.#operations.cutTo(session.calls);
      });
    });
  }

  reset(fresh: () => ServedBook): Maybe<void> {
    return this.on((session) => {
      if (this.status === 'forked' || this.status === 'closed') throw notOpen(this.status, this.id);
      return after(this.companions.renew(), () => {
        session.reset(fresh());
        this.#operations.cutTo(0);
        this.status = 'open';
      });
    });
  }

  /** A session from exactly this state; `companions` were copied before. */
  branch(session: Session, start: LiveStart, heard: Heard, companions: Companions): LiveSession {
    const book = this.book.forkFor(heard);
    this.house.worlds.hold(this.start.ground);
    return new LiveSession(this.house, start, session.fork(start.id, book), book, companions);
  }

  /** Compresses what the session holds. False when it is busy or at rest already. */
  park(): boolean {
    if (this.#place.at !== 'active' || this.turns.isBusy) return false;
    const { session } = this.#place;
    this.#book = session.book as ServedBook;
    this.#clock = session.clock;
    this.#snapshots.freeze(() => session.world);
    this.#place = park(session);
    this.house.worlds.letGo(this.start.ground);
    return true;
  }

  /** From memory to disk, its ledger too. Throws `disk_full` or `park_failed`, and stays in memory then. */
  async leaveMemory(): Promise<void> {
    await this.turns.run(async () => {
      if (this.#place.at !== 'parked') return;
      const bytes = bundle([
        this.#place.bytes,
        ...this.#snapshots.freeze(() => this.house.worlds.get(this.start.ground)),
      ]);
      this.#place = await toDisk({ bytes }, this.house.storage, this.id);
      this.#snapshots.giveUp();
      this.#book.rest();
    });
  }

  /** From disk to the blob store. */
  async leaveDisk(): Promise<void> {
    const { blobs } = this.house.storage;
    if (!blobs) return;
    await this.turns.run(async () => {
      if (this.#place.at === 'disk') this.#place = await toStore(this.#place, blobs, this.id);
    });
  }

  #wake(): Maybe<Session> {
    const place = this.#place;
    if (place.at === 'active') return place.session;
    const { worlds, storage } = this.house;
    return after(parcelOf(place, storage.blobs), (bytes) => {
      const [own = bytes, ...snapshots] = place.at === 'parked' ? [bytes] : unbundle(bytes);
      const world = worlds.hold(this.start.ground);
      const { id, services, me } = this.start;
      try {
        const { woven: saved, ...rest } = statesIn(world, own);
        const woven = saved === undefined ? undefined : this.start.woven?.loaded(saved);
        const session = Session.resume(world, { id, services, me, book: this.#book }, { ...rest, woven });
        if (place.at !== 'parked') this.#snapshots.giveBack(snapshots);
        vacate(place, storage.blobs);
        this.#place = { at: 'active', session };
        return session;
      } catch (thrown) {
        worlds.letGo(this.start.ground);
        throw thrown;
      }
    });
  }

  /** Ends it: processes and folders of its own go, its final state and ledger stay to be read. Closing twice is allowed. */
  close(answer?: string): Maybe<void> {
    return this.turns.run(() => {
      if (answer !== undefined) this.answer = answer;
      if (this.status === 'closed') return undefined;
      this.status = 'closed';
      this.house.ended(this);
      for (const id of this.#snapshots.ids()) this.#snapshots.drop(id);
      return this.companions.close();
    });
  }

  /** Gives everything back. */
  forget(): void {
    this.status = 'closed';
    if (this.#place.at === 'active') {
      this.#book = this.#place.session.book as ServedBook;
      this.house.worlds.letGo(this.start.ground);
    }
    vacate(this.#place, this.house.storage.blobs);
    this.#book.drop();
    void this.companions.close();
  }

  /** Content address of the task it was opened on; its own id where there is none. */
  get subject(): string {
    return this.start.pins.task?.hash ?? addressOf({ session: this.id });
  }
}
