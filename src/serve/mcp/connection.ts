/** What a transport may offer beyond one answer to one request: a way back to the client, and a memory from request to request. */
import type { Id, Params } from './messages.js';
import type { Revision } from './revisions.js';

/** The way back to the client while one of its requests runs. */
export interface Outlet {
  /** Sends a message ahead of the answer. False when there is no getting through: no room for a stream, or nobody there. */
  send(message: string): boolean;
  /** Aborts when nobody will ever read the answer. */
  readonly gone: AbortSignal;
  /** Ends the stream ahead of the answer, which is kept until the client comes for it. Absent where nothing is kept. */
  hangUp?(): void;
}

/** Requests of ours that a client has not answered yet. */
export interface Asks {
  /** Rejects with `client_refused`, `client_silent`, `client_unreachable` (TreadleError). */
  ask(outlet: Outlet, method: string, params: Params): Promise<unknown>;
  /** Takes a response; one that nobody waits for is let go. */
  answered(response: { id: unknown; result?: unknown; error?: unknown }): void;
  close(): void;
}

/** All of it is absent where it is not kept: stdio remembers only the revision, plain HTTP nothing. */
export interface Connection {
  /** What `initialize` agreed on. */
  agreed?: Revision;
  /** What the client said it can do, in `initialize`. */
  capabilities?: Params;
  /** Set by logging/setLevel. */
  logLevel?: string;
  /** URIs of resources/subscribe. */
  watched?: Set<string>;
  asks?: Asks;
  /** Requests under way that can be cancelled. */
  running?: Map<Id, AbortController>;
}
