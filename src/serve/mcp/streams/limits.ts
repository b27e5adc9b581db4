/** What a server with streams and sessions takes before it says no. */

export interface StreamLimits {
  /** Bytes of one request's body. */
  bodyBytes: number;
  /** Event streams open at once; beyond it 503. */
  streams: number;
  /** Sessions at once; beyond it 503. */
  sessions: number;
  /** Seconds without a request or an open stream after which a session ends. */
  idleSeconds: number;
  /** Bytes that wait for a slow reader before it is cut off. */
  bufferedBytes: number;
  /** How long a client has to answer a question of ours. */
  askMs: number;
  /** How often open streams get a sign of life and idle sessions are looked for. */
  beatMs: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  bodyBytes: 1_048_576,
  streams: 10_000,
  sessions: 10_000,
  idleSeconds: 3600,
  bufferedBytes: 1_048_576,
  askMs: 300_000,
  beatMs: 15_000,
};
