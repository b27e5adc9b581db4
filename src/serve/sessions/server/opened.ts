/** What whoever opens a session is told, with its tokens. */
import type { OpenedSession } from '../../api.js';
import { keyConflict } from '../../only-once.js';
import type { Grant } from './grants.js';
import type { LiveSession } from './live-session.js';
import type { SessionServer } from './session-server.js';
import { mintTokens } from './tokens.js';

/** Where agents connect to a session, or to one service of it; and its base URL as an HTTP API, where it has one. */
export interface Addresses {
  urlOf(id: string, service?: string): string;
  restOf(start: LiveSession['start']): string | undefined;
}

/** `tokens`: of the whole session, then one a service. */
export const openedOf = (
  live: LiveSession,
  tokens: readonly string[],
  { urlOf, restOf }: Addresses,
  brief: string | undefined,
): OpenedSession => {
  const { id, services } = live.start;
  const rest = restOf(live.start);
  const connect = (i: number, service?: string) => ({ token: tokens[i] as string, url: urlOf(id, service) });
  return {
    ...live.info(),
    ...connect(0),
    services: Object.fromEntries(services.map((service, i) => [service, connect(i + 1, service)])),
    ...(rest === undefined ? {} : { rest }),
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
  return openedOf(live, tokens, server, brief);
};
