/**
 * Ids of what comes after the model's turn: its end, the new messages, and the beginning of its next turn. They are read off two
 * small conversations that differ only in what the model said: what is the same at their ends is the suffix. So nothing of the
 * real history is rendered again, and a template that strips or rewrites it changes nothing.
 */
import type { ChatMessage, RawCall } from '../types.js';
import type { IdServer, Prompt } from './id-server.js';

/** Undefined where the two cannot be told apart: the template drops what the model said. */
const commonEnd = (a: readonly number[], b: readonly number[]): number[] | undefined => {
  let n = 0;
  while (n < a.length && n < b.length && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n === 0 || n === a.length || n === b.length ? undefined : a.slice(a.length - n);
};

const user: ChatMessage = { role: 'user', content: 'a' };
const WORDS = ['x', 'y'] as const;

export interface Suffixes {
  /** Undefined where the template allows none. The first id ends the model's turn. */
  after(calls: readonly RawCall[], added: readonly ChatMessage[], signal: AbortSignal): Promise<number[] | undefined>;
}

export const suffixes = (server: IdServer, template: Prompt['template']): Suffixes => {
  const probe = async (
    said: (word: string) => ChatMessage,
    added: readonly ChatMessage[],
    signal: AbortSignal,
  ): Promise<number[] | undefined> => {
    const [a, b] = await Promise.all(
      WORDS.map((word) =>
        server.render(
          { messages: [user, said(word), ...added], tools: [], ...(template === undefined ? {} : { template }) },
          signal,
        ),
      ),
    );
    return commonEnd(a!, b!);
  };
  const text = (word: string): ChatMessage => ({ role: 'assistant', content: word });
  return {
    after: async (calls, added, signal) => {
      const plain = await probe(text, added, signal).catch((error: unknown) => {
        if (calls.length === 0 || signal.aborted) throw error;
        return undefined;
      });
      if (plain || calls.length === 0) return plain;
      // Templates that take results only after the calls which they answer: the suffix begins where a turn ends.
      const end = (await probe(text, [user], signal))?.[0];
      const called = (word: string): ChatMessage => ({
        role: 'assistant',
        content: '',
        calls: calls.map(({ id, name }) => ({ id, name, arguments: JSON.stringify({ a: word }) })),
      });
      const same = await probe(called, added, signal);
      const at = end === undefined ? -1 : (same?.indexOf(end) ?? -1);
      return at < 0 ? undefined : same?.slice(at);
    },
  };
};
