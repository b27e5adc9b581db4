/** Who may speak to which session: a token opens exactly one, until it is closed, idle too long, or too old. */
import { randomBytes } from 'node:crypto';
import { asTreadleError, TreadleError } from '../../errors.js';
import { wallSeconds } from '../../kit/clock.js';
import type { ToolHost } from '../tool-host.js';
import type { Doorkeeper, Found } from './keeper.js';
import { digestOf, mintToken } from './tokens.js';

/** A session given to a directory; `drop` is called once, when the directory lets go of it. */
export interface Lease {
  host: ToolHost;
  drop?: (() => void) | undefined;
}

export interface OpenedSession {
  id: string;
  /** Shown here and never again. */
  token: string;
}

export interface SessionDirectory extends Doorkeeper {
  /** Throws `at_capacity` (retryable) when full; the lease is not taken then. */
  open(lease: Lease): OpenedSession;
  /** Throws what `open` would, before anybody goes to the cost of making a session. */
  needRoom(): void;
  /** The host behind a token, for those who need no reason. */
  resolve(token: string): ToolHost | undefined;
  /** False when there is no such session. */
  close(id: string): boolean;
  closeAll(): void;
  /** Closes what is idle or too old; returns how many. Call it from time to time: nothing else frees abandoned sessions. */
  reap(): number;
  readonly size: number;
  readonly capacity: number;
}

export interface DirectoryOptions {
  /** Sessions at once; 10,000 when absent. */
  capacity?: number;
  /** Seconds without a request after which a session is closed; an hour when absent. */
  idleSeconds?: number;
  /** Seconds after which a token ends, used or not; a day when absent. */
  lifetimeSeconds?: number;
  /** Seconds, on any clock that does not go backwards. */
  now?: () => number;
  /** Hears of a `drop` that threw; the session is closed all the same. */
  onDefect?: (error: TreadleError) => void;
}

interface Entry extends Lease {
  id: string;
  ended: boolean;
  digest: string;
  openedAt: number;
  usedAt: number;
}

/** Closed tokens that are still told from strangers (404, not 401). About 100 bytes each. */
const REMEMBERED = 65_536;

export const sessionDirectory = (options: DirectoryOptions = {}): SessionDirectory => {
  const { capacity = 10_000, idleSeconds = 3600, lifetimeSeconds = 86_400, now = wallSeconds, onDefect } = options;
  const byDigest = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  const gone = new Set<string>();

  const isOver = (entry: Entry, at: number): boolean =>
    at - entry.usedAt >= idleSeconds || at - entry.openedAt >= lifetimeSeconds;

  const end = (entry: Entry): void => {
    entry.ended = true;
    byDigest.delete(entry.digest);
    byId.delete(entry.id);
    gone.add(entry.digest);
    if (gone.size > REMEMBERED) gone.delete(gone.values().next().value!);
    try {
      entry.drop?.();
    } catch (thrown) {
      onDefect?.(asTreadleError(thrown, 'infrastructure', 'drop_failed'));
    }
  };

  const reap = (): number => {
    const at = now();
    const over = [...byId.values()].filter((entry) => isOver(entry, at));
    over.forEach(end);
    return over.length;
  };

  const needRoom = (): void => {
    if (byId.size >= capacity) reap();
    if (byId.size < capacity) return;
    throw new TreadleError({
      code: 'at_capacity',
      message: 'No room for another session',
      value: capacity,
      next: 'Close a session, or wait and try again.',
      fault: 'infrastructure',
      isRetryable: true,
    });
  };

  const find = (token: string): Found => {
    const digest = digestOf(token);
    const entry = byDigest.get(digest);
    if (entry === undefined) return { state: gone.has(digest) ? 'gone' : 'unknown' };
    const at = now();
    if (isOver(entry, at)) {
      end(entry);
      return { state: 'gone' };
    }
    entry.usedAt = at;
    return { state: 'open', session: entry };
  };

  return {
    needRoom,
    open: (lease) => {
      needRoom();
      const id = randomBytes(12).toString('base64url');
      const token = mintToken();
      const at = now();
      const entry: Entry = {
        host: lease.host,
        drop: lease.drop,
        id,
        ended: false,
        digest: digestOf(token),
        openedAt: at,
        usedAt: at,
      };
      byDigest.set(entry.digest, entry);
      byId.set(id, entry);
      return { id, token };
    },
    find,
    resolve: (token) => {
      const found = find(token);
      return found.state === 'open' ? found.session.host : undefined;
    },
    close: (id) => {
      const entry = byId.get(id);
      if (entry !== undefined) end(entry);
      return entry !== undefined;
    },
    closeAll: () => [...byId.values()].forEach(end),
    reap,
    get size() {
      return byId.size;
    },
    capacity,
  };
};
