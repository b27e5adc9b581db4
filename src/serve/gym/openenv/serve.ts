/** Serves OpenEnv on an address of its own. */
import { type Allowed, guardOf } from '../../http/guard.js';
import type { Trainer } from '../../trainer.js';
import { DEFAULT_GYM_LIMITS, type GymLimits } from '../limits.js';
import { type GymListening, listenDoor } from '../listen.js';
import { openEnvDoor } from './door.js';
import type { Defaults } from './environment.js';

export interface ServeOpenEnvOptions {
  trainer: Trainer;
  /** Loopback when absent; elsewhere a token is needed. */
  host?: string;
  /** 0, any free one, when absent. */
  port?: number;
  /** Bearer token of every request. */
  token?: string;
  /** Further names that Host and Origin headers may hold. */
  allowed?: Allowed;
  /** What is played where a client names no task. */
  defaults?: Defaults;
  limits?: Partial<GymLimits>;
}

/** Throws `token_needed`, `weak_token`, `cannot_listen`. */
export const serveOpenEnv = (options: ServeOpenEnvOptions): Promise<GymListening> => {
  const { trainer, host = '127.0.0.1', port = 0, token, allowed = {}, defaults } = options;
  const limits = { ...DEFAULT_GYM_LIMITS, ...options.limits };
  const guard = guardOf({
    hosts: [host, ...(allowed.hosts ?? [])],
    ...(allowed.origins ? { origins: allowed.origins } : {}),
  });
  return listenDoor(() => openEnvDoor({ trainer, guard, limits, token, defaults }), { host, port, token, limits });
};
