/**
 * Behaviour flags: how an agent went about it, apart from whether it succeeded (weft.txt 3.3.2, last paragraph; AgentMercury's
 * safeguards against repetition, continuation and degeneracy). A flag reads one trace, is deterministic, and says nothing of the
 * verdict.
 */
import type { Message, ToolCall, Trace } from '../../artifacts/trace.js';

/** One place at which a trace shows the behaviour. */
export interface Sighting {
  /** Index of the assistant's message among the assistant's messages of the trace, from 0. */
  turn: number;
  /** What was seen, in one line. */
  evidence: string;
}

export interface BehaviourFlag {
  /** Stable, lower_snake: what penalties and reports name it by. */
  id: string;
  /** What it means, in one sentence. */
  says: string;
  sightings(trace: Trace): Sighting[];
}

export interface Turn {
  turn: number;
  message: Message;
}

/** The assistant's messages, numbered. */
export const turnsOf = (trace: Pick<Trace, 'messages'>): Turn[] =>
  trace.messages.filter(({ role }) => role === 'assistant').map((message, turn) => ({ turn, message }));

export interface TurnCall {
  turn: number;
  call: ToolCall;
}

export const callsOf = (trace: Pick<Trace, 'messages'>): TurnCall[] =>
  turnsOf(trace).flatMap(({ turn, message }) => (message.toolCalls ?? []).map((call) => ({ turn, call })));

/**
 * The turn of each ledger entry. Entries are matched to calls in order and by name, since calls that reach no tool
 * (`submit_answer`, calls after it) leave no entry; an entry that no message speaks of belongs to the last turn.
 */
export const turnsOfLedger = (trace: Pick<Trace, 'messages' | 'ledger'>): number[] => {
  const calls = callsOf(trace);
  const last = Math.max(0, turnsOf(trace).length - 1);
  let at = 0;
  return trace.ledger.map(({ tool }) => {
    const found = calls.findIndex(({ call }, i) => i >= at && call.name === tool);
    if (found < 0) return last;
    at = found + 1;
    return calls[found]?.turn ?? last;
  });
};

/** A text shortened for evidence. */
export const shortened = (text: string, most = 60): string => {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > most ? `${flat.slice(0, most - 3)}...` : flat;
};
