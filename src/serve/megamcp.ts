/** A SessionServer on the network: agents on one port, trainers on another with another token, the gyms on ports of their own. */
import { type Behind, type Doors, type DoorsOptions, serveDoors } from './doors.js';
import { agentDoor } from './http/agent-door.js';
import { mcpHandler } from './mcp/handler.js';
import { inProcess } from './sessions/server/in-process.js';
import { metricsOf } from './sessions/server/info.js';
import type { SessionServer } from './sessions/server/session-server.js';

export interface MegaMcpOptions extends DoorsOptions {
  server: SessionServer;
}

/** Closing it leaves the sessions with the server, which is the caller's to shut down. */
export type MegaMcp = Doors;

const behindServer = (server: SessionServer): Behind => {
  const { onDefect } = server.options;
  return {
    trainer: inProcess(server),
    agents: (door) => agentDoor({ handler: mcpHandler(onDefect ? { onDefect } : {}), keeper: server, ...door }),
    // Read when it is first needed: a server that nobody scrapes stays small.
    metrics: async (deferred) => (await import('./ledger/metrics.js')).metricsText(metricsOf(server, deferred)),
    found: (urlOf) => {
      server.urlOf = urlOf;
    },
    onDefect,
  };
};

/** Throws `cannot_listen`, `weak_token`, `token_needed`; nothing listens then. */
export const serveMegaMcp = ({ server, ...options }: MegaMcpOptions): Promise<MegaMcp> =>
  serveDoors(behindServer(server), options);
