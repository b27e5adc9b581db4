/**
 * ShareGPT turns as LLaMA-Factory takes them: `human`, `gpt`, `function_call`, `observation`; several calls or results of one turn
 * are one JSON list. Words that an assistant says beside a call go into the thoughts before it, since the turn holds calls only.
 * Its readers want human or observation and gpt or function_call by turns, and drop a conversation where they are not: what a user
 * says behind a result goes into the observation.
 */
import type { Json } from '../../kit/hash.js';
import { fromResult, inResult } from '../sft/notices.js';
import type { RowMessage, SftRow } from '../sft/row.js';
import { METADATA } from './columns.js';
import type { ReadTurn, RowFormat } from './format.js';
import { withoutThoughts, withThoughts } from './thoughts.js';

interface Turn {
  from: 'human' | 'gpt' | 'function_call' | 'observation';
  value: string;
}

const callTurn = ({ content, reasoning_content, tool_calls = [] }: RowMessage): Turn => {
  const calls = tool_calls.map((call) => ({ name: call.function.name, arguments: call.function.arguments }));
  const thoughts = [reasoning_content, content].filter(Boolean).join('\n\n');
  return {
    from: 'function_call',
    value: withThoughts(thoughts || undefined, JSON.stringify(calls.length === 1 ? calls[0] : calls)),
  };
};

/** Consecutive results answer one turn's calls: one observation, a JSON list of texts when there are several. */
const turnsOf = (messages: readonly RowMessage[]): Turn[] => {
  const turns: Turn[] = [];
  for (let n = 0; n < messages.length; n++) {
    const message = messages[n] as RowMessage;
    const before = turns.at(-1);
    if (message.role === 'user' && (before?.from === 'observation' || before?.from === 'human'))
      before.value = inResult(before.value, message.content);
    else if (message.role === 'user') turns.push({ from: 'human', value: message.content });
    else if (message.role === 'assistant' && message.tool_calls) turns.push(callTurn(message));
    else if (message.role === 'assistant')
      turns.push({ from: 'gpt', value: withThoughts(message.reasoning_content, message.content) });
    else if (message.role === 'tool') {
      const results = [message.content];
      while (messages[n + 1]?.role === 'tool') results.push((messages[++n] as RowMessage).content);
      turns.push({
        from: 'observation',
        value: results.length === 1 ? (results[0] as string) : JSON.stringify(results),
      });
    }
  }
  return turns;
};

const readCalls = (value: string): ReadTurn['calls'] => {
  const calls = JSON.parse(withoutThoughts(value)) as ReadTurn['calls'][number] | ReadTurn['calls'];
  return Array.isArray(calls) ? calls : [calls];
};

const readTurns = (turns: readonly Turn[]): ReadTurn[] => {
  let pending = 0;
  return turns.flatMap(({ from, value }): ReadTurn[] => {
    const { result, words } = fromResult(value);
    const said = words.map((text): ReadTurn => ({ role: 'user', text, calls: [] }));
    if (from === 'human') return [{ role: 'user', text: result, calls: [] }, ...said];
    if (from === 'gpt') return [{ role: 'assistant', text: withoutThoughts(value), calls: [] }];
    if (from === 'function_call') {
      const calls = readCalls(value);
      pending = calls.length;
      return [{ role: 'assistant', text: '', calls }];
    }
    const results = pending > 1 ? (JSON.parse(result) as string[]) : [result];
    return [...results.map((text): ReadTurn => ({ role: 'tool', text, calls: [] })), ...said];
  });
};

export const sharegpt: RowFormat = {
  id: 'sharegpt',
  describes:
    '`conversations` of `{from, value}` turns (human, gpt, function_call, observation), `system`, and `tools` as a JSON string: LLaMA-Factory and its kin.',
  columns: {
    conversations: { list: { struct: { from: 'string', value: 'string' } } },
    system: 'string',
    tools: 'string',
    metadata: METADATA,
  },
  write: ({ messages, tools, metadata }: SftRow) => ({
    conversations: turnsOf(messages) as unknown as Json,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n\n'),
    tools: JSON.stringify(tools.map((tool) => tool.function)),
    metadata: metadata as unknown as Json,
  }),
  read: (line) => {
    const system = line.system as string;
    const opening: ReadTurn[] = system ? [{ role: 'system', text: system, calls: [] }] : [];
    return {
      turns: [...opening, ...readTurns(line.conversations as unknown as Turn[])],
      tools: (JSON.parse(line.tools as string) as { name: string }[]).map(({ name }) => name),
    };
  },
};
