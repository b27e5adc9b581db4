/** What a test holds of a world. */
import type { LedgerEntry } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { FaceCall } from '../../serve/face/call-log.js';
import type { SentWebhook } from '../../serve/face/webhooks/log.js';
import type { WebhookHandler } from '../../serve/face/webhooks/webhooks.js';
import type { Row, RowChange, SqlValue } from '../../world/state/types.js';
import type { Where } from './match/rows.js';

export interface WorldOptions {
  /** Same seed, same rows and ids; `1` when absent. */
  seed?: string | number;
  /** Of a document: rows of your own, as files (JSON, CSV, SQLite) or by table. */
  data?: string | readonly string[] | Readonly<Record<string, readonly object[]>>;
  /** Of a document: a file of corrections (overrides.yaml). */
  overrides?: string;
  /** `POST /charges=429`, `GET /x=503x2`, `createCharge=timeout`, `*=latency:200ms`, `GET /y=500@10%`. */
  faults?: readonly string[];
  /** Who receives the webhooks that the document declares; they are logged in any case. */
  webhooks?: string | URL | WebhookHandler | WebhookTarget;
  /** What nothing in the document grounds is refused with 501 instead of answered by example. */
  strict?: boolean;
  /** Of the listener; any free one when absent. */
  port?: number;
}

export interface WebhookTarget {
  to?: string | URL | WebhookHandler;
  /** Signs them. */
  secret?: string;
  /** Hosts besides this machine that callbacks and registered addresses may be of. */
  hosts?: readonly string[];
}

export interface WorldClock {
  /** The session's virtual time. */
  now(): Date;
  /** Lets time pass: seconds, or `2h`, `30d`, `1h30m`. Throws `bad_duration`. */
  advance(by: number | string): Promise<Date>;
}

/** What happened to rows since the start, by service. */
export type WorldDiff = Record<string, RowChange[]>;

export interface WorldWebhooks {
  /** Those of this session in the order in which they arose, or those of one name. */
  sent(event?: string): readonly SentWebhook[];
  /** Resolves when all that arose until now are sent or given up. */
  settled(): Promise<void>;
}

export interface TestWorld extends AsyncDisposable {
  /** Of its session. */
  readonly name: string;
  /** What a client of the API takes for its base URL; whatever key it sends, it talks to this session. */
  readonly url: string;
  /** An API key that means this session, for clients that take neither a path in their base URL nor headers. */
  readonly key: string;
  /** Makes a client of another URL of the same server talk to this session. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same state for agents (MCP over HTTP). */
  readonly mcp: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** As `fetch`, in this process; a path is one of the document. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Back to the rows at the start; calls, webhooks and counted faults are forgotten. */
  reset(): Promise<void>;
  /** A world of its own that goes on from here; the listener is shared. Throws `session_exists`. */
  fork(name?: string): Promise<TestWorld>;
  diff(): WorldDiff;
  /** The last thousand requests over HTTP. */
  calls(): readonly FaceCall[];
  /** Calls of tools, whether they came over HTTP or MCP. */
  ledger(): readonly LedgerEntry[];
  readonly clock: WorldClock;
  readonly webhooks: WorldWebhooks;
  /** Rows as the API shows them. Throws `unknown_table`, `unknown_field`. */
  rows(table: string, where?: Where): { [key: string]: Json }[];
  /** Rows of a query, as they are stored. Throws `bad_sql`. */
  sql(query: string, params?: readonly SqlValue[]): Row[];
  /** Ends this session; of the world that was started, all of its forks and its listener too. */
  close(): Promise<void>;
}
