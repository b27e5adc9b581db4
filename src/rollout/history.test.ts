/** What a conversation holds, read as it grows; and calls whose ids clash on purpose. */
import { expect, it } from 'vitest';
import { toyHost, toyTask } from '../../test/rollout/toy.js';
import type { Message } from '../artifacts/trace.js';
import { contentOf, historyOf } from './history.js';
import { proposed } from './policy.js';
import { rolloutTask } from './rollout.js';

const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 't', arguments: {} })),
});
const answers = (toolCallId: string, content: string): Message => ({ role: 'tool', content, toolCallId });

it('grows with the list, and is read anew where the list was shortened or another end put to it', () => {
  const messages: Message[] = [calls('a', 'b'), answers('a', '{"n":1}'), answers('a', '{"n":2}')];
  expect([...historyOf(messages).made]).toEqual(['a', 'b']);
  expect(contentOf(historyOf(messages).answers.get('a') as Message)).toEqual({ n: 1 });
  messages.push(calls('c'), answers('b', 'cut off [cut'));
  expect([...historyOf(messages).made]).toEqual(['a', 'b', 'c']);
  expect(contentOf(historyOf(messages).answers.get('b') as Message)).toBeUndefined();
  messages.length = 1;
  expect([...historyOf(messages).made]).toEqual(['a', 'b']);
  expect(historyOf(messages).answers.size).toBe(0);
  messages.push(calls('x'), calls('y'), calls('z'));
  messages.splice(2, 2, calls('p'), calls('q'));
  expect([...historyOf(messages).made]).toEqual(['a', 'b', 'x', 'p', 'q']);
  // Another list stands for itself.
  expect(historyOf([...messages, calls('r')]).made.has('r')).toBe(true);
  expect(historyOf(messages).made.has('r')).toBe(false);
});

it('ids that are taken, also those that we would make up, become others, and every call is answered', async () => {
  const ids = ['c', 'c', 'c_1', 'c_2', 'c_3', 'c', 'call_0', '', '', 'c_5', 'c'];
  let turn = 0;
  const trace = await rolloutTask({
    host: toyHost(),
    task: toyTask(),
    policy: {
      producer: { policy: 'none', name: 'clashing' },
      next: () =>
        turn++ < 3 ? { text: '', calls: ids.map((id) => proposed(id, 'list_invoices', {})) } : { text: 'x', calls: [] },
    },
  });
  const made = trace.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
  expect(made).toHaveLength(3 * ids.length);
  expect(new Set(made).size).toBe(made.length);
  expect(trace.messages.flatMap(({ toolCallId = [] }) => toolCallId)).toEqual(made);
});
