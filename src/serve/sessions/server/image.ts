/**
 * All of a session as data, as its savepoints and logs hold it: what was pinned, its ledger, its points to come back to, and its
 * parcel. Tokens are in it as hashes only.
 */
import type { ServedEntry, SessionStatus } from '../../api.js';
import type { FaultRule } from '../../faults/rule.js';
import type { Deed } from './deeds.js';
import type { Known } from './operations.js';
import type { LiveStart } from './start.js';

/** A session's start without what is made anew of it. */
export interface SavedStart
  extends Pick<LiveStart, 'id' | 'pins' | 'ground' | 'labels' | 'services' | 'me' | 'idleSeconds'> {
  /** Base64. */
  digests: string;
  /** Of the request that it was opened or forked by, where that had a key. */
  print?: string;
  parent?: string;
  /** Of the faults injected into its calls; a scenario is among the pins. */
  faults?: { rules: readonly FaultRule[]; seed: string };
  notices?: 'control';
}

/** A point to come back to. Its ledger shares the first `shared` entries with the session's own. */
export interface SavedSnapshot {
  id: string;
  shared: number;
  more: ServedEntry[];
}

export interface SessionImage {
  start: SavedStart;
  status: SessionStatus;
  answer: string;
  /** State-changing requests so far. */
  seq: number;
  /** Acknowledged, then lost, and its owner has not been told yet: requests up to this one. */
  lost?: number;
  /** It had outside servers or a folder of its own, which end with the process they are in. */
  hadCompanions?: true;
  operations: [string, Known][];
  /** Absent where nothing was done under a name. */
  deeds?: [string, Deed][];
  entries: ServedEntry[];
  snapshots: SavedSnapshot[];
  /** Its own, then one of each snapshot. */
  parcels: Uint8Array[];
}

/** What one call changed, on top of the image or call before it. */
export interface CallDelta {
  seq: number;
  /** Virtual time after it. */
  clock: number;
  entry: ServedEntry;
  /** The name it goes by, where it has one, with what a repeated call is answered. */
  operation?: [string, Known];
  /** State of what is woven into the session's calls, where something is. */
  woven?: unknown;
  /** Files by path; null: it is gone. Absent where none changed. */
  files?: [string, string | null][];
  /** Changed pages by service (`State.takeDelta`). */
  pages: [string, Uint8Array][];
}
