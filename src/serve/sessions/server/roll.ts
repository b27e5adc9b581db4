/** The roll of a server's sessions: who is there by id and by token, how many are open, and who was there once. */
import type { TreadleError } from '../../../errors.js';
import type { Admitted, Found } from '../../http/keeper.js';
import type { ToolHost } from '../../tool-host.js';
import { agentView } from './agent-view.js';
import type { LiveSession } from './live-session.js';
import { unknownSession } from './refusals.js';
import { claimOf, indexOfSecret } from './tokens.js';

/** Ids of forgotten sessions that are still told from strangers (404, not 401). */
const REMEMBERED = 16_384;

/** Tokens in use whose hash is known. */
const HASHED = 8_192;

interface Bearer {
  live: LiveSession;
  /** What the token opens, for as long as the session is open. */
  found: Found;
}

/** A class: literals with getters would each have a shape of their own, of several kilobytes. */
class Opened implements Admitted {
  readonly id: string;
  readonly host: ToolHost;

  constructor(
    readonly live: LiveSession,
    readonly service: string | undefined,
  ) {
    this.id = live.id;
    this.host = agentView(live, service);
  }

  get rank(): number | undefined {
    return this.live.book.length === 0 ? this.live.number : undefined;
  }

  get ended(): boolean {
    return this.live.status === 'closed';
  }
}

const bearerOf = (live: LiveSession, index: number): Bearer => {
  const service = index === 0 ? undefined : live.start.services[index - 1];
  return { live, found: { state: 'open', session: new Opened(live, service) } };
};

export class Roll {
  readonly #live = new Map<string, LiveSession>();
  readonly #gone = new Set<string>();
  readonly #lost = new Map<string, TreadleError>();
  readonly #bearers = new Map<string, Bearer>();
  /** Of each session those in `#bearers`, so that one that is forgotten is let go of. */
  readonly #tokens = new WeakMap<LiveSession, Set<string>>();
  #open = 0;
  #count = 0;

  /** `mostClosed`: closed sessions that are kept; beyond it the oldest are forgotten. */
  constructor(readonly mostClosed: number) {}

  /** Sessions that are not closed. */
  get open(): number {
    return this.#open;
  }

  /** One that was kept and cannot be had: whoever asks for it is told. */
  lose(id: string, error: TreadleError): void {
    this.#lost.set(id, error);
    if (this.#lost.size > REMEMBERED) this.#lost.delete(this.#lost.keys().next().value as string);
  }

  add(live: LiveSession): void {
    this.#lost.delete(live.id);
    live.number = this.#count++;
    this.#live.set(live.id, live);
    this.#open++;
  }

  /** Throws `unknown_session`, `session_lost`, `session_recovering`. */
  get(id: string): LiveSession {
    const live = this.#live.get(id);
    if (!live) throw this.#lost.get(id) ?? unknownSession(id);
    return live;
  }

  /** It is here, or may come back. */
  has(id: string): boolean {
    return this.#live.has(id) || this.#lost.get(id)?.isRetryable === true;
  }

  isGone(id: string): boolean {
    return this.#gone.has(id) || this.#lost.get(id)?.isRetryable === false;
  }

  all(): Iterable<LiveSession> {
    return this.#live.values();
  }

  /** The session of a token and which of its tokens it is; the last few thousand are not hashed again. */
  #bearer(token: string): Bearer | 'gone' | 'recovering' | 'unknown' {
    const known = this.#bearers.get(token);
    if (known) return known.live.status === 'closed' ? 'gone' : known;
    const claim = claimOf(token);
    if (!claim) return 'unknown';
    const live = this.#live.get(claim.id);
    if (!live) return this.#absent(claim.id);
    const index = indexOfSecret(live.start.digests, claim.secret);
    if (index < 0) return 'unknown';
    if (live.status === 'closed') return 'gone';
    const bearer = bearerOf(live, index);
    this.#bearers.set(token, bearer);
    this.#tokens.set(live, (this.#tokens.get(live) ?? new Set<string>()).add(token));
    if (this.#bearers.size > HASHED) this.#bearers.delete(this.#bearers.keys().next().value as string);
    return bearer;
  }

  #absent(id: string): 'gone' | 'recovering' | 'unknown' {
    const lost = this.#lost.get(id);
    if (lost) return lost.isRetryable ? 'recovering' : 'gone';
    return this.#gone.has(id) ? 'gone' : 'unknown';
  }

  find(token: string, now: number): Found {
    const bearer = this.#bearer(token);
    if (typeof bearer === 'string') return { state: bearer };
    const { live, found } = bearer;
    if (live.status === 'closed') return { state: 'gone' };
    live.usedAt = now;
    // Whoever has a loss to be told of comes in: the session itself tells it, and then what it is now.
    return live.status === 'open' || live.lost !== undefined ? found : { state: live.status };
  }

  /** Told once of each session that closed. */
  ended(live: LiveSession): void {
    this.#open--;
    this.#dropBearers(live);
    if (this.#live.size - this.#open <= this.mostClosed) return;
    // The oldest: sessions are kept in the order of their opening.
    for (const other of this.#live.values()) {
      if (other.status !== 'closed') continue;
      this.forget(other);
      return;
    }
  }

  /** It goes on elsewhere; with `isKept` false it was never told of, and nothing is kept of it. */
  letGo(live: LiveSession, isKept = true): void {
    if (live.status !== 'closed') this.#open--;
    live.forget(isKept);
    this.#dropBearers(live);
    this.#live.delete(live.id);
    if (!isKept) this.over(live.id);
  }

  forget(live: LiveSession): void {
    live.forget();
    this.#dropBearers(live);
    this.#live.delete(live.id);
    this.over(live.id);
  }

  /** Its id is nobody's ever again. */
  over(id: string): void {
    this.#gone.add(id);
    if (this.#gone.size > REMEMBERED) this.#gone.delete(this.#gone.values().next().value as string);
  }

  #dropBearers(live: LiveSession): void {
    for (const token of this.#tokens.get(live) ?? []) this.#bearers.delete(token);
    this.#tokens.delete(live);
  }
}
