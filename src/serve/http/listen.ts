/** A node:http server with our time limits, as a promise, and its graceful end. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TreadleError } from '../../errors.js';
import type { HttpLimits } from './limits.js';
import { type PlainHandler, PlainLines } from './plain/lines.js';

export interface Listening {
  /** `http://127.0.0.1:4711` */
  origin: string;
  /** Stops taking connections, lets requests under way finish, hangs up on idle ones, cuts what is left after `closeMs`. */
  close(): Promise<void>;
}

/** Takes a connection over for another protocol. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const ended = (server: Server, lines: PlainLines | undefined, closeMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
      lines?.cut();
    }, closeMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });

export interface ListenMore {
  onConnection?: (() => void) | undefined;
  upgrade?: Upgrade | undefined;
  /** Serves plain requests without node's parser; all others still reach the listener. */
  plain?: PlainHandler | undefined;
  /** Neither the listener nor its connections keep the process alive. */
  unref?: boolean;
}

/** Connections go to `lines` first, and to node's own listener when they leave there. */
export const inFront = (server: Server, lines: PlainLines): PlainLines => {
  const own = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    lines.take(socket, () => {
      for (const listener of own) listener.call(server, socket);
    });
  });
  return lines;
};

/** Connections that wait to be accepted: a thousand agents that start at once must not have to knock again, a second later. */
const BACKLOG = 4_096;

/** Throws `cannot_listen` when the address is taken or not ours. */
export const listen = async (
  listener: RequestListener,
  host: string,
  port: number,
  limits: HttpLimits,
  { onConnection, upgrade, plain, unref = false }: ListenMore = {},
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
  const lines = plain && inFront(server, new PlainLines(plain, limits));
  if (onConnection) server.on('connection', onConnection);
  if (upgrade) server.on('upgrade', upgrade);
  if (unref) {
    server.unref();
    server.on('connection', (socket: Socket) => socket.unref());
  }
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
      lines?.close();
      return ended(server, lines, limits.closeMs);
    },
  };
};
