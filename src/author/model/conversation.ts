/**
 * The whole conversation of an authoring, as JSON lines: a head, then turns, what was said of each, and certificates. It is
 * append-only, and an authoring that was interrupted finds its answers there again, so that it goes on without asking twice.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { diskError, makeFolder } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { addressOf, sha256 } from '../../kit/hash.js';
import type { ChatMessage, ChatReply } from '../../models/types.js';

export interface Head {
  model: string;
  /** Address of the source and the seed. */
  request: string;
}

export interface Conversation {
  /** The kept answer to this request, once for each time it was given. */
  recall(key: string): ChatReply | undefined;
  /** Appends a line that is not there yet. Throws what the disk says. */
  write(line: Record<string, unknown>): void;
}

const Turn = z.object({
  kind: z.literal('turn'),
  key: z.string(),
  reply: z.object({
    content: z.string(),
    reasoning: z.string().optional(),
    finish: z.enum(['stop', 'tool_calls', 'length', 'other']),
    usage: z.object({ promptTokens: z.number(), completionTokens: z.number() }).optional(),
  }),
});

/** What tells requests apart, whatever form the answer was asked in. */
export const turnKey = (model: string, messages: readonly ChatMessage[]): string => addressOf({ model, messages });

const NOTHING: Conversation = { recall: () => undefined, write: () => undefined };

const damaged = (file: string, line: number, cause?: unknown): TreadleError =>
  new TreadleError({
    code: 'bad_conversation',
    message: `Line ${line} of the conversation cannot be read`,
    value: file,
    next: 'Delete the file to begin anew, or give another one.',
    cause,
  });

/** Lines of the file; a last line that a crash cut off is taken out of it. */
const linesOf = (file: string): string[] => {
  if (!existsSync(file)) return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw diskError(thrown, file, 'read');
  }
  const end = text.lastIndexOf('\n') + 1;
  try {
    if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
  } catch (thrown) {
    throw diskError(thrown, file, 'write');
  }
  return text.slice(0, end).split('\n').slice(0, -1);
};

const checkHead = (file: string, first: unknown, head: Head): void => {
  const same = addressOf(first) === addressOf({ kind: 'authoring', version: 1, ...head });
  if (same) return;
  throw new TreadleError({
    code: 'other_conversation',
    message: 'The conversation file belongs to another request',
    value: file,
    next: 'Give the same input, seed and model again, or another file.',
  });
};

/** Opens or begins a conversation; without a file nothing is kept. Throws `bad_conversation`, `other_conversation` and what the disk says. */
export const openConversation = (file: string | undefined, head: Head): Conversation => {
  if (file === undefined) return NOTHING;
  const replies = new Map<string, ChatReply[]>();
  const known = new Set<string>();
  const lines = linesOf(file);
  for (const [n, line] of lines.entries()) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw damaged(file, n + 1, cause);
    }
    if (n === 0) checkHead(file, value, head);
    known.add(sha256(line));
    const turn = Turn.safeParse(value);
    if (!turn.success) continue;
    const { key, reply } = turn.data;
    const { reasoning, usage, ...rest } = reply;
    const kept: ChatReply = { ...rest, calls: [], ...(reasoning ? { reasoning } : {}), ...(usage ? { usage } : {}) };
    replies.set(key, [...(replies.get(key) ?? []), kept]);
  }
  const write = (line: Record<string, unknown>): void => {
    const text = JSON.stringify(line);
    const hash = sha256(text);
    if (known.has(hash)) return;
    known.add(hash);
    try {
      appendFileSync(file, `${text}\n`);
    } catch (thrown) {
      throw diskError(thrown, file, 'write');
    }
  };
  if (lines.length === 0) {
    makeFolder(dirname(file));
    write({ kind: 'authoring', version: 1, ...head });
  }
  const given = new Map<string, number>();
  return {
    recall: (key) => {
      const nth = given.get(key) ?? 0;
      const reply = replies.get(key)?.[nth];
      if (reply) given.set(key, nth + 1);
      return reply;
    },
    write,
  };
};
