/**
 * One session of a server: the private copies of a world's services as one thing, wherever it is kept, asked one request at a
 * time (weft.txt 3.3.3, private state and session lifecycle).
 */
import { addressOf, type Json } from '../../../kit/hash.js';
import type { SessionEvents, SessionInfo, SessionLedger, SessionStatus } from '../../api.js';
import type { CallOptions, CallOutcome, Hearing, SessionTool } from '../../tool-host.js';
import type { Once, SessionState } from '../../trainer.js';
import { unknownTool } from '../entry.js';
import { withNotices } from '../notices.js';
import { bundle, unbundle } from '../parcel.js';
import { Session } from '../session.js';
import { isEvents } from '../weaver.js';
import type { Companions } from './companions.js';
import { Deeds, NAMELESS, type Named, named } from './deeds.js';
import type { SessionImage } from './image.js';
import { answerAgain, type Known, Operations } from './operations.js';
import { type Place, parcelOf, park, statesIn, toDisk, toStore, vacate } from './place.js';
import { databaseOf, recordOf, stateOf, toolGroupsOf } from './readings.js';
import { noScenario, notOpen, rolledBack, wrongSeq } from './refusals.js';
import { imageOfActive, imageOfResting } from './saved.js';
import type { ServedBook } from './served-book.js';
import { type Stance, sessionInfo, stanceOf } from './session-info.js';
import { Snapshots } from './snapshots.js';
import type { CallingAgent, House, LiveStart } from './start.js';
import { after, type Maybe, Turns } from './turns.js';

const FORKED: Named = { ...NAMELESS };

export class LiveSession {
  status: SessionStatus = 'open';
  /** The agent's last words, where they were given at the end. */
  answer = '';
  usedAt: number;
  /** In the order of opening; the roll counts. */
  number = 0;
  /** State-changing requests so far. */
  seq = 0;
  /** Requests up to this one were acknowledged and then lost with their process, and nobody was told yet. */
  lost: number | undefined;
  readonly turns = new Turns();
  /** Of the agent's client; only sessions of scenarios have anything to hear. */
  readonly hearing: Hearing | undefined;
  readonly operations = new Operations();
  readonly deeds = new Deeds();
  readonly snapshots = new Snapshots();
  readonly #offered: ReadonlySet<string>;
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
  get clock(): number {
    return this.#place.at === 'active' ? this.#place.session.clock : this.#clock;
  }
  get canLeaveDisk(): boolean {
    return this.house.storage.blobs !== undefined;
  }

  info(): SessionInfo {
    return sessionInfo(this);
  }

  /** Lets virtual time pass, as if nobody had called for so many seconds. Answers with the time then. */
  advance(seconds: number): Maybe<number> {
    return this.onOpen((session) => this.#changed(session, named(undefined, 'advance'), session.advance(seconds)));
  }

  tools(): SessionTool[] {
    return this.groups().flat();
  }

  /** Of all services, or of one. */
  groups(service?: string): (readonly SessionTool[])[] {
    return toolGroupsOf(this, this.#offered, service);
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
      if (this.status === 'open') return work(session);
      // That it is paused may be what came back with a loss.
      this.needTold();
      throw notOpen(this.status, this.id);
    });
  }

