/** What a gym door takes before it says no. */
import { DEFAULT_LIMITS, type HttpLimits } from '../http/limits.js';

export interface GymLimits extends HttpLimits {
  /** Environments or cookie sessions at once at this door. */
  sessions: number;
  /** Seconds without a request after which one is closed; a WebSocket that answers pings keeps its own. */
  idleSeconds: number;
  /** How often a WebSocket is pinged; one that let a ping go unanswered until the next is hung up on. */
  heartbeatMs: number;
  /** Bytes of a body that carries whole rollouts (`/verify`, `/aggregate_metrics`): these hold token ids as well. */
  rolloutBytes: number;
}

export const DEFAULT_GYM_LIMITS: GymLimits = {
  ...DEFAULT_LIMITS,
  sessions: 10_000,
  idleSeconds: 3600,
  heartbeatMs: 30_000,
  rolloutBytes: 33_554_432,
};
