/** Lets a gym door listen: an HTTP server with our time limits that takes upgrades too. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TreadleError } from '../../errors.js';
import { checkToken } from './access.js';
import type { GymDoor } from './door.js';
import type { GymLimits } from './limits.js';

export interface GymListening {
  /** `http://127.0.0.1:4711` */
  url: string;
  /** Hangs up, closes the sessions that were opened here, and ends. */
  close(): Promise<void>;
}

const ended = (server: Server, closeMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), closeMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });

/** Connections that wait to be accepted, when a whole batch of rollouts starts at once. */
const BACKLOG = 4_096;

const bound = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new TreadleError({
          code: 'cannot_listen',
          message: `Cannot listen on ${host}:${port} (${cause.code})`,
          value: port,
          next: 'Choose another port, or 0 for any free one.',
          cause,
        }),
      ),
    );
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });

export interface ListenAt {
  host: string;
  port: number;
  token: string | undefined;
  limits: GymLimits;
}

/** Throws `token_needed`, `weak_token`, and `cannot_listen` when the address is taken or not ours. */
export const listenDoor = async (make: () => GymDoor, at: ListenAt): Promise<GymListening> => {
  const { host, port, token, limits } = at;
  checkToken(host, token);
  const door = make();
  let isClosing = false;
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: Math.min(limits.requestMs, 10_000),
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.requestMs, 5_000),
    },
    (request, response) => {
      response.once('finish', () => {
        if (isClosing) request.socket.end();
      });
      door.request(request, response);
    },
  );
  if (door.upgrade) server.on('upgrade', door.upgrade);
  try {
    await bound(server, host, port);
  } catch (thrown) {
    await door.close();
    throw thrown;
  }
  server.on('error', () => {});
  const { address, family, port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    close: async () => {
      isClosing = true;
      await Promise.all([ended(server, limits.closeMs), door.close()]);
    },
  };
};
