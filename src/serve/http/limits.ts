/** What one server takes before it says no. */

export interface HttpLimits {
  /** Bytes of one request's body. */
  bodyBytes: number;
  /** Bodies being read at once; beyond it 503. */
  pendingBodies: number;
  /** A whole request must have arrived by then, else 408. */
  requestMs: number;
  /** How long an idle connection is kept; agents think for minutes between calls. */
  keepAliveMs: number;
  /** How long a closing server waits for requests under way. */
  closeMs: number;
  /** How often abandoned sessions are looked for. */
  reapMs: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 1_048_576,
  pendingBodies: 4_096,
  requestMs: 30_000,
  keepAliveMs: 600_000,
  closeMs: 5_000,
  reapMs: 30_000,
};
