/** What a session of a server begins with, and what all of them share. */
import type { Caller } from '../../../world/program/types.js';
import type { Labels, Pins } from '../../api.js';
import type { Woven } from '../woven.js';
import type { Keeping } from './keeping.js';
import type { LiveSession } from './live-session.js';
import type { Storage } from './place.js';
import type { WorldCache } from './world-cache.js';

/** What all sessions of a server share. */
export interface House {
  worlds: WorldCache;
  storage: Storage;
  /** Seconds that never go backwards. */
  now: () => number;
  /** Told once when a session closes. */
  ended: (live: LiveSession) => void;
  /** Absent where sessions end with the process. */
  keeping?: Keeping | undefined;
}

export interface LiveStart {
  id: string;
  pins: Pins;
  /** The world it started on, as the cache is asked for it. */
  ground: string;
  labels: Labels;
  services: readonly string[];
  me: Caller;
  idleSeconds: number;
  /** Of its tokens: the whole session's, then one a service in the order of `services`. */
  digests: Buffer;
  parent?: string | undefined;
  /** Of the request that it was opened or forked by, where that had a key. */
  print?: string | undefined;
  /** What is woven into its calls, as it began: what a parcel holds of it is read into this. Forks share it. */
  woven?: Woven | undefined;
  /** Rules of the faults that are. */
  faults?: readonly string[] | undefined;
  /** Who is told of a scenario's events; the agent, in its results, when absent. */
  notices?: 'control' | undefined;
}

/** The agent that makes a call itself, by a token of all its session's services or of one. */
export interface CallingAgent {
  service?: string | undefined;
}
