/** The seam between the agents' door and whoever keeps sessions: a token in, what its bearer may do now out. */
import type { ToolHost } from '../tool-host.js';

/** A session, or one service of it, as found by its token; `ended` turns true when its keeper lets go of it. */
export interface Admitted {
  readonly id: string;
  /** The only service that the token opens; absent: all of the session's. */
  readonly service?: string | undefined;
  readonly host: ToolHost;
  readonly ended: boolean;
  /** Its number in the order of opening while no tool of it was called yet. */
  readonly rank?: number | undefined;
}

/** `gone`: it was ours once. `recovering`: its process died, and what was kept of it cannot be had yet. */
export type Found =
  | { state: 'open'; session: Admitted }
  | { state: 'paused' | 'forked' | 'recovering' | 'gone' | 'unknown' };

export interface Doorkeeper {
  /** Authorises a token now and counts as use. */
  find(token: string): Found;
  /** Ends what nobody uses any more; called from time to time. */
  reap?(): unknown;
}
