/** The way back to a client over the response to its own POST: plain JSON until there is something to say before the answer. */
import type { ServerResponse } from 'node:http';
import { sendEvent, sendJson } from '../../http/reply.js';

import type { Outlet } from '../connection.js';
import { type Reply, textOf } from '../messages.js';
import { type EventStream, type EventStreamOptions, eventStream } from './event-stream.js';
import type { ClientSession } from './sessions.js';

export interface PostOutlet {
  /** Absent where the client reads no event stream. */
  outlet: Outlet | undefined;
  /** Sends the answer, on the stream if there is one by now. */
  finish(reply: Reply): void;
}

export interface PostOutletOptions {
  response: ServerResponse;
  session: ClientSession | undefined;
  form: { json: boolean; events: boolean };
  /** Takes a place for a stream on this response, if there is one left. */
  admit: (response: ServerResponse) => boolean;
  stream: Pick<EventStreamOptions, 'bufferedBytes' | 'retryMs'>;
}

export const postOutlet = ({ response, session, form, admit, stream: limits }: PostOutletOptions): PostOutlet => {
  let stream: EventStream | undefined;
  const open = (): EventStream | undefined => {
    if (stream === undefined && !response.destroyed && admit(response)) {
      stream = session?.newStream() ?? eventStream(limits);
      stream.carry(response);
    }
    return stream;
  };
  // A session's client may come back for its answer; any other that hangs up is gone.
  const closed = new AbortController();
  if (session === undefined) response.once('close', () => closed.abort());
  const outlet: Outlet = {
    send: (message) => open()?.send(message) ?? false,
    gone: session?.gone ?? closed.signal,
    ...(session?.canResume() ? { hangUp: () => open()?.hangUp() } : {}),
  };
  return {
    outlet: form.events ? outlet : undefined,
    finish: (reply) => {
      if (stream !== undefined) stream.end(reply.body === undefined ? undefined : textOf(reply.body));
      else if (response.destroyed) return;
      else if (!form.json && reply.body !== undefined && reply.status === 200) sendEvent(response, 200, reply.body);
      else sendJson(response, reply.status, reply.body);
    },
  };
};
