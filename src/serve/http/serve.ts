/** Opens both doors of a session directory on HTTP. */
import { TreadleError } from '../../errors.js';
import { mcpHandler } from '../mcp/handler.js';
import type { McpOptions } from '../mcp/methods.js';
import { adminDoor, type OpenSession } from './admin-door.js';
import { agentDoor } from './agent-door.js';
import type { SessionDirectory } from './directory.js';
import { type Allowed, guardOf } from './guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
import { listen } from './listen.js';
import { digestOf, mintToken } from './tokens.js';

export interface AdminOptions {
  open: OpenSession;
  /** At least 128 bits; minted when absent. */
  token?: string;
  /** 0, any free one, when absent. */
  port?: number;
  /** Loopback when absent, wherever the agents' door is. */
  host?: string;
}

export interface ServeHttpOptions {
  directory: SessionDirectory;
  /** Absent: no admin door; sessions are opened through `directory` alone. */
  admin?: AdminOptions;
  /** Loopback when absent. Elsewhere, say with `allowed.hosts` what the server is called. */
  host?: string;
  port: number;
  /** Further names that Host and Origin headers may hold. */
  allowed?: Allowed;
  mcp?: McpOptions;
  limits?: Partial<HttpLimits>;
}

export interface Serving {
  /** Of the agents' MCP endpoint: `http://127.0.0.1:4711/mcp`. */
  url: string;
  adminUrl?: string;
  adminToken?: string;
  /** Graceful; sessions stay in the directory. */
  close(): Promise<void>;
}

const adminTokenOf = (admin: AdminOptions): string => {
  const token = admin.token ?? mintToken();
  if (/^[A-Za-z0-9\-._~+/]{22,512}=*$/.test(token)) return token;
  throw new TreadleError({
    code: 'weak_token',
    message: 'The admin token is too short or holds characters that a header cannot',
    next: 'Use at least 22 letters, digits, - or _, or leave it out and one is made.',
  });
};

/** Serves the directory's sessions over MCP and, with `admin`, its owners on a second port. Throws `cannot_listen`, `weak_token`. */
export const serveHttp = async (options: ServeHttpOptions): Promise<Serving> => {
  const { directory, admin, host = '127.0.0.1', port, allowed = {}, mcp } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const adminToken = admin && adminTokenOf(admin);
  const guard = guardOf({ hosts: [host, ...(allowed.hosts ?? [])], origins: allowed.origins });
  const adminHost = admin?.host ?? '127.0.0.1';
  const agents = await listen(agentDoor({ handler: mcpHandler(mcp), directory, guard, limits }), host, port, limits);
  const owners =
    admin &&
    (await listen(
      adminDoor({
        open: admin.open,
        digest: digestOf(adminToken!),
        agentOrigin: agents.origin,
        directory,
        guard: guardOf({ hosts: [adminHost, ...(allowed.hosts ?? [])] }),
        limits,
        onDefect: mcp?.onDefect,
      }),
      adminHost,
      admin.port ?? 0,
      limits,
    ).catch(async (thrown: unknown) => {
      await agents.close();
      throw thrown;
    }));
  const reaper = setInterval(() => directory.reap(), limits.reapMs);
  reaper.unref();
  return {
    url: `${agents.origin}/mcp`,
    ...(owners && { adminUrl: owners.origin, adminToken: adminToken! }),
    close: async () => {
      clearInterval(reaper);
      await Promise.all([agents.close(), owners?.close()]);
    },
  };
};
