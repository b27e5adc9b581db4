import { expect, it } from 'vitest';
import type { ChatReply } from '../../models/types.js';
import { conversations } from './conversations.js';
import { readOpenai } from './read-openai.js';

const tools = [{ type: 'function', function: { name: 'look' } }];
const asked = (messages: string[], withTools = true) =>
  readOpenai({
    messages: messages.map((text) => {
      const [role, ...content] = text.split(': ');
      return { role, content: content.join(': ') };
    }),
    ...(withTools ? { tools } : {}),
  });
const said = (content: string): ChatReply => ({
  content,
  calls: [],
  finish: 'stop',
  tokens: { prompt: [1, 2], output: [3] },
});
const opening = ['system: Be brief.', 'user: Go.'];
const heard = (all: ReturnType<typeof conversations>) => {
  const main = all.main();
  return { said: main?.messages.map(({ content }) => content), rewritten: main?.rewritten };
};

it('holds nothing at first', () => {
  expect(conversations().main()).toBeUndefined();
});

it('follows a conversation, whatever white space and reasoning the harness drops', () => {
  const all = conversations();
  all.add(asked(opening), { ...said('\n\nOne. '), reasoning: 'Hm.' });
  all.add(asked([...opening, 'assistant: One.', 'user: More.']), said('Two.'));
  expect(heard(all)).toEqual({ said: ['Be brief.', 'Go.', '\n\nOne. ', 'More.', 'Two.'], rewritten: false });
  expect(all.main()?.messages[2]?.reasoning).toBe('Hm.');
});

it('leaves titles, summaries and helpers with a prompt of their own out', () => {
  const all = conversations();
  all.add(asked(['user: Name this: Go.'], false), said('A title'));
  all.add(asked(opening), said('One.'));
  all.add(asked(['system: You search.', 'user: Find it.']), said('Found.'));
  all.add(asked([...opening, 'assistant: One.', 'user: It is found.']), said('Two.'));
  all.add(asked(['user: Sum up.'], false), said('A summary'));
  expect(heard(all)).toEqual({ said: ['Be brief.', 'Go.', 'One.', 'It is found.', 'Two.'], rewritten: false });
});

it('takes the later of two answers to one request, and the branch that went on last', () => {
  const all = conversations();
  all.add(asked(opening), said('Lost.'));
  all.add(asked(opening), said('One.'));
  all.add(asked([...opening, 'assistant: One.', 'user: a']), said('x'));
  all.add(asked([...opening, 'assistant: One.', 'user: b']), said('y'));
  expect(heard(all)).toEqual({ said: ['Be brief.', 'Go.', 'One.', 'b', 'y'], rewritten: false });
});

it('sees that history was shortened, or changed in a word, and gives no tokens then', () => {
  const shortened = conversations();
  shortened.add(asked(opening), said('One.'));
  shortened.add(asked(['system: Be brief.', 'user: So far: one.']), said('Two.'));
  expect(heard(shortened)).toEqual({ said: ['Be brief.', 'So far: one.', 'Two.'], rewritten: true });
  expect(shortened.main()?.tokens).toBeUndefined();
  const changed = conversations();
  changed.add(asked(opening), said('One.'));
  changed.add(asked(['system: It is 12:01.', 'user: Go.', 'assistant: One.', 'user: b']), said('Two.'));
  expect(heard(changed)).toEqual({ said: ['It is 12:01.', 'Go.', 'One.', 'b', 'Two.'], rewritten: true });
});

it('takes examples in the first request for what they are', () => {
  const all = conversations();
  all.add(asked(['user: 1+1', 'assistant: 2', 'user: 2+2']), said('4'));
  expect(heard(all)).toEqual({ said: ['1+1', '2', '2+2', '4'], rewritten: false });
  expect(all.main()?.tokens).toEqual({ inputIds: [1, 2, 3], mask: [0, 0, 1] });
});

it('takes the longest where nobody has tools', () => {
  const all = conversations();
  all.add(asked(['user: Name this.'], false), said('A title'));
  all.add(asked(['user: Hi'], false), said('Hi.'));
  all.add(asked(['user: Hi', 'assistant: Hi.', 'user: Bye'], false), said('Bye.'));
  expect(heard(all)).toEqual({ said: ['Hi', 'Hi.', 'Bye', 'Bye.'], rewritten: false });
});
