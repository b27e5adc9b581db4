/**
 * A ModelClient over token-in/token-out (rollout.md): the next prompt is the last one's ids, the model's own output ids, and the
 * ids of what is new. Decoding and encoding a transcript again would change ids, and templates strip text at turn boundaries.
 */
import { hash } from 'node:crypto';
import { TreadleError } from '../../errors.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import type { Backend } from '../backend.js';
import { grown, historyKeys, lastReply } from '../history.js';
import { type Server, serverOf } from '../post.js';
import { type Retries, retrying } from '../retry.js';
import type { ChatReply, ChatRequest, ModelClient, RawCall } from '../types.js';
import type { Generated, IdServer, Prompt } from './id-server.js';
import { llamaCpp } from './llama-cpp.js';
import { sglang } from './sglang.js';
import { suffixes } from './suffix.js';
import { isTurnEnd, readToolText } from './tool-text.js';
import { vllm } from './vllm.js';

export type ExactKind = Exclude<Backend['kind'], 'openai'>;

const KINDS: Record<ExactKind, (server: Server, model: string) => IdServer> = { vllm, sglang, llamacpp: llamaCpp };

export const isExact = (kind: Backend['kind']): kind is ExactKind => kind !== 'openai';

/** A turn and all before it. Branches share what they have in common. */
interface Sequence {
  before: Sequence | undefined;
  /** Ids that the prompt added. */
  added: number[];
  output: number[];
  calls: readonly RawCall[];
  finish: Generated['finish'];
}

/** Turns that are remembered; the oldest are forgotten, and their histories rendered afresh. */
const MOST_TURNS = 16_384;

const idsOf = (sequence: Sequence): number[] => {
  const path: Sequence[] = [];
  for (let at: Sequence | undefined = sequence; at; at = at.before) path.push(at);
  return path.reverse().flatMap(({ added, output }) => [...added, ...output]);
};

const callsOf = (calls: readonly Omit<RawCall, 'id'>[], output: readonly number[]): RawCall[] => {
  // Of the output alone: the same turn has the same ids, and two turns that only read alike have not.
  const own = calls.length === 0 ? '' : hash('sha256', output.join(), 'hex').slice(0, 10);
  return calls.map((call, n) => ({ id: `call_${own}${n}`, ...call }));
};

export interface TokenClientOptions {
  retries?: number;
  backoffMs?: number;
  /** Milliseconds without a byte until an attempt is given up. */
  timeoutMs?: number;
  onRetry?: () => void;
}

export interface TokenClient extends ModelClient {
  /** Ids of the prompt that `chat` would send. */
  prompt(request: ChatRequest, signal?: AbortSignal): Promise<number[]>;
}

const never = new AbortController().signal;

/** Throws `bad_endpoint` for a URL that is none; `chat` throws as every ModelClient's. */
export const tokenClient = (
  backend: Backend & { kind: ExactKind },
  { retries = 4, backoffMs = 500, timeoutMs = 120_000, onRetry = () => {} }: TokenClientOptions = {},
): TokenClient => {
  const server = KINDS[backend.kind](serverOf(backend, timeoutMs), backend.model);
  const tries: Retries = { most: retries, backoffMs };
  const again = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    retrying(work, tries, signal, { onRetry });
  const known = new Map<string, Sequence>();
  const remember = (key: string, sequence: Sequence): void => {
    known.delete(key);
    known.set(key, sequence);
    if (known.size > MOST_TURNS) known.delete(known.keys().next().value as string);
  };

  const asPrompt = ({ messages, tools, sampling = {} }: ChatRequest): Prompt => {
    const template = { ...backend.sampling, ...sampling }.chat_template_kwargs as Json | undefined;
    return { messages, tools, ...(template == null ? {} : { template }) };
  };

  /** Whether the model wrote the end of its turn itself, be it by another token than the template's; else the template adds it. */
  const isEnded = async (
    { output, finish }: Sequence,
    end: number | undefined,
    signal: AbortSignal,
  ): Promise<boolean> => {
    if (output.length === 0 || output.at(-1) === end || finish !== 'stop') return output.at(-1) === end;
    return isTurnEnd(await again(() => server.text(output.slice(-1), signal), signal));
  };

  /** The turn that a request goes on from, and the ids that come after it; undefined where it must be rendered as a whole. */
  const continued = async (
    prompt: Prompt,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<{ before: Sequence; added: number[] } | undefined> => {
    const at = lastReply(prompt.messages);
    const before = at < 0 || at === prompt.messages.length - 1 ? undefined : known.get(keys[at] as string);
    if (!before) return undefined;
    remember(keys[at] as string, before);
    const added = prompt.messages.slice(at + 1);
    const suffix = await again(
      () => suffixes(server, prompt.template).after(before.calls, added, signal),
      signal,
    ).catch((thrown: unknown) => {
      if (thrown instanceof TreadleError && thrown.code === 'endpoint_rejected') return undefined;
      throw thrown;
    });
    if (!suffix) return undefined;
    return { before, added: (await isEnded(before, suffix[0], signal)) ? suffix.slice(1) : suffix };
  };

  const startOf = ({ tools, template = null }: Prompt): string => canonicalJson({ tools, template });

  const located = async (request: ChatRequest, signal: AbortSignal) => {
    const prompt = asPrompt(request);
    const keys = historyKeys(prompt.messages, startOf(prompt));
    const next = await continued(prompt, keys, signal);
    const added = next?.added ?? (await again(() => server.render(prompt, signal), signal));
    const ids = next ? [...idsOf(next.before), ...added] : added;
    return { key: keys.at(-1) as string, before: next?.before, added, ids };
  };

  return {
    model: backend.model,
    prompt: async (request, signal = never) => (await located(request, signal)).ids,
    chat: async (request, signal = never): Promise<ChatReply> => {
      const { key, before, added, ids } = await located(request, signal);
      const sampling = { ...backend.sampling, ...request.sampling };
      const made = await again(() => server.generate(ids, sampling, signal), signal);
      const said = readToolText(made.text, request.tools);
      const calls = callsOf(said.calls, made.ids);
      const reply: ChatReply = {
        ...said,
        calls,
        finish: made.finish === 'stop' && calls.length > 0 ? 'tool_calls' : made.finish,
        usage: { promptTokens: ids.length, completionTokens: made.ids.length },
        tokens: {
          prompt: ids,
          output: made.ids,
          ...(made.logprobs ? { logprobs: made.logprobs } : {}),
          ...(made.weights === undefined ? {} : { weights: made.weights }),
        },
      };
      const message = { role: 'assistant' as const, content: reply.content, calls };
      remember(grown(key, message), {
        before,
        added,
        output: made.ids,
        calls,
        finish: made.finish,
      });
      return reply;
    },
  };
};
