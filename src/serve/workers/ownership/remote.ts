/**
 * Ownership for who has no store of its own: each method one request over the link to whoever has. Answers and errors are those of the
 * store; `worker_link` beside them, when the link closed and nobody knows whether it was done.
 */
import { TreadleError } from '../../../errors.js';
import type { Ownership } from '../../durable/ownership/ownership.js';
import type { Rpc } from '../rpc/rpc.js';

const METHODS = [
  'register',
  'renew',
  'bury',
  'claim',
  'commitHead',
  'release',
  'forget',
  'reap',
  'sessions',
  'workers',
] as const satisfies readonly (keyof Ownership)[];
type Method = (typeof METHODS)[number];

const nameOf = (method: Method): string => `ownership.${method}`;

const badCall = (method: Method, value: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_request',
    message: 'A request about ownership comes with a list of arguments',
    value: `${method} ${typeof value}`,
    fault: 'infrastructure',
  });

/** Answers the other end of the link from this store. */
export const serveOwnership = (rpc: Rpc, ownership: Ownership): void => {
  for (const method of METHODS)
    rpc.handle(nameOf(method), async (params) => {
      if (!Array.isArray(params)) throw badCall(method, params);
      const ask = ownership[method].bind(ownership) as (...args: unknown[]) => Promise<unknown>;
      return { value: await ask(...params) };
    });
};

/** What the other end of the link knows. */
export const remoteOwnership = (rpc: Rpc): Ownership => {
  const ask = async <T>(method: Method, ...params: unknown[]): Promise<T> =>
    (await rpc.request(nameOf(method), params)).value as T;
  return {
    register: (name, ms) => ask('register', name, ms),
    renew: async (incarnation) =>
      (await ask<Awaited<ReturnType<Ownership['renew']>> | null>('renew', incarnation)) ?? undefined,
    bury: (incarnation) => ask('bury', incarnation),
    claim: (incarnation, sessions) => ask('claim', incarnation, sessions),
    commitHead: (incarnation, commits) => ask('commitHead', incarnation, commits),
    release: (incarnation, sessions) => ask('release', incarnation, sessions),
    forget: (incarnation, sessions) => ask('forget', incarnation, sessions),
    reap: () => ask('reap'),
    sessions: () => ask('sessions'),
    workers: () => ask('workers'),
  };
};
