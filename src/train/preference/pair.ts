/**
 * Two rollouts of one scenario as a preference: the history that they share, up to and past an event, and the first reply in which
 * they differ, the one that passed and the one that failed. One reply each: what follows it is of another history.
 */
import { canonicalJson, type Json } from '../../kit/hash.js';
import { type ExportItem, type RowMessage, type RowTool, rowOf } from '../sft/row.js';
import { firedEvents, replyAfterFiring } from '../sft/scenario.js';

/** Why two rollouts make no pair, in the card's words: "3 pairs of rollouts ...". */
export const WHY_NO_PAIR = {
  no_event: 'have no event that fired',
  before_event: 'differ before an event had fired',
  other_results: 'were shown different things after the same calls',
  same: 'say the same to the end of one of them',
} as const;
export type NoPair = keyof typeof WHY_NO_PAIR;

export interface Pair {
  prompt: RowMessage[];
  chosen: RowMessage;
  rejected: RowMessage;
  tools: RowTool[];
  /** Events that had fired by then, in their order. */
  fired: string[];
  /** Their sources, sorted. */
  sources: string[];
}

/** What is said and called, whatever the calls are numbered. */
const sayingOf = ({ role, content, reasoning_content = '', tool_calls = [] }: RowMessage): string =>
  canonicalJson([
    role,
    content,
    reasoning_content,
    tool_calls.map(({ function: called, malformed = '' }) => [called.name, called.arguments, malformed]),
  ] as Json);

/** Calls that were made before message `at`. */
const callsBefore = (messages: readonly RowMessage[], at: number): number =>
  messages.slice(0, at).filter(({ role }) => role === 'tool').length;

/** `chosen` passed and `rejected` failed, in the same scenario, told in the same way. */
export const pairOf = (chosen: ExportItem, rejected: ExportItem): Pair | NoPair => {
  const after = replyAfterFiring(chosen.trace);
  if (after < 0) return 'no_event';
  const [good, bad] = [rowOf(chosen), rowOf(rejected)];
  const at = good.messages.findIndex((message, n) => {
    const other = bad.messages[n];
    return other === undefined || sayingOf(message) !== sayingOf(other);
  });
  const [better, worse] = [good.messages[at], bad.messages[at]];
  if (better === undefined || worse === undefined) return 'same';
  if (at < after) return 'before_event';
  if (better.role !== 'assistant' || worse.role !== 'assistant') return 'other_results';
  const calls = callsBefore(good.messages, at);
  const before = firedEvents(chosen.trace).filter((event) => event.calls <= calls);
  return {
    prompt: good.messages.slice(0, at),
    chosen: better,
    rejected: worse,
    tools: good.tools,
    fired: before.map(({ event }) => event),
    sources: [...new Set(before.map(({ source }) => source))].sort(),
  };
};
