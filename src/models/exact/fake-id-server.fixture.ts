/**
 * Servers that take ids and give ids, each with the paths and fields of its kind, over a tokenizer of a few words and a template
 * that drops `<think>` and white space from what the model said before, as Qwen's does.
 */
import type { ServerResponse } from 'node:http';
import { type FakeServer, fakeServer, json, type Seen } from '../fake-server.fixture.js';
import type { ExactKind } from './token-client.js';

const SPECIAL = ['<|im_start|>', '<|im_end|>', '<|eom_id|>', '<think>', '</think>', '<tool_call>', '</tool_call>'];
const WORDS = ['system', 'user', 'assistant', 'hello', 'hel', 'lo', 'look', 'name', 'arguments', '\n\n', '"}}', '}}'];
const VOCABULARY = [...SPECIAL, ...WORDS];
const CHAR = 100;

/** The longest word of the vocabulary that fits, again and again. */
export const encode = (text: string): number[] => {
  const ids: number[] = [];
  const longestFirst = [...VOCABULARY].sort((a, b) => b.length - a.length);
  for (let at = 0; at < text.length; ) {
    const word = longestFirst.find((each) => text.startsWith(each, at));
    ids.push(word ? VOCABULARY.indexOf(word) : CHAR + text.charCodeAt(at));
    at += word?.length ?? 1;
  }
  return ids;
};
export const decode = (ids: readonly number[]): string =>
  ids.map((id) => VOCABULARY[id] ?? String.fromCharCode(id - CHAR)).join('');
export const END = encode('<|im_end|>')[0] as number;

interface Message {
  role: string;
  content?: string | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

const said = ({ content, tool_calls: calls = [] }: Message): string =>
  [
    (content ?? '').replace(/<think>[\s\S]*?<\/think>/g, '').trim(),
    ...calls.map(({ function: f }) => `<tool_call>\n{"name": "${f.name}", "arguments": ${f.arguments}}\n</tool_call>`),
  ]
    .filter(Boolean)
    .join('\n');

/** The prompt as text. A strict template takes results only after calls. */
export const template = (messages: Message[], tools: unknown[] = [], isStrict = false): string => {
  const turn = (role: string, text: string): string => `<|im_start|>${role}\n${text}<|im_end|>\n`;
  const parts = messages.map((message, n) => {
    if (message.role === 'assistant') return turn('assistant', said(message));
    if (message.role !== 'tool') return turn(message.role, message.content ?? '');
    const before = messages.slice(0, n).findLast(({ role }) => role !== 'tool');
    if (isStrict && !before?.tool_calls?.length) throw new Error('a result without a call');
    return turn('user', `<tool_response>\n${message.content}\n</tool_response>`);
  });
  return `${tools.length > 0 ? turn('system', JSON.stringify(tools)) : ''}${parts.join('')}<|im_start|>assistant\n`;
};

export interface Turn {
  ids: number[];
  finish?: 'stop' | 'length';
}

export interface FakeIdServer extends FakeServer {
  /** Prompts that were gone on from, in order. */
  prompts: number[][];
  turns: Turn[];
  isStrict: boolean;
  /** Answers a request before anything else; true: it did. */
  before?: (seen: Seen, response: ServerResponse, nth: number) => boolean;
}

/** A log probability that tells which token it belongs to. */
export const logprobOf = (id: number, at: number): number => -(id % 7) / 8 - at / 64;

type Paths = Record<string, (body: Record<string, unknown>, next: (prompt: number[]) => Turn) => unknown>;

const PATHS: Record<ExactKind, (fake: FakeIdServer) => Paths> = {
  vllm: (fake) => ({
    '/tokenize': (body) => ({
      tokens: encode(template(body.messages as Message[], body.tools as [], fake.isStrict)),
      max_model_len: 2000,
    }),
    '/detokenize': (body) => ({ prompt: decode(body.tokens as number[]) }),
    '/v1/completions': (body, next) => {
      const { ids, finish = 'stop' } = next(body.prompt as number[]);
      return {
        choices: [
          {
            // Without the token that ended it.
            text: decode(ids.at(-1) === END ? ids.slice(0, -1) : ids),
            token_ids: ids,
            prompt_token_ids: body.prompt,
            finish_reason: finish,
            logprobs: { token_logprobs: ids.map(logprobOf) },
          },
        ],
      };
    },
  }),
  sglang: (fake) => ({
    '/v1/chat/completions': (body) => ({
      choices: [{ prompt_token_ids: encode(template(body.messages as Message[], body.tools as [], fake.isStrict)) }],
    }),
    '/v1/detokenize': (body) => ({ text: decode(body.tokens as number[]) }),
    '/generate': (body, next) => {
      const { ids, finish = 'stop' } = next(body.input_ids as number[]);
      const output_token_logprobs = ids.map((id, at) => [logprobOf(id, at), id, null]);
      return {
        text: decode(ids),
        meta_info: { finish_reason: { type: finish }, output_token_logprobs, weight_version: 'w7' },
      };
    },
  }),
  llamacpp: (fake) => ({
    '/apply-template': (body) => ({ prompt: template(body.messages as Message[], body.tools as [], fake.isStrict) }),
    '/tokenize': (body) => ({ tokens: encode(body.content as string) }),
    '/detokenize': (body) => ({ content: decode(body.tokens as number[]) }),
    '/completion': (body, next) => {
      const { ids, finish = 'stop' } = next(body.prompt as number[]);
      return {
        // Special tokens are left out.
        content: decode(ids).replaceAll(/<[^>]*>/g, ''),
        tokens: ids,
        stop_type: finish === 'length' ? 'limit' : 'eos',
        completion_probabilities: ids.map((id, at) => ({ id, logprob: logprobOf(id, at) })),
      };
    },
  }),
};

/** Gives one of `turns` after the other, the last one again and again. */
export const fakeIdServer = async (kind: ExactKind, turns: Turn[]): Promise<FakeIdServer> => {
  const fake = (await fakeServer((seen, response, nth) => {
    if (fake.before?.(seen, response, nth)) return;
    const answer = PATHS[kind](fake)[seen.path];
    if (!answer) {
      json(response, { error: 'no such path' }, 404);
      return;
    }
    try {
      json(
        response,
        answer(seen.body, (prompt) => {
          fake.prompts.push(prompt);
          return fake.turns[Math.min(fake.prompts.length, fake.turns.length) - 1] as Turn;
        }),
      );
    } catch (error) {
      json(response, { error: { message: (error as Error).message } }, 500);
    }
  })) as FakeIdServer;
  Object.assign(fake, { prompts: [], turns, isStrict: false });
  return fake;
};
