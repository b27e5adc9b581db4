/** The environments of one door, by their ids. An id is a capability: who has it reaches the environment. */
import { randomBytes } from 'node:crypto';
import { TreadleError } from '../../../errors.js';
import { wallSeconds } from '../../../kit/clock.js';
import type { Trainer } from '../../trainer.js';
import { type Defaults, Environment } from './environment.js';

export interface Environments {
  /** Throws `at_capacity`. `held`: made over HTTP, and not bound to a socket. */
  create(held: boolean): Environment;
  /** Counts as use. Throws `unknown_session`. */
  find(id: string): Environment;
  has(id: string): boolean;
  remove(environment: Environment): Promise<void>;
  /** Closes those made over HTTP that nobody uses; returns how many. */
  reap(): number;
  closeAll(): Promise<void>;
  now(): number;
  readonly size: number;
}

export interface EnvironmentsOptions {
  trainer: Trainer;
  defaults: Defaults;
  capacity: number;
  idleSeconds: number;
  /** Seconds on any clock that does not go backwards. */
  now?: () => number;
}

/** A session of a living socket is in use, however long its agent thinks; the heartbeat ends it when the socket is dead. */
const SOCKET_IDLE_SECONDS = 604_800;

export const environmentsOf = (options: EnvironmentsOptions): Environments => {
  const { trainer, defaults, capacity, idleSeconds, now = wallSeconds } = options;
  const known = new Map<string, Environment>();

  const remove = (environment: Environment): Promise<void> => {
    known.delete(environment.id);
    return environment.close();
  };

  const reap = (): number => {
    const at = now();
    const idle = [...known.values()].filter(
      ({ held, attached, usedAt }) => held && attached === 0 && at - usedAt >= idleSeconds,
    );
    for (const environment of idle) void remove(environment);
    return idle.length;
  };

  return {
    create: (held) => {
      if (known.size >= capacity) reap();
      if (known.size >= capacity)
        throw new TreadleError({
          code: 'at_capacity',
          message: 'No room for another environment',
          value: capacity,
          next: 'Close one, or wait and try again.',
          fault: 'infrastructure',
          isRetryable: true,
        });
      const id = randomBytes(24).toString('base64url');
      const environment = new Environment(id, held, trainer, defaults, held ? idleSeconds : SOCKET_IDLE_SECONDS);
      environment.usedAt = now();
      known.set(id, environment);
      return environment;
    },
    find: (id) => {
      const environment = known.get(id);
      if (environment === undefined || environment.closed)
        throw new TreadleError({
          code: 'unknown_session',
          message: 'There is no such session',
          value: id,
          next: 'It was closed or idle for too long, or never was: create one.',
        });
      environment.usedAt = now();
      return environment;
    },
    has: (id) => known.has(id),
    remove,
    reap,
    now,
    closeAll: async () => {
      await Promise.all([...known.values()].map(remove));
    },
    get size() {
      return known.size;
    },
  };
};
