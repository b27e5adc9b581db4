/** What the front forwards of agents, answered by the ordinary agents' door. */
import { agentDoor } from '../../http/agent-door.js';
import { FairQueue } from '../../http/fair-queue.js';
import type { Guard } from '../../http/guard.js';
import { DEFAULT_LIMITS, type HttpLimits } from '../../http/limits.js';
import type { PlainReply } from '../../http/plain/lines.js';
import { eventsText } from '../../http/reply.js';
import { mcpHandler } from '../../mcp/handler.js';
import type { Body } from '../../mcp/messages.js';
import type { SessionServer } from '../../sessions/server/session-server.js';
import type { Piece } from '../frames/frame.js';
import type { ReplyHead, VisitHead } from '../protocol.js';
import type { VisitHandler } from '../rpc/rpc.js';

/** The front looked at where requests come from and to, with names that it alone knows. */
const LOOKED_AT: Guard = { isHost: () => true, isOrigin: () => true };

/** Nearly all requests of a client have one head, and so have nearly all answers. */
const KEPT = 4_096;

const heads = <T>(): ((text: string) => T) => {
  const known = new Map<string, T>();
  return (text) => {
    let head = known.get(text);
    if (head === undefined) {
      head = JSON.parse(text) as T;
      if (known.size >= KEPT) known.clear();
      known.set(text, head);
    }
    return head;
  };
};

const OK_JSON = JSON.stringify({ status: 200, type: 'application/json' } satisfies ReplyHead);
const EVENTS = { 'cache-control': 'no-cache, no-transform' };

type Reply = (head: string, body: readonly Piece[]) => void;

class FramedReply implements PlainReply {
  /** Whether the client is still there only the front knows, and it drops what nobody waits for. */
  readonly isGone = false;

  constructor(readonly reply: Reply) {}

  json(status: number, body: Body | undefined, headers?: Readonly<Record<string, string>>): void {
    this.send(status, 'application/json', body, headers);
  }

  event(body: Body, messages: readonly string[] = []): void {
    this.send(200, 'text/event-stream', eventsText(body, messages), EVENTS);
  }

  send(status: number, type: string, body: Body | undefined, headers?: Readonly<Record<string, string>>): void {
    const pieces = body === undefined ? [] : typeof body === 'string' ? [body] : body;
    if (status === 200 && headers === undefined && type === 'application/json' && body !== undefined) {
      this.reply(OK_JSON, pieces);
      return;
    }
    const head: ReplyHead = { status, ...(body === undefined ? {} : { type }), ...(headers ? { headers } : {}) };
    this.reply(JSON.stringify(head), pieces);
  }
}

export interface Visits {
  handler: VisitHandler;
  queue: FairQueue;
}

/** `front`: names of forwarded requests begin with it. */
export const visitsTo = (server: SessionServer, front: string, limits: HttpLimits = DEFAULT_LIMITS): Visits => {
  const queue = new FairQueue();
  const { onDefect } = server.options;
  const handler = mcpHandler(onDefect ? { onDefect } : {});
  const door = agentDoor({ handler, keeper: server, guard: LOOKED_AT, limits, queue });
  const headOf = heads<VisitHead>();
  return {
    queue,
    handler: (text, body, number, reply) => {
      const { method, url, headers } = headOf(text);
      const forwarded = number === 0 ? undefined : `${front}.${number}`;
      door.plain({ method, url, headers, length: body.length, forwarded }, body, new FramedReply(reply));
    },
  };
};
