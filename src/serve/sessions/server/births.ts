/** Opening and forking under grants: sessions that are there already were begun by who never heard the answer, and are answered again. */
import { TreadleError } from '../../../errors.js';
import type { ForkRequest, OpenedSession, OpenRequest } from '../../api.js';
import type { Once } from '../../trainer.js';
import { attempts, type Birth, type Grant } from './grants.js';
import { openedAgain } from './opened.js';
import type { SessionServer } from './session-server.js';
import type { Maybe } from './turns.js';

/** An id is used once: what is kept of one that is over would be taken for what is kept of another. */
const spent = (id: string): TreadleError =>
  new TreadleError({
    code: 'grant_spent',
    message: 'A session of this attempt is over',
    value: id,
    next: 'Ask again: the next attempt has sessions of its own.',
    fault: 'infrastructure',
    isRetryable: true,
  });

/** What the attempt was answered; undefined where none of its sessions was ever here. Throws `grant_spent`. */
const answered = (server: SessionServer, grants: readonly Grant[]): OpenedSession[] | undefined => {
  if (grants.some(({ id }) => server.roll.has(id))) return grants.map((grant) => openedAgain(server, grant));
  const over = grants.find(({ id }) => server.roll.isGone(id));
  if (over) throw spent(over.id);
  return undefined;
};

/** Throws what `SessionServer.open` throws, and `idempotency_conflict`. */
export const openAs = (server: SessionServer, request: OpenRequest, grant: Grant): Maybe<OpenedSession> =>
  answered(server, [grant])?.[0] ?? server.open(request, grant);

/** A fork that was to end in its session was asked for again: its branches are there. */
export const retire = async (server: SessionServer, id: string): Promise<void> => {
  const live = server.live(id);
  await live.turns.run(() => (live.status === 'open' || live.status === 'paused' ? live.become('forked') : undefined));
};

/** Throws what `SessionServer.fork` throws, and `idempotency_conflict`. */
export const forkAs = async (
  server: SessionServer,
  id: string,
  request: ForkRequest,
  grants: readonly Grant[],
): Promise<OpenedSession[]> => {
  const done = answered(server, grants);
  if (!done) return server.fork(id, request, grants);
  if (request.retire) await retire(server, id);
  return done;
};

/** The attempt that was made, or else the first of which no session is over; one that its process did not end is over. */
const attemptOf = (server: SessionServer, birth: Birth, once: Once): Grant[] => {
  const made = attempts(server.granting, birth, once).find((grants) => grants.every(({ id }) => server.roll.has(id)));
  if (made) return made;
  for (let attempt = 0; ; attempt++) {
    const grants = server.granting.of(birth, once, attempt);
    if (grants.some(({ id }) => server.roll.isGone(id))) continue;
    const there = grants.filter(({ id }) => server.roll.has(id));
    if (there.length === 0) return grants;
    // Its ids are used up: what is kept of those that end here says so.
    for (const { id } of there) server.discard(id);
  }
};

/** Under a key once, also where the process before this one began it. */
export const openOnce = async (
  server: SessionServer,
  request: OpenRequest,
  once: Once | undefined,
): Promise<OpenedSession> =>
  once?.key === undefined
    ? server.open(request)
    : openAs(server, request, attemptOf(server, { open: request }, once)[0] as Grant);

export const forkOnce = async (
  server: SessionServer,
  id: string,
  request: ForkRequest,
  once: Once | undefined,
): Promise<OpenedSession[]> =>
  once?.key === undefined
    ? server.fork(id, request)
    : forkAs(server, id, request, attemptOf(server, { fork: id, request }, once));
