/** Sessions of the revisions before 2026-07-28: what an Mcp-Session-Id stands for, and when it ends. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { wallSeconds } from '../../../kit/clock.js';
import type { ToolHost } from '../../tool-host.js';
import type { Connection } from '../connection.js';
import { pendingAsks } from '../features/asks.js';
import { type EventStream, type EventStreamOptions, eventStream } from './event-stream.js';

export interface ClientSession {
  readonly id: string;
  readonly host: ToolHost;
  readonly connection: Required<Pick<Connection, 'watched' | 'asks' | 'running'>> & Connection;
  /** Aborts when the session ends. */
  readonly gone: AbortSignal;
  /** A stream that a client can come back to; the oldest that ended is forgotten first. */
  newStream(): EventStream;
  stream(name: string): EventStream | undefined;
  /** Whether this client knows to come back to a stream that was ended early. */
  canResume(): boolean;
  /** The one of GET, for what belongs to no request. */
  readonly standing: EventStream;
  /** Called when the session ends. */
  onEnd(then: () => void): void;
}

export interface ClientSessions {
  /** A session that nobody can find until it is kept. */
  make(host: ToolHost): ClientSession;
  /** False when there is no room, even after idle ones were ended. */
  keep(session: ClientSession): boolean;
  /** Only for the host it was opened with. Counts as use. */
  find(id: string, host: ToolHost): ClientSession | undefined;
  end(session: ClientSession): void;
  /** Ends those that nobody used or listened to for `idleSeconds`. */
  reap(): void;
  closeAll(): void;
  readonly size: number;
}

export interface ClientSessionsOptions {
  capacity: number;
  idleSeconds: number;
  /** How long a client has to answer a question. */
  askMs: number;
  stream: Pick<EventStreamOptions, 'bufferedBytes' | 'retryMs'>;
  now?: () => number;
}

const RESUMES_SINCE = '2025-11-25';

/** Streams of one session that can be come back to. */
const MOST_STREAMS = 64;

interface Entry extends ClientSession {
  usedAt: number;
  streams: Map<string, EventStream>;
  stop: AbortController;
  ends: (() => void)[];
}

export const clientSessions = (options: ClientSessionsOptions): ClientSessions => {
  const { capacity, idleSeconds, askMs, now = wallSeconds } = options;
  const sessions = new Map<string, Entry>();

  const end = (session: ClientSession): void => {
    const entry = session as Entry;
    if (entry.stop.signal.aborted) return;
    sessions.delete(entry.id);
    entry.stop.abort();
    entry.connection.asks.close();
    for (const running of entry.connection.running.values()) running.abort();
    for (const then of entry.ends) then();
    for (const stream of entry.streams.values()) stream.end();
  };
  const isBusy = ({ streams, connection }: Entry): boolean =>
    connection.running.size > 0 || [...streams.values()].some((stream) => stream.isCarried);
  const reap = (): void => {
    const before = now() - idleSeconds;
    for (const entry of [...sessions.values()]) if (entry.usedAt <= before && !isBusy(entry)) end(entry);
  };

  const make = (host: ToolHost): ClientSession => {
    const stop = new AbortController();
    // One for each request and question under way, of which there may be many.
    setMaxListeners(0, stop.signal);
    const streams = new Map<string, EventStream>();
    const id = randomBytes(24).toString('base64url');
    const add = (name: string): EventStream => {
      const stream = eventStream({
        ...options.stream,
        name,
        headers: { 'mcp-session-id': id },
        primes: () => canResume(),
      });
      streams.set(name, stream);
      return stream;
    };
    const canResume = (): boolean => (entry.connection.agreed?.version ?? '') >= RESUMES_SINCE;
    let named = 0;
    const entry: Entry = {
      id,
      host,
      connection: { watched: new Set(), asks: pendingAsks(askMs), running: new Map() },
      gone: stop.signal,
      stop,
      streams,
      ends: [],
      usedAt: now(),
      standing: add('standing'),
      newStream: () => {
        for (const [name, stream] of streams) {
          if (streams.size < MOST_STREAMS) break;
          if (stream.isEnded) streams.delete(name);
        }
        return add(`call${++named}`);
      },
      stream: (name) => streams.get(name),
      canResume,
      onEnd: (then) => {
        entry.ends.push(then);
      },
    };
    return entry;
  };

  return {
    make,
    keep: (session) => {
      if (sessions.size >= capacity) reap();
      if (sessions.size >= capacity) return false;
      sessions.set(session.id, session as Entry);
      return true;
    },
    find: (id, host) => {
      const entry = sessions.get(id);
      if (entry === undefined || entry.host !== host) return undefined;
      entry.usedAt = now();
      return entry;
    },
    end,
    reap,
    closeAll: () => [...sessions.values()].forEach(end),
    get size() {
      return sessions.size;
    },
  };
};
