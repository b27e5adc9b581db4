/** The door's WebSockets: who may open one, to which environment it speaks, and how a dead one is noticed. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { TreadleError } from '../../../errors.js';
import type { Upgrade } from '../../http/listen.js';
import type { Access, Refusal } from '../access.js';
import type { GymLimits } from '../limits.js';
import type { Environment } from './environment.js';
import type { Environments } from './environments.js';
import { thrownMessage } from './messages.js';
import { gymAnswer, type Heart, rpcAnswer, serveSocket } from './socket.js';

/** Sockets that may speak to one environment. */
const MOST_ATTACHED = 16;

export interface Sockets {
  upgrade: Upgrade;
  /** Pings all; hangs up on those that answered nothing since the last time. */
  beat(): void;
  close(): Promise<void>;
}

const refuseUpgrade = (socket: Duplex, { status, code, message, headers = {} }: Refusal): void => {
  const body = JSON.stringify({ detail: message, error: { code, message } });
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${body}`);
};

export const socketsOf = (environments: Environments, access: Access, limits: GymLimits): Sockets => {
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.bodyBytes, perMessageDeflate: false });
  const hearts = new Map<WebSocket, Heart>();

  const attach = (id: string | undefined): Environment => {
    const environment = id === undefined ? environments.create(false) : environments.find(id);
    if (environment.attached >= MOST_ATTACHED)
      throw new TreadleError({
        code: 'at_capacity',
        message: 'Too many sockets speak to this session',
        value: MOST_ATTACHED,
        fault: 'infrastructure',
        isRetryable: true,
      });
    environment.attached++;
    return environment;
  };

  const serve = (socket: WebSocket, path: string, id: string | undefined): void => {
    let own: Environment;
    try {
      own = attach(id);
    } catch (thrown) {
      socket.on('error', () => {});
      // Clients cannot read the body of a refused handshake, so they are told on the socket.
      const isFull = thrown instanceof TreadleError && thrown.code === 'at_capacity';
      const more = { active_sessions: environments.size, max_sessions: limits.sessions };
      socket.send(thrownMessage(thrown, isFull ? more : {}), () => socket.close(isFull ? 1013 : 1008));
      return;
    }
    const answer = path === '/ws' ? gymAnswer(environments, own) : rpcAnswer(environments, own);
    const heart = serveSocket(socket, answer, () => {
      hearts.delete(socket);
      own.attached--;
      own.usedAt = environments.now();
      if (!own.held) void environments.remove(own);
    });
    hearts.set(socket, heart);
  };

  return {
    upgrade: (request: IncomingMessage, socket, head) => {
      socket.on('error', () => {});
      const wrong = access.all(request);
      if (wrong !== undefined) return refuseUpgrade(socket, wrong);
      const url = new URL(request.url ?? '/', 'http://door');
      if (url.pathname !== '/ws' && url.pathname !== '/mcp')
        return refuseUpgrade(socket, { status: 404, code: 'not_found', message: 'WebSockets are at /ws and /mcp' });
      const id = url.searchParams.get('session_id') ?? undefined;
      server.handleUpgrade(request, socket, head, (opened) => serve(opened, url.pathname, id));
    },
    beat: () => {
      for (const [socket, heart] of hearts) {
        // One that is not read while it is answered cannot be heard either.
        if (!heart.alive && !heart.working) socket.terminate();
        else {
          heart.alive = false;
          socket.ping();
        }
      }
    },
    close: async () => {
      const open = [...server.clients];
      for (const socket of open) socket.close(1001);
      const all = Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
      const cut = setTimeout(() => {
        for (const socket of open) socket.terminate();
      }, limits.closeMs);
      await all;
      clearTimeout(cut);
    },
  };
};
