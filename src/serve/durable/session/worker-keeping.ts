/** A worker's part in keeping sessions, as its front asks for it: take over, hand over, write all. */
import { join } from 'node:path';
import { TreadleError } from '../../../errors.js';
import { lostSession } from '../../sessions/server/refusals.js';
import type { Keeping, Outcomes } from '../../workers/worker/keeping.js';
import type { HouseKeeping } from './house-keeping.js';
import { deadLogs } from './logs.js';
import type { Recovered } from './recovery.js';

const whyNot = (one: Recovered): TreadleError | undefined => {
  if (one.outcome === 'recovered' || one.outcome === 'rolled_back') return undefined;
  if (one.outcome === 'lost') return lostSession(one.session, one.why, one.mayReturn);
  if (one.outcome === 'owned')
    return new TreadleError({
      code: 'session_moving',
      message: 'Another worker still has the session',
      value: { session: one.session, owner: one.owner },
      next: 'Ask again in a moment.',
      fault: 'infrastructure',
      isRetryable: true,
    });
  return lostSession(one.session, 'it had ended', false);
};

const stays = (session: string): TreadleError =>
  new TreadleError({
    code: 'cannot_move',
    message: 'The session cannot be saved now, so it stays where it is',
    value: session,
    next: 'See that the blob store can be written, and move it again.',
    fault: 'infrastructure',
    isRetryable: true,
  });

/** `folder`: the data folder. */
export const workerKeeping = (house: HouseKeeping, folder: string): Keeping => ({
  adopt: async (sessions): Promise<Outcomes> => {
    const alive = (await house.options.ownership.workers()).filter(({ dead }) => !dead);
    const dead = deadLogs(
      join(folder, 'logs'),
      alive.map(({ incarnation }) => incarnation),
    );
    const { sessions: taken } = await house.adopt(dead, sessions);
    return new Map(taken.map((one) => [one.session, whyNot(one)]));
  },
  release: async (sessions): Promise<Outcomes> => {
    const went = new Set(await house.release(sessions));
    return new Map(sessions.map((session) => [session, went.has(session) ? undefined : stays(session)]));
  },
  flush: () => house.close(),
});
