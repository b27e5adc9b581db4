/** A SessionServer on the network: agents on one port, trainers on another with another token, the gyms on ports of their own. */
import { TreadleError } from '../errors.js';
import { FairQueue } from './http/fair-queue.js';
import { type Allowed, guardOf } from './http/guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from './http/limits.js';
import { listen } from './http/listen.js';
import { serveHttp } from './http/serve.js';
import { digestOf, mintToken } from './http/tokens.js';
import { restDoor } from './rest/door.js';
import { inProcess } from './sessions/server/in-process.js';
import { metricsOf } from './sessions/server/info.js';
import type { SessionServer } from './sessions/server/session-server.js';

export interface DoorAt {
  /** Loopback when absent. */
  host?: string;
  /** 0, any free one, when absent. */
  port?: number;
  /** Minted when absent, and needed by whoever comes in. The gyms' clients can send none: theirs is optional on loopback. */
  token?: string;
}

export interface MegaMcpOptions {
  server: SessionServer;
  agents?: Omit<DoorAt, 'token'>;
  trainers?: DoorAt;
  /** Not served when absent. */
  openEnv?: DoorAt;
  nemoGym?: DoorAt;
  /** Further names that Host and Origin headers may hold. */
  allowed?: Allowed;
  limits?: Partial<HttpLimits>;
}

export interface MegaMcp {
  /** Of the agents' MCP endpoint. */
  url: string;
  trainers: { url: string; token: string };
  openEnv?: string;
  nemoGym?: string;
  /** Requests that were read wait for their turn. */
  isBusy(): boolean;
  /** Graceful: requests under way end first. The sessions stay with the server, which is the caller's to shut down. */
  close(): Promise<void>;
}

const usableToken = (token: string = mintToken()): string => {
  if (/^[A-Za-z0-9\-._~+/]{22,512}=*$/.test(token)) return token;
  throw new TreadleError({
    code: 'weak_token',
    message: 'The admin token is too short or holds characters that a header cannot',
    next: 'Use at least 22 letters, digits, - or _, or leave it out and one is made.',
  });
};

/** Throws `cannot_listen`, `weak_token`, `token_needed`; nothing listens then. */
export const serveMegaMcp = async (options: MegaMcpOptions): Promise<MegaMcp> => {
  const { server, agents = {}, trainers = {}, openEnv, nemoGym, allowed = {} } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const onDefect = server.options.onDefect;
  const token = usableToken(trainers.token);
  const trainer = inProcess(server);
  const queue = new FairQueue();
  const doors: { close(): Promise<void> }[] = [];
  const opened = <T extends { close(): Promise<void> }>(door: T): T => {
    doors.push(door);
    return door;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(doors.map((door) => door.close()));
  };
  try {
    const { host = '127.0.0.1', port = 0 } = agents;
    const mcp = onDefect ? { onDefect } : {};
    const agentsDoor = opened(await serveHttp({ keeper: server, host, port, allowed, mcp, limits, queue }));
    server.urlOf = (id, service) => `${agentsDoor.origin}/s/${id}${service === undefined ? '' : `/${service}`}/mcp`;
    // Read when they are first needed: a server that nobody scrapes and no gym asks stays small.
    const metrics = async (): Promise<string> =>
      (await import('./ledger/metrics.js')).metricsText(metricsOf(server, () => queue.length));
    const own = trainers.host ?? '127.0.0.1';
    const guard = guardOf({ hosts: [own, ...(allowed.hosts ?? [])] });
    const rest = restDoor({ trainer, digest: digestOf(token), guard, limits, metrics, queue, onDefect });
    const trainersDoor = opened(
      await listen(rest.listener, own, trainers.port ?? 0, limits, {
        onConnection: () => queue.knock(),
        plain: rest.plain,
      }),
    );
    const gym =
      openEnv && opened(await (await import('./gym/openenv/serve.js')).serveOpenEnv({ trainer, allowed, ...openEnv }));
    const nemo =
      nemoGym && opened(await (await import('./gym/nemo/serve.js')).serveNemoGym({ trainer, allowed, ...nemoGym }));
    return {
      url: agentsDoor.url,
      trainers: { url: trainersDoor.origin, token },
      ...(gym ? { openEnv: gym.url } : {}),
      ...(nemo ? { nemoGym: nemo.url } : {}),
      isBusy: () => queue.length > 0,
      close: closeAll,
    };
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }
};
