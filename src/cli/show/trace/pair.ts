/** Which entry of the ledger belongs to which call of the conversation. */
import type { LedgerEntry, ToolCall, Trace } from '../../../artifacts/trace.js';

/** A harness may have its own name for a tool (`treadle__void_invoice`, `mcp__treadle__void_invoice`). */
const isSame = (call: ToolCall, { tool }: LedgerEntry): boolean =>
  call.name === tool || call.name.endsWith(`__${tool}`);

export interface Paired {
  /** Index into the ledger, by the call itself: ids may repeat where a harness wrote them. */
  entryOf: ReadonlyMap<ToolCall, number>;
  /** Entries that no message speaks of. */
  unspoken: number[];
}

/**
 * In order and by name: calls that reach no tool (`submit_answer`, what comes after it) leave no entry. Where a name is not found
 * ahead, the entry is nobody's.
 */
export const pairCalls = ({ messages, ledger }: Pick<Trace, 'messages' | 'ledger'>): Paired => {
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  const entryOf = new Map<ToolCall, number>();
  const unspoken: number[] = [];
  let at = 0;
  for (const [i, entry] of ledger.entries()) {
    const found = calls.findIndex((call, n) => n >= at && isSame(call, entry));
    if (found < 0) {
      unspoken.push(i);
      continue;
    }
    entryOf.set(calls[found] as ToolCall, i);
    at = found + 1;
  }
  return { entryOf, unspoken };
};
