/** Serves NeMo Gym's resources-server protocol on an address of its own. */
import { type Allowed, guardOf } from '../../http/guard.js';
import type { Trainer } from '../../trainer.js';
import { DEFAULT_GYM_LIMITS, type GymLimits } from '../limits.js';
import { type GymListening, listenDoor } from '../listen.js';
import { nemoGymDoor } from './door.js';

export interface ServeNemoGymOptions {
  trainer: Trainer;
  /** Loopback when absent; elsewhere a token is needed. */
  host?: string;
  /** 0, any free one, when absent. */
  port?: number;
  /** Bearer token of every request but the agents' own to `/mcp`. */
  token?: string;
  /** Further names that Host and Origin headers may hold. */
  allowed?: Allowed;
  /** What is seeded by a row that names no task. */
  defaults?: { task?: string };
  limits?: Partial<GymLimits>;
}

/** Throws `token_needed`, `weak_token`, `cannot_listen`. */
export const serveNemoGym = (options: ServeNemoGymOptions): Promise<GymListening> => {
  const { trainer, host = '127.0.0.1', port = 0, token, allowed = {}, defaults } = options;
  const limits = { ...DEFAULT_GYM_LIMITS, ...options.limits };
  const guard = guardOf({ hosts: [host, ...(allowed.hosts ?? [])], origins: allowed.origins ?? [] });
  return listenDoor(() => nemoGymDoor({ trainer, guard, limits, token, defaults }), { host, port, token, limits });
};