  /**
   * One call: the trainer's, or an agent's own. Throws what `onOpen` throws, `operation_conflict`, `rolled_back`, `wrong_seq`, and why
   * a call cannot be kept where calls are.
   */
  call(name: string, args: unknown, options: CallOptions = {}, agent?: CallingAgent): Maybe<CallOutcome> {
    const { operation, forwarded, ifSeq } = options;
    return this.onOpen((session) => {
      const known =
        (operation === undefined ? undefined : this.operations.find(operation, name, args)) ??
        (forwarded === undefined ? undefined : this.operations.of(forwarded));
      const { keeping } = this.house;
      if (known) {
        const again = answerAgain(this.book, known);
        return keeping ? after(keeping.repeated(this, session), () => again) : again;
      }
      this.needTold(ifSeq);
      keeping?.ready();
      return after(this.#run(session, name, args, options, agent), (outcome) => {
        this.seq++;
        const id = operation ?? forwarded;
        const said = operation === undefined ? undefined : { tool: name, args };
        const kept = id === undefined ? undefined : this.operations.keep(id, said, outcome);
        if (!keeping) return outcome;
        const named = kept && ([id, kept] as [string, Known]);
        return after(keeping.called(this, session, { outcome, operation: named }), () => outcome);
      });
    });
  }

  /** Tells once what was lost. Throws `rolled_back`, and `wrong_seq` where the caller expects another. */
  needTold(ifSeq?: number): void {
    const { lost, seq } = this;
    this.lost = undefined;
    if (lost !== undefined && ifSeq !== seq) throw rolledBack(this.id, seq, lost);
    if (ifSeq !== undefined && ifSeq !== seq) throw wrongSeq(this.id, seq, ifSeq);
  }

  /** A state-changing request that was no call is done: it counts, and is kept before it is acknowledged. */
  #changed<T = Stance>(session: Session | undefined, by: Named, said?: T): Maybe<T> {
    this.seq++;
    const answer = said ?? (stanceOf(this) as T);
    this.deeds.keep(by, answer as Json);
    const kept = this.house.keeping?.changed(this, session);
    return kept instanceof Promise ? kept.then(() => answer) : answer;
  }

  /** Does `work` unless the session did it before under that name, and then answers as it did. Tells first of what was lost. */
  #once<T>(session: Session | undefined, by: Named, work: () => Maybe<T>): Maybe<T> {
    const done = this.deeds.find(by);
    if (!done) {
      // One that becomes its branches was told when it was forked.
      if (by !== FORKED) this.needTold();
      return work();
    }
    const again = done.answer as T;
    const { keeping } = this.house;
    return keeping ? after(keeping.repeated(this, session), () => again) : again;
  }

  get #active(): Session | undefined {
    return this.#place.at === 'active' ? this.#place.session : undefined;
  }

  /** Of a session that opens, pauses or became its branches; in its turn only. `work` comes before and may refuse. */
  become(status: SessionStatus, once?: Once, work?: () => Maybe<void>): Maybe<Stance> {
    const by = status === 'forked' ? FORKED : named(once, status);
    return this.#once(this.#active, by, () =>
      after(work?.(), () => {
        this.status = status;
        return this.#changed(this.#active, by);
      }),
    );
  }

  #run(session: Session, name: string, args: unknown, options: CallOptions, agent?: CallingAgent): Maybe<CallOutcome> {
    const outcome =
      agent?.service === undefined || this.isOf(agent.service, name)
        ? (this.companions.call(session, name, args) ?? session.perform(name, args, options))
        : session.note({ tool: name, args }, unknownTool(name));
    const isTold = this.hearing !== undefined && (agent === undefined || this.start.notices !== 'control');
    return isTold ? after(outcome, (made) => withNotices(session, made)) : outcome;
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
  takeNotices(once?: Once): Maybe<Pick<SessionEvents, 'notices'>> {
    const by = named(once, 'notices');
    return this.on((session) => {
      if (!isEvents(session.woven)) throw noScenario(this.id);
      const { woven } = session;
      return this.#once(session, by, () => {
        const notices = woven.tellAll(session.calls);
        if (notices.length > 0) return this.#changed(session, by, { notices });
        this.deeds.keep(by, { notices: [] });
        return { notices };
      });
    });
  }

  takeSnapshot(once?: Once): Maybe<{ snapshot: string; hash: string }> {
    const by = named(once, 'snapshot');
    return this.on((session) =>
      this.#once(session, by, () =>
        after(this.companions.save(), (copies) => {
          const snapshot = this.snapshots.take(session, copies);
          return this.#changed(session, by, { snapshot, hash: session.hash() });
        }),
      ),
    );
  }

  dropSnapshot(snapshot: string, once?: Once): Maybe<void> {
    const by = named(once, 'drop', snapshot);
    return this.on((session) =>
      this.#once(session, by, () =>
        after(this.companions.discard(this.snapshots.drop(snapshot)), () => this.#changed(session, by)),
      ),
    ) as Maybe<void>;
  }

  record(): SessionLedger {
    return recordOf(this);
  }

  state(): Maybe<SessionState> {
    return this.on(stateOf);
  }

  /** A service's database as a SQLite file. Throws `unknown_service`. */
  image(service: string, which: 'initial' | 'final'): Maybe<Uint8Array> {
    return this.on((session) => databaseOf(session, service, which));
  }

  /** As `on`, once, of a session that is neither closed nor its branches. */
  #onUnended(by: Named, work: (session: Session) => Maybe<Stance>): Maybe<Stance> {
    return this.on((session) =>
      this.#once(session, by, () => {
        if (this.status === 'forked' || this.status === 'closed') throw notOpen(this.status, this.id);
        return work(session);
      }),
    );
  }

  restore(snapshot: string, once?: Once): Maybe<Stance> {
    const by = named(once, 'restore', snapshot);
    return this.#onUnended(by, (session) => {
      return after(this.companions.load(this.snapshots.copiesOf(snapshot)), () => {
        this.snapshots.restore(session, snapshot);
        this.operations.cutTo(session.calls);
        return this.#changed(session, by);
      });
    });
  }

  reset(fresh: () => ServedBook, once?: Once): Maybe<Stance> {
    const by = named(once, 'reset');
    return this.#onUnended(by, (session) =>
      after(this.companions.renew(), () => {
        session.reset(fresh());
        this.operations.cutTo(0);
        this.status = 'open';
        return this.#changed(session, by);
      }),
    );
  }

  /** A session on a fork of this one's; `companions` were copied before. */
  branch(session: Session, start: LiveStart, companions: Companions): LiveSession {
    this.house.worlds.hold(this.start.ground);
    const branch = new LiveSession(this.house, start, session, session.book as ServedBook, companions);
    branch.lost = this.lost;
    return branch;
  }

  /** Compresses what the session holds. False when it is busy or at rest already. */
  park(): boolean {
    if (this.#place.at !== 'active' || this.turns.isBusy) return false;
    const { session } = this.#place;
    this.#book = session.book as ServedBook;
    this.#clock = session.clock;
    this.snapshots.freeze(() => session.world);
    this.#place = park(session);
    this.house.worlds.letGo(this.start.ground);
    this.house.keeping?.rested(this);
    return true;
  }

  /** From memory to disk, its ledger too. Throws `disk_full` or `park_failed`, and stays in memory then. */
  async leaveMemory(): Promise<void> {
    await this.turns.run(async () => {
      if (this.#place.at !== 'parked') return;
      const bytes = bundle([
        this.#place.bytes,
        ...this.snapshots.freeze(() => this.house.worlds.get(this.start.ground)),
      ]);
      this.#place = await toDisk({ bytes }, this.house.storage, this.id);
      this.snapshots.giveUp();
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
        if (place.at !== 'parked') this.snapshots.giveBack(snapshots);
        vacate(place, storage.blobs);
        this.#place = { at: 'active', session };
        this.house.keeping?.woke(this, session);
        return session;
      } catch (thrown) {
        worlds.letGo(this.start.ground);
        throw thrown;
      }
    });
  }

  /** All of it as data, wherever it is; in its turn only. */
  toImage(): Maybe<SessionImage> {
    const place = this.#place;
    if (place.at === 'active') return imageOfActive(this, place.session);
    return after(parcelOf(place, this.house.storage.blobs), (bytes) => imageOfResting(this, place.at, bytes));
  }

  /** Ends it: processes and folders of its own go, its final state and ledger stay to be read. Closing twice is allowed. */
  close(answer?: string): Maybe<void> {
    return this.turns.run(() => {
      if (answer !== undefined) this.answer = answer;
      if (this.status === 'closed') return this.house.keeping?.repeated(this, this.#active);
      this.status = 'closed';
      this.house.ended(this);
      for (const id of this.snapshots.ids()) this.snapshots.drop(id);
      return after(this.companions.close(), () => this.#changed(this.#active, NAMELESS) as Maybe<void>);
    });
  }

  /** Gives everything back; with `isKept` it goes on elsewhere, and what is kept of it stays. */
  forget(isKept = false): void {
    if (!isKept) this.house.keeping?.forgotten(this);
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
