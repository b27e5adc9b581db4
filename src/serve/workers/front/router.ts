/**
 * Where every session is, and the way there. A request for a session that has no owner just now waits for one, for a while; one whose
 * worker ended before it answered is sent again to the next owner under the number that it had.
 */
import type { TreadleError } from '../../../errors.js';
import { unknownSession } from '../../sessions/server/refusals.js';
import type { Piece } from '../frames/frame.js';
import type { Answer, Replied } from '../rpc/rpc.js';
import { moving } from './failures.js';
import type { FrontLimits } from './limits.js';
import type { Worker } from './worker.js';

/** A session as its front knows it. */
export interface Entry {
  readonly id: string;
  /** In the order of opening. */
  readonly number: number;
  /** Absent while it moves. */
  owner: Worker | undefined;
  /** Nothing was forwarded to it yet. */
  isFresh: boolean;
  /** Forwarded and not answered. */
  running: number;
  /** What is said to whoever asks for a session that no worker could take over. */
  lost: TreadleError | undefined;
  waiting: Waiting[] | undefined;
  /** Told when nothing is running any more. */
  idle: (() => void) | undefined;
}

/** A worker's answer. */
export type Passed = Answer & { bytes: Buffer; owner: Worker };

interface Waiting {
  go(): void;
  fail(why: TreadleError): void;
  timer: NodeJS.Timeout;
}

/** Ids of forgotten sessions that are still told from strangers (404, not 401). */
const REMEMBERED = 65_536;

const NOTHING = Buffer.alloc(0);

export class Router {
  readonly #entries = new Map<string, Entry>();
  readonly #gone = new Set<string>();
  #opened = 0;
  /** Numbers of forwarded requests begin at 1: 0 is none. */
  #number = 0;
  #waiting = 0;

  constructor(readonly limits: Pick<FrontLimits, 'waitMs' | 'waiting'>) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Requests that wait for an owner. */
  get waiting(): number {
    return this.#waiting;
  }

  /** In the order of opening. */
  all(): Iterable<Entry> {
    return this.#entries.values();
  }

  find(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Throws `unknown_session`. */
  get(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw unknownSession(id);
    return entry;
  }

  /** It was here once. */
  isGone(id: string): boolean {
    return this.#gone.has(id);
  }

  /** Who has the session; undefined while it moves, and where it is lost. Throws `unknown_session`. */
  ownerOf(id: string): Worker | undefined {
    return this.get(id).owner;
  }

  /** A session that was opened, or is known from before; without an owner it waits for one. */
  add(id: string, owner: Worker | undefined): Entry {
    const known = this.#entries.get(id);
    if (known) return known;
    const entry: Entry = {
      id,
      number: this.#opened++,
      owner: undefined,
      isFresh: owner !== undefined,
      running: 0,
      lost: undefined,
      waiting: undefined,
      idle: undefined,
    };
    this.#entries.set(id, entry);
    if (owner) this.settle(entry, owner);
    return entry;
  }

  /** From now on requests wait; those under way go on. */
  hold(entry: Entry): void {
    entry.owner?.sessions.delete(entry);
    entry.owner = undefined;
  }

  /** Resolves when nothing that was forwarded is unanswered. */
  quiet(entry: Entry): Promise<void> {
    if (entry.running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      entry.idle = resolve;
    });
  }

  /** The session has this owner, and what waited goes there, in the order it came. */
  settle(entry: Entry, owner: Worker): void {
    entry.owner?.sessions.delete(entry);
    entry.owner = owner;
    owner.sessions.add(entry);
    for (const { go } of this.#released(entry)) go();
  }

  /** Nobody could take it over; `why` is said to whoever waits or asks. */
  lose(entry: Entry, why: TreadleError): void {
    this.hold(entry);
    entry.lost = why;
    for (const { fail } of this.#released(entry)) fail(why);
  }

  /** Its worker forgot it. */
  forget(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.lose(entry, unknownSession(id));
    this.#entries.delete(id);
    this.over(id);
  }

  /** It is gone, and its id is nobody's ever again. */
  over(id: string): void {
    this.#gone.add(id);
    if (this.#gone.size > REMEMBERED) this.#gone.delete(this.#gone.values().next().value as string);
  }

  /** `done` is called once. */
  visit(entry: Entry, head: string, body: readonly Piece[], done: Replied): void {
    const number = ++this.#number;
    const fail = (why: TreadleError): void => done('', NOTHING, why);
    const send = (): void => {
      const { owner } = entry;
      if (owner === undefined) {
        this.#wait(entry, send, fail);
        return;
      }
      entry.isFresh = false;
      entry.running++;
      owner.rpc.visit(head, body, number, (said, bytes, failed) => {
        this.#ran(entry);
        if (failed?.code !== 'worker_link' || !owner.rpc.isClosed) done(said, bytes, failed);
        else if (entry.owner === owner) this.#wait(entry, send, fail);
        else send();
      });
    };
    send();
  }

  /** Rejects as the worker's handler does, with `unknown_session`, `session_moving` after a while, or why the session is lost. */
  async request(id: string, method: string, params: unknown): Promise<Passed> {
    const number = ++this.#number;
    for (;;) {
      const said = await this.attempt(id, method, params, number);
      if (!('ended' in said)) return said;
    }
  }

  /** As `request`, but a worker that ended before it answered is told: whether it was done is for the caller to find out. */
  async attempt(
    id: string,
    method: string,
    params: unknown,
    number = ++this.#number,
  ): Promise<Passed | { ended: Worker }> {
    const entry = this.get(id);
    // Until the fleet has seen that a worker is gone, the entry still names it.
    const owner = entry.owner?.rpc.isClosed === false ? entry.owner : await this.#owner(entry);
    entry.isFresh = false;
    entry.running++;
    try {
      return { ...(await owner.rpc.request(method, params, { number })), owner };
    } catch (thrown) {
      if ((thrown as TreadleError).code === 'worker_link' && owner.rpc.isClosed) return { ended: owner };
      throw thrown;
    } finally {
      this.#ran(entry);
    }
  }

  #ran(entry: Entry): void {
    entry.running--;
    if (entry.running > 0 || !entry.idle) return;
    const { idle } = entry;
    entry.idle = undefined;
    idle();
  }

  #owner(entry: Entry): Promise<Worker> {
    return new Promise((resolve, reject) =>
      this.#wait(
        entry,
        () => {
          if (entry.owner) resolve(entry.owner);
          else this.#owner(entry).then(resolve, reject);
        },
        reject,
      ),
    );
  }

  #wait(entry: Entry, go: () => void, fail: (why: TreadleError) => void): void {
    if (entry.lost || this.#waiting >= this.limits.waiting) {
      const why = entry.lost ?? moving(entry.id);
      setImmediate(() => fail(why));
      return;
    }
    entry.waiting ??= [];
    const { waiting } = entry;
    this.#waiting++;
    const own: Waiting = {
      go,
      fail,
      timer: setTimeout(() => {
        waiting.splice(waiting.indexOf(own), 1);
        this.#waiting--;
        fail(moving(entry.id));
      }, this.limits.waitMs),
    };
    waiting.push(own);
  }

  #released(entry: Entry): Waiting[] {
    const { waiting = [] } = entry;
    entry.waiting = undefined;
    this.#waiting -= waiting.length;
    for (const { timer } of waiting) clearTimeout(timer);
    return waiting;
  }
}
