/** One logical stream of server-sent events, which one response after another may carry while a client comes and goes (SEP-1699). */
import type { ServerResponse } from 'node:http';

export interface EventStreamOptions {
  /** Starts event ids; absent: events have none and are not kept. */
  name?: string;
  /** Bytes that may wait in a response for a slow reader, and bytes kept for one that is away. */
  bufferedBytes: number;
  /** Milliseconds after which a client that was hung up on should come back. */
  retryMs: number;
  /** Headers of every response. */
  headers?: Record<string, string>;
  /** Whether it opens with an id before there is any event (2025-11-25), so that a client can always come back. */
  primes?: () => boolean;
}

export interface EventStream {
  /** Whether it was taken: written, or kept for a client that can come back. */
  send(message: string): boolean;
  /** Sends from after `seen` on this response. Whatever carried the stream until now is ended. */
  carry(response: ServerResponse, seen?: number): void;
  /** Lets the client go; it is to come back for the rest. */
  hangUp(): void;
  /** Ends it, with a last message if there is one. */
  end(message?: string): void;
  readonly isCarried: boolean;
  readonly isEnded: boolean;
}

/** Events kept for a client that is away; beyond it the oldest go. */
const MOST_KEPT = 256;

/** One event. Data never has line ends of its own: it is JSON. */
export const eventText = (data: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${data}\n\n`;

/** `<name>-<number>`; undefined for what is no event id of ours. */
export const readEventId = (id: string): { name: string; seen: number } | undefined => {
  const parts = /^([A-Za-z0-9]{1,32})-(\d{1,9})$/.exec(id);
  return parts === null ? undefined : { name: parts[1]!, seen: Number(parts[2]) };
};

export const eventStream = (options: EventStreamOptions): EventStream => {
  const { name, bufferedBytes, retryMs, headers, primes } = options;
  const kept: { seq: number; message: string }[] = [];
  let keptBytes = 0;
  let last = 0;
  let isBegun = false;
  let isEnded = false;
  let carrier: ServerResponse | undefined;

  const write = (text: string): boolean => {
    if (carrier === undefined || carrier.destroyed) return false;
    // A reader that does not keep up is as good as gone.
    if (carrier.writableLength > bufferedBytes) {
      carrier.destroy();
      return false;
    }
    carrier.write(text);
    return true;
  };
  const drop = (): void => {
    const before = carrier;
    carrier = undefined;
    before?.end();
  };
  const keep = (message: string): void => {
    kept.push({ seq: last, message });
    keptBytes += message.length;
    while (kept.length > MOST_KEPT || (keptBytes > bufferedBytes && kept.length > 1))
      keptBytes -= kept.shift()!.message.length;
  };
  const send = (message: string): boolean => {
    if (isEnded || !isBegun) return false;
    last += 1;
    if (name === undefined) return write(eventText(message));
    keep(message);
    write(eventText(message, `${name}-${last}`));
    return true;
  };

  return {
    send,
    carry: (response, seen) => {
      drop();
      carrier = response;
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        ...headers,
      });
      isBegun = true;
      if (seen === undefined && primes?.()) write(`id: ${name}-${last}\nretry: ${retryMs}\ndata:\n\n`);
      else response.flushHeaders();
      for (const { seq, message } of seen === undefined ? [] : kept)
        if (seq > seen!) write(eventText(message, `${name}-${seq}`));
      if (isEnded) drop();
    },
    hangUp: drop,
    end: (message) => {
      if (message !== undefined) send(message);
      isEnded = true;
      drop();
    },
    get isCarried() {
      return carrier !== undefined && !carrier.destroyed;
    },
    get isEnded() {
      return isEnded;
    },
  };
};
