/**
 * Whose state a request means: an API key or a name of the caller's own opens a fork of the world on first use and finds it again
 * later; a session's own token means that session. Whoever sends neither shares one fork with all others who do not.
 */
import { TreadleError } from '../../errors.js';
import { sha256 } from '../../kit/hash.js';
import type { OpenRequest } from '../api.js';
import type { Found } from '../http/keeper.js';
import { agentView } from '../sessions/server/agent-view.js';
import type { LiveSession } from '../sessions/server/live-session.js';
import type { SessionServer } from '../sessions/server/session-server.js';
import { claimOf } from '../sessions/server/tokens.js';
import { after, type Maybe } from '../sessions/server/turns.js';
import type { ToolHost } from '../tool-host.js';
import { CallLog } from './call-log.js';
import type { Kept } from './kept.js';
import type { KeyPlace } from './keys.js';
import { keyOf, sessionIn, strayToken, tokenIn } from './keys.js';
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
  /** By a token of a session that a trainer opened: its bearer may act in it, and not reset, fork or look behind it. */
  readonly isAgent: boolean;
  /** The only service that the token opens; absent: all of the session's. */
  readonly service?: string | undefined;
  readonly log: CallLog;
  /** What parts of the face remember of it, by their names. */
  readonly kept: Map<string, Kept>;
}

export interface CallersOptions {
  server: SessionServer;
  /** What a new caller's session is of; absent: only tokens of sessions are taken. */
  open?: OpenRequest | undefined;
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

const tokenNeeded = (): TreadleError =>
  new TreadleError({
    code: 'token_needed',
    message: 'The token of a session is needed',
    next: "Open a session at the trainers' door and send its token as the bearer token.",
    fault: 'agent',
  });

/** Why a token's session takes nothing now, by what its keeper says of it. */
const STATES: Readonly<Record<Exclude<Found['state'], 'open'>, string>> = {
  unknown: 'unknown_session',
  gone: 'session_closed',
  paused: 'session_paused',
  forked: 'session_forked',
  recovering: 'session_recovering',
};

const notOpen = (state: Exclude<Found['state'], 'open'>, id: string): TreadleError =>
  new TreadleError({
    code: STATES[state],
    message: 'The session of this token is not open',
    value: id,
    next: state === 'recovering' ? 'Ask again in a moment.' : 'Open another session, or send a key of your own.',
    fault: 'agent',
  });

export class Callers {
  readonly #ids = new Map<string, string>();
  readonly #opening = new Map<string, Promise<Caller>>();
  readonly #known = new Map<string, Caller>();
  /** By the service that a token opens. */
  readonly #bearers = new WeakMap<LiveSession, Map<string | undefined, Caller>>();

  constructor(readonly options: CallersOptions) {}

  /**
   * Throws `bad_session_name`, `unknown_session`, `session_closed` and the like for a token whose session is not open, and what opening
   * throws. Undefined where a key is needed and there is none. `own`: the key that is where the operation itself has it.
   */
  of(request: FaceRequest, needsKey = false, own?: string): Maybe<Caller> | undefined {
    const meant = this.meant(request, own);
    if (typeof meant === 'object') return meant;
    // A name is no key: whoever leaves the key out must hear of it.
    if (needsKey && (keyOf(request, this.options.keys) ?? own) === undefined) return undefined;
    return this.named(meant ?? SHARED);
  }

  /** The bearer of a session's token, or a caller's name; undefined where the request says nothing. */
  meant(request: FaceRequest, own?: string): Caller | string | undefined {
    const given = request.headers[SESSION_HEADER];
    if (given !== undefined) {
      if (!isFree(given)) throw badName(given);
      return given;
    }
    // One caller, whether its key comes as a parameter or as a bearer's.
    const bearer = own === undefined || /\s/.test(own) ? own : `Bearer ${own}`;
    const key = keyOf(request, this.options.keys) ?? strayToken(request) ?? bearer;
    if (key === undefined) return undefined;
    const named = sessionIn(key);
    if (named !== undefined) return named;
    const token = tokenIn(key);
    const claimed = token === undefined ? undefined : claimOf(token);
    return token && claimed ? this.#bearer(token, claimed.id) : `key:${sha256(key).slice(0, 16)}`;
  }

  #bearer(token: string, id: string): Caller {
    const { server } = this.options;
    const found = server.find(token);
    if (found.state !== 'open') throw notOpen(found.state, id);
    const live = server.live(found.session.id);
    const own = this.#bearers.get(live) ?? new Map<string | undefined, Caller>();
    this.#bearers.set(live, own);
    const { service, host } = found.session;
    const known = own.get(service);
    if (known) return known;
    const kept = new Map<string, Kept>();
    const made = { name: OWNED + id, live, host, service, isAgent: true, log: new CallLog(0), kept };
    own.set(service, made);
    return made;
  }

  /** By its name, opened where it is not there. */
  named(name: string): Maybe<Caller> {
    const id = this.#ids.get(name);
    const known = id === undefined ? undefined : this.#known.get(id);
    if (known && known.live.status !== 'closed') return known;
    const waits = this.#opening.get(name);
    if (waits) return waits;
    const { server, open } = this.options;
    if (!open) throw tokenNeeded();
    const labels = { run: 'rest', group: name.slice(0, 128) };
    const made = after(server.open({ ...open, labels }), (opened) => this.#callerOf(name, opened.id));
    if (!(made instanceof Promise)) return made;
    const settled = made.finally(() => this.#opening.delete(name));
    this.#opening.set(name, settled);
    return settled;
  }

  #callerOf(name: string, id: string): Caller {
    const live = this.options.server.live(id);
    const kept = new Map<string, Kept>();
    const caller = { name, live, host: agentView(live), isAgent: false, log: new CallLog(), kept };
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
