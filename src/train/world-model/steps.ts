/** A rollout as a world model sees it: the calls that reached the software, and what each answered. */
import type { LedgerEntry, Message, ToolCall, Trace } from '../../artifacts/trace.js';
import { canonicalJson, type Json } from '../../kit/hash.js';
import { observationText } from '../../rollout/observation.js';
import { DEFAULT_LIMITS } from '../../rollout/rollout.js';

export type Fault = NonNullable<LedgerEntry['error']>['fault'] | '';

export interface Step {
  /** Entry of the ledger. */
  index: number;
  service: string;
  tool: string;
  args: Json;
  /** What the agent saw, to the letter. */
  observation: string;
  ok: boolean;
  /** Error code; empty where it went well. */
  code: string;
  /** Whose error it was; `injected` ones were made on purpose. */
  fault: Fault;
  /** Virtual time before the call, unix seconds. */
  at: number;
}

/** A harness calls our tools by names of its own that end with ours. */
const isNamed = (call: ToolCall, tool: string): boolean => call.name === tool || call.name.endsWith(`__${tool}`);

const isCall = (call: ToolCall, { tool, args }: LedgerEntry): boolean =>
  isNamed(call, tool) &&
  (call.malformed === undefined ? canonicalJson(call.arguments) === canonicalJson(args) : args === call.malformed);

/** By entry of the ledger: the text that the agent was shown, where the conversation still holds it. */
const shownOf = (messages: readonly Message[], ledger: readonly LedgerEntry[]): Map<number, string> => {
  const results = new Map(messages.flatMap(({ toolCallId, content }) => (toolCallId ? [[toolCallId, content]] : [])));
  const shown = new Map<number, string>();
  let next = 0;
  for (const call of messages.flatMap(({ toolCalls }) => toolCalls ?? [])) {
    const entry = ledger[next];
    const text = results.get(call.id);
    if (entry === undefined || text === undefined || !isCall(call, entry)) continue;
    shown.set(next++, text);
  }
  return shown;
};

/** Arguments that were no JSON object never reached the software: our loop answered. */
const reached = ({ error }: LedgerEntry): boolean => error?.code !== 'malformed_arguments';

export const stepsOf = ({ messages, ledger }: Pick<Trace, 'messages' | 'ledger'>): Step[] => {
  const shown = shownOf(messages, ledger);
  return ledger.flatMap((entry, index) =>
    reached(entry)
      ? [
          {
            index,
            service: entry.service,
            tool: entry.tool,
            args: entry.args,
            observation: shown.get(index) ?? observationText(entry.result, DEFAULT_LIMITS.maxObservationChars),
            ok: entry.ok,
            code: entry.error?.code ?? '',
            // A lie is no error to the agent, and none of the software's answers either.
            fault: entry.injected ? ('injected' as const) : (entry.error?.fault ?? ''),
            at: entry.at,
          },
        ]
      : [],
  );
};
