/** What a session server is made with. */
import type { Task } from '../../../artifacts/task.js';
import type { TreadleError } from '../../../errors.js';
import { wallSeconds } from '../../../kit/clock.js';
import type { WorldParts } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';
import type { Blobs } from '../../blobs/blobs.js';
import type { ServerFaults } from '../../faults/session-faults.js';
import type { Registry } from '../../registry/registry.js';
import type { Weaver } from '../weaver.js';
import type { Keeping } from './keeping.js';
import { IDLE_TIMES, type IdleTimes } from './residence.js';
import type { SessionServer } from './session-server.js';
import type { WorldSources } from './world-cache.js';

export interface SessionServerOptions {
  engine: Engine;
  registry: Registry;
  partsOf: (worldHash: string) => WorldParts;
  /** For ledgers, resting sessions and sandboxes; a temporary folder of its own, removed at the end, when absent. */
  folder?: string;
  blobs?: Blobs;
  limits?: Partial<ServerLimits>;
  /** Injected into the calls of every session that does not say otherwise. */
  faults?: ServerFaults;
  /** Keeps sessions beyond this process; made with the server, because what it keeps are the server's. */
  keeping?: (server: SessionServer) => Keeping;
  /** Runs scenarios; without one they are refused. */
  weaver?: Weaver;
  /** Of the data folder: what is opened under a key has its id and its tokens from both. Drawn when absent. */
  secret?: Uint8Array;
  /** Hears of what went wrong on our side and was not anybody's request. */
  onDefect?: (error: TreadleError) => void;
}

export interface ServerLimits {
  /** Sessions that are not closed, at once. */
  capacity: number;
  /** Closed sessions that are remembered. */
  closed: number;
  /** Loaded worlds, and worlds with a task's rows, beyond which those go that nobody uses. */
  worlds: number;
  /** Seconds without a request after which a session is closed, where it does not say itself. */
  idleSeconds: number;
  idle: IdleTimes;
  ledgerBytes: number;
  /** Processes of outside servers that start at once, and the seconds each may take. */
  starts: number;
  startSeconds: number;
  /** Seconds that never go backwards. */
  now: () => number;
}

export const SERVER_LIMITS: ServerLimits = {
  capacity: 10_000,
  closed: 20_000,
  worlds: 256,
  idleSeconds: 3600,
  idle: IDLE_TIMES,
  ledgerBytes: 4 * 1024 * 1024,
  starts: 4,
  startSeconds: 60,
  now: wallSeconds,
};

export const sourcesOf = ({ partsOf, registry }: SessionServerOptions): WorldSources => ({
  partsOf,
  groundingOf: (task) => (registry.read('task', task) as unknown as Task).grounding,
});
