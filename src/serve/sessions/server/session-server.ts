/**
 * The sessions of one server (weft.txt 3.3.3): opened from the registry, reached by token, forked, paused, parked, verified and
 * closed as wholes. In process; HTTP, the gyms and the client sit on top.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { asTreadleError, type TreadleError } from '../../../errors.js';
import type {
  ForkRequest,
  Labels,
  OpenedSession,
  OpenRequest,
  Pin,
  Pins,
  ServedVerdict,
  SessionInfo,
  VerifyRequest,
} from '../../api.js';
import { SessionFaults } from '../../faults/session-faults.js';
import type { Doorkeeper, Found } from '../../http/keeper.js';
import { Statistics } from '../../ledger/statistics.js';
import { LedgerStore } from '../../ledger/store.js';
import type { Registry } from '../../registry/registry.js';
import { StartQueue } from '../../start-queue.js';
import type { Once } from '../../trainer.js';
import { actorOf } from '../caller.js';
import { Session } from '../session.js';
import { beginCompanions, copyCompanions } from './begin-companions.js';
import { type Companions, NO_COMPANIONS } from './companions.js';
import { serverFolder } from './folder.js';
import { type Grant, type Granting, granting } from './grants.js';
import type { CallDelta, SavedStart, SessionImage } from './image.js';
import type { Keeping, Parent } from './keeping.js';
import { LiveSession } from './live-session.js';
import { openedOf } from './opened.js';
import { type Opening, Openings } from './openings.js';
import { SERVER_LIMITS, type ServerLimits, type SessionServerOptions, sourcesOf } from './options.js';
import { atCapacity, lostSession, notForkable, notOpen } from './refusals.js';
import { sweep } from './residence.js';
import { type Revived, revive } from './revive.js';
import { Roll } from './roll.js';
import { Scenarios } from './scenarios.js';
import { type Heard, servedBook } from './served-book.js';
import type { House, LiveStart } from './start.js';
import { mintId, mintTokens } from './tokens.js';
import { after, type Maybe } from './turns.js';
import { judge } from './verdicts.js';
import { WorldCache } from './world-cache.js';

const SWEEP_MS = 1_000;
const AGAIN_MS = 5;

export class SessionServer implements Doorkeeper {
  readonly statistics = new Statistics();
  readonly ledgers: LedgerStore;
  readonly openings: Openings;
  readonly granting: Granting;
  readonly scenarios: Scenarios;
  readonly limits: ServerLimits;
  readonly folder: string;
  /** Where agents connect: set by whoever listens. */
  urlOf: (id: string, service?: string) => string = (id, service) => `in-process:${id}${service ? `/${service}` : ''}`;
  /** Where a session is reached as the API of its services, if it is: set by whoever serves that. */
  restOf: (start: LiveStart) => string | undefined = () => undefined;
  readonly starts: StartQueue;
  /** Set by whoever reads worlds and tasks ahead. */
  isWarming = false;
  /** Since the start, by error code. */
  readonly refusedOpens: Record<string, number> = {};
  readonly roll: Roll;
  readonly #house: House;
  readonly #removeFolder: boolean;
  readonly #faults: SessionFaults;
  #refusing: TreadleError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(readonly options: SessionServerOptions) {
    this.limits = { ...SERVER_LIMITS, ...options.limits };
    const { folder, isOurs } = serverFolder(options.folder);
    this.folder = folder;
    this.#removeFolder = isOurs;
    this.roll = new Roll(this.limits.closed);
    this.#faults = new SessionFaults(options.faults);
    this.scenarios = new Scenarios(options.registry, options.weaver);
    this.granting = granting(options.secret ?? randomBytes(32));
    this.openings = new Openings(options.registry, this.scenarios);
    this.ledgers = new LedgerStore({
      folder: `${folder}/ledgers`,
      memoryBytes: this.limits.ledgerBytes,
      onDefect: (error) => this.#failed(error),
    });
    this.#house = {
      worlds: new WorldCache(options.engine, sourcesOf(options), this.limits.worlds),
      storage: { folder, blobs: options.blobs },
      now: this.limits.now,
      ended: (live) => this.roll.ended(live),
      keeping: options.keeping?.(this),
    };
    this.starts = new StartQueue(this.limits.starts, this.limits.startSeconds * 1_000);
    this.#schedule(SWEEP_MS);
  }

  get registry(): Registry {
    return this.options.registry;
  }
  get worlds(): WorldCache {
    return this.#house.worlds;
  }
  get keeping(): Keeping | undefined {
    return this.#house.keeping;
  }
  /** Sessions that are not closed. */
  get size(): number {
    return this.roll.open;
  }
  /** Why no session is opened now. */
  get refusing(): TreadleError | undefined {
    return this.ledgers.failing ?? this.#refusing;
  }

  /** Throws `at_capacity` or what keeps the server from taking sessions, both retryable. */
  needRoom(count = 1): void {
    const reason =
      this.refusing ??
      this.#unable() ??
      (this.roll.open + count > this.limits.capacity ? atCapacity(this.limits.capacity) : undefined);
    if (reason === undefined) return;
    this.refusedOpens[reason.code] = (this.refusedOpens[reason.code] ?? 0) + 1;
    throw reason;
  }

  /** Why nothing new could be kept. */
  #unable(): TreadleError | undefined {
    try {
      this.#house.keeping?.ready();
      return undefined;
    } catch (thrown) {
      return asTreadleError(thrown, 'infrastructure');
    }
  }

  /** `grant`: its id and what its tokens are made of, where somebody chose them. */
  open(request: OpenRequest, grant?: Grant): Maybe<OpenedSession> {
    this.needRoom();
    const opening = this.openings.of(request);
    const { pins, ground, services, brief } = opening;
    const id = grant?.id ?? mintId();
    const made = beginCompanions(this, pins, request.sandbox === true, `${this.folder}/${id}`);
    return after(made, (companions) => {
      try {
        this.needRoom();
        // Before anything is held: it may be refused.
        const { woven, faults } = this.#woven(request, opening);
        const world = this.worlds.hold(ground);
        const labels = request.labels ?? {};
        const book = servedBook(this.ledgers.open(), this.#heard(pins, labels));
        const me = opening.me ?? actorOf(world);
        const idleSeconds = request.idleSeconds ?? this.limits.idleSeconds;
        const notices = request.notices === 'control' ? request.notices : undefined;
        const { print } = grant ?? {};
        const start = { id, pins, ground, labels, services, me, idleSeconds, print, woven, faults, notices };
        const session = Session.open(world, { id, services, me, book, ...(woven ? { woven } : {}) });
        const make = (full: LiveStart): LiveSession => new LiveSession(this.#house, full, session, book, companions);
        return this.#admit(start, session, make, { brief, seed: grant?.seed });
      } catch (thrown) {
        void companions.close();
        throw thrown;
      }
    });
  }

  /** Its scenario's events or its faults. Throws `two_engines`, `bad_fault`, and what is wrong with the scenario. */
  #woven(request: OpenRequest, { pins, scenario, ground }: Opening): Pick<LiveStart, 'woven' | 'faults'> {
    if (!scenario) {
      const plan = this.#faults.of(request, (pins.task ?? pins.world).name);
      return plan ? { woven: plan, faults: plan.rules.map(({ text }) => text) } : {};
    }
    this.#faults.needNone(request, scenario.pin.name);
    return {
      woven: this.scenarios.begin(scenario, (pins.verifier as Pin).hash, () => this.worlds.get(ground).tools.keys()),
    };
  }

  /** Registers a session and mints its tokens, shown this once. */
  #admit(
    start: Omit<LiveStart, 'digests'>,
    session: Session,
    make: (start: LiveStart) => LiveSession,
    { brief, forked, seed }: { brief?: string | undefined; forked?: Parent; seed?: string | undefined } = {},
  ): OpenedSession {
    const { tokens, digests } = mintTokens(start.id, start.services.length + 1, seed);
    // Written out: a spread may give each object a shape of its own, and there are thousands.
    const { id, pins, ground, labels, services, me, idleSeconds, parent, print, woven, faults, notices } = start;
    const own = { id, pins, ground, labels, services, me, idleSeconds, digests, parent, print, woven, faults, notices };
    const live = make(own);
    try {
      this.#house.keeping?.opened(live, session, forked);
    } catch (thrown) {
      live.forget(true);
      throw thrown;
    }
    this.roll.add(live);
    return openedOf(live, tokens, this, brief);
  }

  #heard(pins: Pins, labels: Labels): Heard {
    return ({ service, tool, toolVersion, ok, error }, ms) =>
      this.statistics.record({
        service,
        serviceHash: (pins.services[service] ?? pins.servers[service])?.hash ?? '',
        tool: toolVersion === '' ? '' : tool,
        toolVersion,
        ok,
        ...(error ? { fault: error.fault, code: error.code } : {}),
        ms,
        labels,
      });
  }

  /** Throws `unknown_session`. */
  live(id: string): LiveSession {
    return this.roll.get(id);
  }

  /** One that nobody was told of ends, and nothing is kept of it. False where somebody used it. */
  discard(id: string): boolean {
    const live = this.live(id);
    if (live.seq === 0) this.roll.letGo(live, false);
    return live.seq === 0;
  }

  all(): Iterable<LiveSession> {
    return this.roll.all();
  }

  find(token: string): Found {
    return this.roll.find(token, this.limits.now());
  }

  /** `count` sessions from exactly this state, all or none. Throws `not_forkable`, `at_capacity`, `session_closed`. */
  fork(
    id: string,
    { count = 1, retire = false, labels }: ForkRequest = {},
    grants: readonly Grant[] = [],
  ): Maybe<OpenedSession[]> {
    const live = this.live(id);
    this.needRoom(count);
    const stuck = live.companions.unforkable();
    if (stuck.length > 0) throw notForkable(stuck, 'fork the session');
    return live.on((session) => {
      if (live.status === 'closed') throw notOpen('closed', id);
      live.needTold();
      const ids = Array.from({ length: count }, (_, i) => grants[i]?.id ?? mintId());
      const branches = (companions: readonly Companions[]): Maybe<OpenedSession[]> => {
        const forked = { live, session };
        const made: OpenedSession[] = [];
        try {
          for (const [i, beside] of companions.entries()) {
            const branch = ids[i] as string;
            const { print, seed } = grants[i] ?? {};
            const start = { ...live.start, id: branch, labels: { ...live.start.labels, ...labels }, parent: id, print };
            const own = session.fork(branch, live.book.forkFor(this.#heard(start.pins, start.labels)));
            made.push(this.#admit(start, own, (full) => live.branch(own, full, beside), { forked, seed }));
          }
        } catch (thrown) {
          for (const { id: branch } of made) this.roll.letGo(this.live(branch), false);
          for (const beside of companions.slice(made.length)) void beside.close();
          throw thrown;
        }
        return retire ? after(live.become('forked'), () => made) : made;
      };
      if (live.companions.isEmpty) return branches(new Array<Companions>(count).fill(NO_COMPANIONS));
      const folders = ids.map((branch) => `${this.folder}/${branch}`);
      return copyCompanions(live.companions, folders).then(branches);
    });
  }

  pause(id: string, once?: Once): Maybe<SessionInfo> {
    return this.#become(id, 'paused', once, (live) => live.companions.pause());
  }

  resume(id: string, once?: Once): Maybe<SessionInfo> {
    return this.#become(id, 'open', once, (live) => live.companions.resume());
  }

  /** In the session's turn, so that a call under way ends first. A session that became its branches stays what it is. */
  #become(
    id: string,
    status: 'open' | 'paused',
    once: Once | undefined,
    act: (live: LiveSession) => Maybe<void>,
  ): Maybe<SessionInfo> {
    const live = this.live(id);
    live.usedAt = this.limits.now();
    const done = live.turns.run(() =>
      live.become(status, once, () => {
        if (live.status === 'closed' || live.status === 'forked') throw notOpen(live.status, id);
        return act(live);
      }),
    );
    return after(done, (stance) => ({ ...live.info(), ...stance }));
  }

  restore(id: string, snapshot: string, once?: Once): Maybe<SessionInfo> {
    const live = this.live(id);
    return after(live.restore(snapshot, once), (stance) => ({ ...live.info(), ...stance }));
  }

  reset(id: string, once?: Once): Maybe<SessionInfo> {
    const live = this.live(id);
    const { pins, labels } = live.start;
    const fresh = () => servedBook(this.ledgers.open(), this.#heard(pins, labels));
    return after(live.reset(fresh, once), (stance) => ({ ...live.info(), ...stance }));
  }

  verify(id: string, request: VerifyRequest = {}): Maybe<ServedVerdict> {
    const live = this.live(id);
    return live.on((session) => {
      live.needTold();
      return judge(this.options, live, session, request);
    });
  }

  close(id: string, answer?: string): Maybe<SessionInfo> {
    const live = this.live(id);
    return after(live.close(answer), () => live.info());
  }

  /** One that was kept: it goes on here from now on. The caller tells `keeping`. */
  revive(image: SessionImage, deltas: readonly CallDelta[]): Revived {
    const book = ({ pins, labels }: SavedStart) => servedBook(this.ledgers.open(), this.#heard(pins, labels));
    const revived = revive({ house: this.#house, scenarios: this.scenarios, book }, image, deltas);
    this.roll.add(revived.live);
    if (revived.live.status === 'closed') this.roll.ended(revived.live);
    return revived;
  }

  /** What was kept of it cannot be had, or not yet. */
  lose(id: string, why: string, mayReturn: boolean): void {
    this.roll.lose(id, lostSession(id, why, mayReturn));
  }

  /** It goes on elsewhere: nothing of it is here any more, and nothing that is kept of it goes. */
  letGo(live: LiveSession): void {
    this.roll.letGo(live);
  }

  /** Ends everything: processes, folders, worlds. Sessions end too, unless they are kept. */
  async shutDown(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { keeping } = this.#house;
    if (keeping) await keeping.close();
    else await Promise.allSettled([...this.all()].map(async (live) => live.close()));
    for (const live of [...this.all()]) keeping ? this.roll.letGo(live) : this.roll.forget(live);
    this.worlds.close();
    this.ledgers.close();
    if (this.#removeFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => this.#schedule(this.sweep() ? AGAIN_MS : SWEEP_MS), ms);
    this.#timer.unref();
  }

  /** One round of idle management; it runs by itself every second. True when there is more to do at once. */
  sweep(): boolean {
    if (this.#isClosed) return false;
    this.#refusing = undefined;
    return sweep({
      sessions: this.all(),
      times: this.limits.idle,
      now: this.limits.now(),
      expire: (live) => {
        const ending = live.close();
        if (ending instanceof Promise)
          ending.catch((thrown: unknown) => this.#failed(asTreadleError(thrown, 'infrastructure')));
      },
      forget: (live) => this.roll.forget(live),
      failed: (error) => this.#failed(error),
    });
  }

  #failed(error: TreadleError): void {
    if (this.#refusing?.code !== error.code) this.options.onDefect?.(error);
    this.#refusing = error;
  }
}
