/** Records a model's replies and plays them back, so that tests run offline. One JSON line an exchange; no URL, no key. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { TreadleError } from '../errors.js';
import { addressOf } from '../kit/hash.js';
import type { ChatReply, ChatRequest, ModelClient } from './types.js';

/** `record` starts afresh and always asks the model; `replay` never does; `auto` asks for what is not there yet and keeps it. */
export type CassetteMode = 'record' | 'replay' | 'auto';

interface Exchange {
  key: string;
  request: ChatRequest & { model: string };
  reply: ChatReply;
}

/** What tells exchanges apart: the model, the messages, the tools, the sampling. */
export const exchangeKey = (model: string, request: ChatRequest): string => addressOf({ model, ...request });

interface Tape {
  replies: Map<string, ChatReply[]>;
  /** The lines that could be read. */
  text: string;
}

const readTape = (file: string): Tape => {
  const replies = new Map<string, ChatReply[]>();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const whole: string[] = [];
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue;
    try {
      const { key, reply } = JSON.parse(line) as Exchange;
      if (typeof key !== 'string' || !Array.isArray(reply?.calls)) throw new SyntaxError('no key or no reply');
      replies.set(key, [...(replies.get(key) ?? []), reply]);
      whole.push(`${line}\n`);
    } catch (cause) {
      // A recording that was cut off leaves half a last line: it is asked for again.
      if (n === lines.length - 1) break;
      throw new TreadleError({
        code: 'bad_cassette',
        message: `Line ${n + 1} of the cassette is no recorded exchange`,
        value: file,
        next: 'Delete the line, or record the cassette again.',
        cause,
      });
    }
  }
  return { replies, text: whole.join('') };
};

const missing = (file: string, model: string, key: string): TreadleError =>
  new TreadleError({
    code: 'cassette_missing',
    message: `The cassette holds no reply of ${model} to this request`,
    value: `${key.slice(0, 12)} in ${file}`,
    next: 'The request changed since it was recorded: record it again against the model.',
    fault: 'infrastructure',
  });

/**
 * Wraps a client; for `replay` a model name is enough. The n-th identical request gets the n-th recorded reply (the last one when
 * there are fewer). Throws `cassette_missing` for a request that was never recorded, `bad_cassette` for a damaged file.
 */
export const cassette = (client: ModelClient | { model: string }, file: string, mode: CassetteMode): ModelClient => {
  if (mode === 'record') rmSync(file, { force: true });
  const { replies, text } = readTape(file);
  if (mode !== 'replay') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const played = new Map<string, number>();
  const ask = async (request: ChatRequest, key: string, signal?: AbortSignal): Promise<ChatReply> => {
    if (!('chat' in client) || mode === 'replay') throw missing(file, client.model, key);
    const reply = await client.chat(request, signal);
    const exchange: Exchange = { key, request: { model: client.model, ...request }, reply };
    appendFileSync(file, `${JSON.stringify(exchange)}\n`);
    return reply;
  };
  return {
    model: client.model,
    chat: async (request, signal) => {
      const key = exchangeKey(client.model, request);
      const nth = played.get(key) ?? 0;
      played.set(key, nth + 1);
      const recorded = mode === 'record' ? undefined : replies.get(key);
      return recorded ? (recorded[Math.min(nth, recorded.length - 1)] as ChatReply) : ask(request, key, signal);
    },
  };
};
