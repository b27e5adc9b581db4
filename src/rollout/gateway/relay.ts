/** Passes a chat completion on to a backend that speaks OpenAI's dialect, as it is, and reads along. */
import { once } from 'node:events';
import { TreadleError } from '../../errors.js';
import type { Backend } from '../../models/backend.js';
import { badAnswer, failed, post, postJson, type Server } from '../../models/post.js';
import { type Retries, retrying } from '../../models/retry.js';
import { fromWire } from '../../models/wire.js';
import type { Answer, Asked, Chunk, Writer } from './asked.js';
import { collect } from './collect.js';
import { eventData } from './events.js';

/** Where one answer comes from. `drained` waits until the client has read what it was sent. */
export interface Way {
  asked: Asked;
  writer: Writer;
  signal: AbortSignal;
  drained(): Promise<unknown>;
  /** Told of each failure of the backend that is made good by another attempt. */
  onRetry(): void;
}

/** One answer; for streams every event has been written by then. */
export type Answerer = (way: Way) => Promise<Answer>;

const chunkOf = (data: string): Chunk => {
  let chunk: Chunk & { error?: { message?: unknown } };
  try {
    chunk = JSON.parse(data);
  } catch (cause) {
    throw badAnswer('The model endpoint streams events that are no JSON', (cause as Error).message);
  }
  if (chunk === null || typeof chunk !== 'object' || chunk.error)
    throw badAnswer('The model endpoint broke off with an error', chunk?.error?.message ?? data);
  return chunk;
};

const relayStream = async (server: Server, url: string, body: object, way: Way): Promise<Answer> => {
  const { writer, signal } = way;
  const response = await post(server, url, JSON.stringify(body), signal);
  const type = String(response.headers['content-type'] ?? '');
  if (!type.startsWith('text/event-stream')) {
    response.destroy();
    throw badAnswer('The model endpoint streams nothing', type);
  }
  const collected = collect();
  try {
    // A break must not end the connection: the next request uses it again.
    for await (const events of eventData(response.iterator({ destroyOnReturn: false }))) {
      const end = events.indexOf('[DONE]');
      let isFlowing = true;
      for (const data of end < 0 ? events : events.slice(0, end)) {
        const chunk = chunkOf(data);
        collected.add(chunk);
        isFlowing = writer.chunk(chunk, data.includes('\n') ? JSON.stringify(chunk) : data);
      }
      if (end >= 0) break;
      if (!isFlowing) await way.drained();
    }
  } catch (thrown) {
    response.destroy();
    throw thrown instanceof TreadleError ? thrown : failed(thrown, server, signal);
  }
  response.resume();
  if (!collected.isWhole()) throw badAnswer('The model endpoint ended its stream in the middle', server.place.url);
  return { reply: collected.reply() };
};

/** An answer of which anything was passed on is not asked for again. */
export const relayTo = (backend: Backend, server: Server, retries: Retries): Answerer => {
  const url = `${server.place.url}/chat/completions`;
  const attempt = async (way: Way): Promise<Answer> => {
    const { asked, signal } = way;
    const body = { ...asked.body, ...backend.sampling, model: backend.model };
    if (asked.isStream)
      return relayStream(server, url, { ...body, stream: true, stream_options: { include_usage: true } }, way);
    const { text, json } = await postJson(server, url, { ...body, stream: false }, signal);
    return { reply: fromWire(json), text };
  };
  return (way) =>
    retrying(() => attempt(way), retries, way.signal, { isCommitted: way.writer.hasBegun, onRetry: way.onRetry });
};

/** Resolves when `response` can take more, rejects when the client is gone. */
export const drain =
  (response: NodeJS.EventEmitter, signal: AbortSignal): Way['drained'] =>
  () =>
    once(response, 'drain', { signal }).catch(() => {
      throw new TreadleError({ code: 'cut', message: 'The client has gone away', fault: 'infrastructure' });
    });
