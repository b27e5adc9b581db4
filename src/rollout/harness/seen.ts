/** A conversation as far as the tools saw it, for harnesses whose model nobody heard. */
import type { LedgerEntry, Message } from '../../artifacts/trace.js';
import { observationText } from '../observation.js';

/** Characters of one result. */
const SHOWN = 16_000;

const asArguments = (
  args: LedgerEntry['args'],
): Pick<NonNullable<Message['toolCalls']>[number], 'arguments' | 'malformed'> =>
  args !== null && typeof args === 'object' && !Array.isArray(args)
    ? { arguments: args }
    : { arguments: {}, malformed: JSON.stringify(args) };

/** The opening, one turn a call with its result, and the answer in the end. What was thought and said between is not known. */
export const seenFromTools = (opening: Message[], ledger: readonly LedgerEntry[], answer: string): Message[] => [
  ...opening,
  ...ledger.flatMap(({ tool, args, result }, n): Message[] => {
    const id = `call_${n}`;
    return [
      { role: 'assistant', content: '', toolCalls: [{ id, name: tool, ...asArguments(args) }] },
      { role: 'tool', content: observationText(result, SHOWN), toolCallId: id, name: tool },
    ];
  }),
  ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer }]),
];
