/**
 * What a conversation holds by id, kept up as it grows: a rollout of two hundred turns must not read two hundred messages at each
 * of them. A list that was shortened or replaced at its end is read anew.
 */
import type { Message } from '../artifacts/trace.js';
import type { Json } from '../kit/hash.js';

export interface History {
  /** Ids of the calls made so far. */
  readonly made: ReadonlySet<string>;
  /** By call id: the message that answers it. */
  readonly answers: ReadonlyMap<string, Message>;
}

interface Known {
  made: Set<string>;
  answers: Map<string, Message>;
  count: number;
  last: Message | undefined;
}

const known = new WeakMap<readonly Message[], Known>();

export const historyOf = (messages: readonly Message[]): History => {
  let own = known.get(messages);
  if (!own || messages.length < own.count || messages[own.count - 1] !== own.last) {
    own = { made: new Set(), answers: new Map(), count: 0, last: undefined };
    known.set(messages, own);
  }
  for (let n = own.count; n < messages.length; n++) {
    const { role, toolCalls, toolCallId } = messages[n] as Message;
    for (const { id } of toolCalls ?? []) own.made.add(id);
    if (role === 'tool' && toolCallId !== undefined && !own.answers.has(toolCallId))
      own.answers.set(toolCallId, messages[n] as Message);
  }
  own.count = messages.length;
  own.last = messages.at(-1);
  return own;
};

const parsed = new WeakMap<Message, { value: Json | undefined }>();

/** A message's content as JSON; undefined where it is none, or was cut. Not to be changed: it is parsed once. */
export const contentOf = (message: Message): Json | undefined => {
  let own = parsed.get(message);
  if (!own) {
    own = { value: undefined };
    try {
      own.value = JSON.parse(message.content) as Json;
    } catch {
      // No JSON.
    }
    parsed.set(message, own);
  }
  return own.value;
};
