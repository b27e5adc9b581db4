/** All doors of a server on the network, whoever is behind them: one SessionServer, or a front with workers. */
import { TreadleError } from '../errors.js';
import type { AgentDoorForms } from './http/agent-door.js';
import { FairQueue } from './http/fair-queue.js';
import { type Allowed, type Guard, guardOf } from './http/guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from './http/limits.js';
import { listen } from './http/listen.js';
import { digestOf, mintToken } from './http/tokens.js';
import type { ServedJobs } from './jobs/desk.js';
import { restDoor } from './rest/door.js';
import type { Trainer } from './trainer.js';

export interface DoorAt {
  /** Loopback when absent. */
  host?: string;
  /** 0, any free one, when absent. */
  port?: number;
  /** Minted when absent, and needed by whoever comes in. The gyms' clients can send none: theirs is optional on loopback. */
  token?: string;
}

export interface DoorsOptions {
  agents?: Omit<DoorAt, 'token'>;
  trainers?: DoorAt;
  /** Not served when absent. */
  openEnv?: DoorAt;
  nemoGym?: DoorAt;
  /** Further names that Host and Origin headers may hold. */
  allowed?: Allowed;
  limits?: Partial<HttpLimits>;
}

/** What the agents' door is made with. */
export interface AgentsDoor {
  guard: Guard;
  limits: HttpLimits;
  queue: FairQueue;
}

/** Who answers behind the doors. */
export interface Behind {
  trainer: Trainer;
  agents(door: AgentsDoor): AgentDoorForms;
  /** Where work is left; absent: none is taken. */
  jobs?: ServedJobs | undefined;
  /** The text of /metrics; `deferred`: requests that wait for their turn at the doors. */
  metrics(deferred: () => number): Promise<string>;
  /** Told once where agents connect, before anybody can. */
  found(urlOf: (id: string, service?: string) => string): void;
  onDefect?: ((error: TreadleError) => void) | undefined;
}

export interface Doors {
  /** Of the agents' MCP endpoint. */
  url: string;
  trainers: { url: string; token: string };
  openEnv?: string;
  nemoGym?: string;
  /** Requests that were read wait for their turn. */
  isBusy(): boolean;
  /** Graceful: requests under way end first. */
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
export const serveDoors = async (behind: Behind, options: DoorsOptions): Promise<Doors> => {
  const { agents = {}, trainers = {}, openEnv, nemoGym, allowed = {} } = options;
  const { trainer, onDefect } = behind;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const token = usableToken(trainers.token);
  const queue = new FairQueue();
  const doors: { close(): Promise<void> }[] = [];
  const opened = <T extends { close(): Promise<void> }>(door: T): T => {
    doors.push(door);
    return door;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(doors.map((door) => door.close()));
  };
  const onConnection = (): void => queue.knock();
  try {
    const { host = '127.0.0.1', port = 0 } = agents;
    const door = behind.agents({
      guard: guardOf({ hosts: [host, ...(allowed.hosts ?? [])], origins: allowed.origins }),
      limits,
      queue,
    });
    const agentsDoor = opened(await listen(door.listener, host, port, limits, { onConnection, plain: door.plain }));
    behind.found((id, service) => `${agentsDoor.origin}/s/${id}${service === undefined ? '' : `/${service}`}/mcp`);
    const own = trainers.host ?? '127.0.0.1';
    const guard = guardOf({ hosts: [own, ...(allowed.hosts ?? [])] });
    const metrics = (): Promise<string> => behind.metrics(() => queue.length);
    const rest = restDoor({
      trainer,
      digest: digestOf(token),
      guard,
      limits,
      metrics,
      jobs: behind.jobs,
      queue,
      onDefect,
    });
    const trainersDoor = opened(
      await listen(rest.listener, own, trainers.port ?? 0, limits, { onConnection, plain: rest.plain }),
    );
    // Read when they are first needed: a server that no gym asks stays small.
    const gym =
      openEnv && opened(await (await import('./gym/openenv/serve.js')).serveOpenEnv({ trainer, allowed, ...openEnv }));
    const nemo =
      nemoGym && opened(await (await import('./gym/nemo/serve.js')).serveNemoGym({ trainer, allowed, ...nemoGym }));
    return {
      url: `${agentsDoor.origin}/mcp`,
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
