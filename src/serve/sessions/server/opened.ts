/** What whoever opens a session is told, with its tokens. */
import type { OpenedSession } from '../../api.js';
import { keyConflict } from '../../only-once.js';
import type { Grant } from './grants.js';
import type { LiveSession } from './live-session.js';
import type { SessionServer } from './session-server.js';
import { mintTokens } from './tokens.js';

type UrlOf = (id: string, service?: string) => string;

/** `tokens`: of the whole session, then one a service. */
export const openedOf = (
  live: LiveSession,
  tokens: readonly string[],
  urlOf: UrlOf,
  brief: string | undefined,
): OpenedSession => {
  const { id, services } = live.start;
  const connect = (i: number, service?: string) => ({ token: tokens[i] as string, url: urlOf(id, service) });
  return {
    ...live.info(),
    ...connect(0),
    services: Object.fromEntries(services.map((service, i) => [service, connect(i + 1, service)])),
    ...(brief === undefined ? {} : { brief }),
  };
};

/** What the opening or forking of a session was answered. Throws `unknown_session`, and `idempotency_conflict` where it was for another request. */
export const openedAgain = (server: SessionServer, { id, seed, print }: Grant): OpenedSession => {
  const live = server.live(id);
  const { services, digests, print: own, parent, pins } = live.start;
  const { tokens, digests: minted } = mintTokens(id, services.length + 1, seed);
  if (own !== print || !minted.equals(digests)) throw keyConflict(id);
  const brief = parent === undefined && pins.task ? server.openings.briefOf(pins.task.hash) : undefined;
  return openedOf(live, tokens, server.urlOf, brief);
};
