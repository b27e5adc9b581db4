/** Opens the agents' door on HTTP: MCP for whoever holds a token that the keeper issued. */
import { mcpHandler } from '../mcp/handler.js';
import type { McpOptions } from '../mcp/methods.js';
import { agentDoor } from './agent-door.js';
import { FairQueue } from './fair-queue.js';
import { type Allowed, guardOf } from './guard.js';
import type { Doorkeeper } from './keeper.js';
import { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
import { listen } from './listen.js';

export interface ServeHttpOptions {
  keeper: Doorkeeper;
  /** Loopback when absent. Elsewhere, say with `allowed.hosts` what the server is called. */
  host?: string;
  port: number;
  /** Further names that Host and Origin headers may hold. */
  allowed?: Allowed;
  mcp?: McpOptions;
  limits?: Partial<HttpLimits>;
  queue?: FairQueue;
}

export interface Serving {
  /** `http://127.0.0.1:4711` */
  origin: string;
  /** Of the MCP endpoint: `http://127.0.0.1:4711/mcp`. */
  url: string;
  /** Graceful; sessions stay with their keeper. */
  close(): Promise<void>;
}

/** Throws `cannot_listen`. */
export const serveHttp = async (options: ServeHttpOptions): Promise<Serving> => {
  const { keeper, host = '127.0.0.1', port, allowed = {}, mcp, queue = new FairQueue() } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const guard = guardOf({ hosts: [host, ...(allowed.hosts ?? [])], origins: allowed.origins });
  const door = agentDoor({ handler: mcpHandler(mcp), keeper, guard, limits, queue });
  const { origin, close } = await listen(door.listener, host, port, limits, {
    onConnection: () => queue.knock(),
    plain: door.plain,
  });
  const reaper = setInterval(() => keeper.reap?.(), limits.reapMs);
  reaper.unref();
  return {
    origin,
    url: `${origin}/mcp`,
    close: async () => {
      clearInterval(reaper);
      await close();
    },
  };
};
