/** Which histories are the same: what a program around a model sends back is rarely byte for byte what the model said. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../kit/hash.js';
import { readArguments } from './arguments.js';
import type { ChatMessage, RawCall } from './types.js';

const callText = ({ name, arguments: raw }: RawCall): string => {
  const read = readArguments(raw);
  return `${name}(${read.ok ? canonicalJson(read.args) : raw.trim()})`;
};

/**
 * Key of a history that goes on with `message` after the one with key `before`. Reasoning, ids of calls and white space at the
 * ends do not count: programs drop, rename and trim them.
 */
export const grown = (before: string, message: ChatMessage): string =>
  hash(
    'sha256',
    `${before}\u0000${message.role}\u0000${message.content.trim()}\u0000${(message.calls ?? []).map(callText).join('\u0000')}`,
    'base64',
  );

/** Key of the history that ends with each message. */
export const historyKeys = (messages: readonly ChatMessage[], start = ''): string[] => {
  const keys: string[] = [];
  for (const message of messages) keys.push(grown(keys.at(-1) ?? start, message));
  return keys;
};

/** Index of the last message that is the model's own; -1 where there is none. */
export const lastReply = (messages: readonly ChatMessage[]): number =>
  messages.findLastIndex(({ role }) => role === 'assistant');
