/** A node:http server with our time limits, as a promise, and its graceful end. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TreadleError } from '../../errors.js';
import type { HttpLimits } from './limits.js';

export interface Listening {
  /** `http://127.0.0.1:4711` */
  origin: string;
  /** Stops taking connections, lets requests under way finish, hangs up on idle ones, cuts what is left after `closeMs`. */
  close(): Promise<void>;
}

/** Takes a connection over for another protocol. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const ended = (server: Server, closeMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), closeMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });

/** Connections that wait to be accepted: a thousand agents that start at once must not have to knock again, a second later. */
const BACKLOG = 4_096;

/** Throws `cannot_listen` when the address is taken or not ours. */
export const listen = async (
  listener: RequestListener,
  host: string,
  port: number,
  limits: HttpLimits,
  more: { onConnection?: (() => void) | undefined; upgrade?: Upgrade | undefined } = {},
): Promise<Listening> => {
  let isClosing = false;
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: Math.min(limits.requestMs, 10_000),
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.requestMs, 5_000),
    },
    (request, response) => {
      // An answer that was begun before the close would leave its connection waiting for more.
      response.once('finish', () => {
        if (isClosing) request.socket.end();
      });
      listener(request, response);
    },
  );
  if (more.onConnection) server.on('connection', more.onConnection);
  if (more.upgrade) server.on('upgrade', more.upgrade);
  await new Promise<void>((resolve, reject) => {
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
  // A connection that cannot be accepted (no file handles left) is that client's loss, not the end of the process.
  server.on('error', () => {});
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () => {
      isClosing = true;
      return ended(server, limits.closeMs);
    },
  };
};
