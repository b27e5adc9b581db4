/** Clients of the gyms' wires, written from serving.md: raw WebSockets, raw HTTP, nothing shared with the doors. */
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

export interface Message {
  type: string;
  data: Record<string, unknown>;
}

export interface GymSocket {
  raw: WebSocket;
  send(value: unknown): void;
  /** The next message that nobody took yet. */
  next(): Promise<Message>;
  ask(value: unknown): Promise<Message>;
  /** Close code, once it is closed. */
  closed: Promise<number>;
}

/** Resolves when open; rejects with the handshake's status. */
export const openSocket = async (url: string, headers: Record<string, string> = {}): Promise<GymSocket> => {
  const raw = new WebSocket(url.replace('http', 'ws'), { headers, maxPayload: 64 * 1024 * 1024 });
  const arrived: Message[] = [];
  const wanted: { take(message: Message): void; fail(error: Error): void }[] = [];
  raw.on('message', (data) => {
    const message = JSON.parse(data.toString()) as Message;
    const taker = wanted.shift();
    if (taker) taker.take(message);
    else arrived.push(message);
  });
  const closed = new Promise<number>((resolve) =>
    raw.once('close', (code) => {
      for (const { fail } of wanted) fail(new Error(`closed ${code}`));
      resolve(code);
    }),
  );
  raw.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    raw.once('open', resolve);
    raw.once('unexpected-response', (_request, response) => reject(new Error(`status ${response.statusCode}`)));
    raw.once('error', reject);
  });
  const next = (): Promise<Message> => {
    const first = arrived.shift();
    if (first) return Promise.resolve(first);
    return new Promise((take, fail) => wanted.push({ take, fail }));
  };
  const send = (value: unknown): void => raw.send(typeof value === 'string' ? value : JSON.stringify(value));
  return {
    raw,
    send,
    next,
    ask: (value) => {
      const answer = next();
      send(value);
      return answer;
    },
    closed,
  };
};

/** A handshake by hand on a bare TCP socket, which then answers nothing, pings included. */
export const deafSocket = async (url: string): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
};

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

export const request = async (
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers };
};

export const deepJson = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
