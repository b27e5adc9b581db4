/**
 * Whose state a request means: an API key or a name of the caller's own opens a fork of the world on first use and finds it again
 * later; a session's own token means that session. Whoever sends neither shares one fork with all others who do not.
 */
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import type { OpenRequest } from '../api.js';
import { bearerOf } from '../http/tokens.js';
import { agentView } from '../sessions/server/agent-view.js';
import type { LiveSession } from '../sessions/server/live-session.js';
import type { SessionServer } from '../sessions/server/session-server.js';
import { claimOf } from '../sessions/server/tokens.js';
import { after, type Maybe } from '../sessions/server/turns.js';
import type { ToolHost } from '../tool-host.js';
import { CallLog } from './call-log.js';
import type { Kept } from './kept.js';
import type { KeyPlace } from './keys.js';
import { keyOf, sessionIn } from './keys.js';
import type { FaceRequest } from './types.js';

export const SESSION_HEADER = 'x-treadle-session';
/** Callers without a key or a name. */
export const SHARED = 'shared';

const NAME = /^[\w.:@/-]{1,100}$/;
/** Forks that are known by a name; beyond it the longest unused name is forgotten (its session ends by itself). */
const MOST_NAMES = 50_000;

export interface Caller {
  /** What the caller is called in lists; never a key. */
  readonly name: string;
  readonly live: LiveSession;
  readonly host: ToolHost;
  readonly log: CallLog;
  /** What parts of the face remember of it, by their names. */
  readonly kept: Map<string, Kept>;
}

export interface CallersOptions {
  server: SessionServer;
  /** What a new caller's session is of. */
  open: OpenRequest;
  /** Where the document says that keys are. */
  keys: readonly KeyPlace[];
}

/** Sessions of trainers are reached by their tokens, not by their ids. */
const OWNED = 'session:';

const isFree = (name: string): boolean => NAME.test(name) && !name.startsWith(OWNED);

const badName = (name: string): TreadleError =>
  new TreadleError({
    code: 'bad_session_name',
    message: `A name in ${SESSION_HEADER} has 1 to 100 letters, digits and . _ : @ / -, and does not begin with ${OWNED}`,
    value: name.slice(0, 120),
    next: 'Use another name.',
    fault: 'agent',
  });

export class Callers {
  readonly #ids = new Map<string, string>();
  readonly #opening = new Map<string, Promise<Caller>>();
  readonly #known = new Map<string, Caller>();

  constructor(readonly options: CallersOptions) {}

  /**
   * Throws `bad_session_name`, `unknown_session` and `session_closed` for a token whose session has ended, and what opening throws.
   * Undefined where a key is needed and there is none.
   */
  of(request: FaceRequest, needsKey = false): Maybe<Caller> | undefined {
    const name = this.nameOf(request);
    // A name is no key: whoever leaves the key out must hear of it.
    if (needsKey && keyOf(request, this.options.keys) === undefined) return undefined;
    return this.named(name ?? SHARED);
  }

  /** The caller's name, or that of its session; undefined where the request says nothing. */
  nameOf(request: FaceRequest): string | undefined {
    const given = request.headers[SESSION_HEADER];
    if (given !== undefined) {
      if (!isFree(given)) throw badName(given);
      return given;
    }
    const key = keyOf(request, this.options.keys);
    if (key === undefined) return undefined;
    const named = sessionIn(key);
    if (named !== undefined) return named;
    const token = bearerOf(request.headers.authorization) ?? key;
    const claimed = claimOf(token);
    if (claimed) return this.#byToken(token, claimed.id);
    return `key:${sha256(key).slice(0, 16)}`;
  }

  #byToken(token: string, id: string): string {
    const found = this.options.server.find(token);
    if (found.state !== 'open')
      throw new TreadleError({
        code: found.state === 'unknown' ? 'unknown_session' : 'session_closed',
        message: 'The session of this token is not open',
        value: id,
        next: 'Open another session, or send a key of your own.',
        fault: 'agent',
      });
    this.#ids.set(OWNED + id, id);
    return OWNED + id;
  }

  /** By its name, opened where it is not there. */
  named(name: string): Maybe<Caller> {
    const id = this.#ids.get(name);
    const known = id === undefined ? undefined : this.#known.get(id);
    if (known && known.live.status !== 'closed') return known;
    const waits = this.#opening.get(name);
    if (waits) return waits;
    if (id !== undefined && !known) return this.#callerOf(name, id);
    const labels = { run: 'rest', group: name.slice(0, 128) };
    const made = after(this.options.server.open({ ...this.options.open, labels }), (opened) =>
      this.#callerOf(name, opened.id),
    );
    if (!(made instanceof Promise)) return made;
    const settled = made.finally(() => this.#opening.delete(name));
    this.#opening.set(name, settled);
    return settled;
  }

  #callerOf(name: string, id: string): Caller {
    const live = this.options.server.live(id);
    const caller = { name, live, host: agentView(live), log: new CallLog(), kept: new Map<string, Kept>() };
    this.#known.set(id, caller);
    this.#ids.delete(name);
    this.#ids.set(name, id);
    if (this.#ids.size > MOST_NAMES) this.#forget(this.#ids.keys().next().value as string);
    return caller;
  }

  #forget(name: string): void {
    const id = this.#ids.get(name);
    this.#ids.delete(name);
    if (id !== undefined) this.#known.delete(id);
  }

  /** A new caller whose state begins where another's is. Throws `session_exists` for a name in use. */
  fork(from: Caller, name: string): Maybe<Caller> {
    if (!isFree(name)) throw badName(name);
    const known = this.#known.get(this.#ids.get(name) ?? '');
    if (known && known.live.status !== 'closed')
      throw new TreadleError({
        code: 'session_exists',
        message: 'A caller of this name has a session',
        value: name,
        next: 'Choose another name, or reset that one.',
        fault: 'agent',
      });
    const { server } = this.options;
    const labels = { run: 'rest', group: name };
    return after(server.fork(from.live.id, { count: 1, labels }), ([branch]) => {
      const made = this.#callerOf(name, (branch as { id: string }).id);
      for (const [part, kept] of from.kept) made.kept.set(part, kept.fork());
      return made;
    });
  }

  /** Back to the rows at the start, as if nobody had asked for anything. */
  reset(caller: Caller): Maybe<void> {
    return after(this.options.server.reset(caller.live.id), () => {
      caller.log.clear();
      caller.kept.clear();
    });
  }

  /** Ends a caller's session; its name may be used anew. */
  close(caller: Caller): Maybe<void> {
    this.#forget(caller.name);
    return after(this.options.server.close(caller.live.id), () => undefined);
  }

  /** Those that have a session now, in the order in which they came. */
  list(): Caller[] {
    return [...this.#known.values()].filter(({ live }) => live.status !== 'closed');
  }
}
