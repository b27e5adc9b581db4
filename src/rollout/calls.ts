/** One tool call of a rollout: good ones go to the host, malformed ones come back as an observation. */
import type { LedgerEntry, ToolCall } from '../artifacts/trace.js';
import type { Json } from '../kit/hash.js';
import type { ReadArguments } from '../models/arguments.js';
import type { SessionTool, ToolHost } from '../serve/tool-host.js';
import { observationText } from './observation.js';
import { SUBMIT_ANSWER, submittedAnswer } from './submit.js';

export interface CallPlace {
  host: ToolHost;
  tools: readonly SessionTool[];
  /** The answer was submitted already. */
  isOver: boolean;
  /** Virtual time, for entries the host does not make itself. */
  at: number;
  /** Characters shown. */
  limit: number;
}

export interface PerformedCall {
  text: string;
  entry?: LedgerEntry;
  answer?: string;
}

/** A copy of its own: the conversation must not change with what a host does to its arguments. */
const copied = <T extends Json>(value: T): T => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copied) as unknown as T;
  const out: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) {
    // As JSON.parse does: a key of this name is a key, and no prototype.
    if (key === '__proto__')
      Object.defineProperty(out, key, {
        value: copied(inner as Json),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else out[key] = copied(inner as Json);
  }
  return out as T;
};

const refused = (code: string, message: string): Json => ({ error: { code, message } });

/** The agent's fault, kept in the ledger although no tool ran. */
const malformed = (call: ToolCall, why: string, place: CallPlace): PerformedCall => {
  const tool = place.tools.find(({ name }) => name === call.name);
  const result = refused('malformed_arguments', `${why}. Call ${call.name} again with a JSON object.`);
  const entry: LedgerEntry = {
    index: 0,
    service: tool?.service ?? '',
    tool: call.name,
    toolVersion: tool?.version ?? '',
    args: call.malformed ?? '',
    ok: false,
    result,
    error: { code: 'malformed_arguments', fault: 'agent' },
    touched: [],
    at: place.at,
  };
  return { text: observationText(result, place.limit), entry };
};

const submit = (call: ToolCall): PerformedCall => {
  const answer = submittedAnswer(call.arguments);
  if (answer === undefined)
    return { text: JSON.stringify(refused('invalid_argument', 'submit_answer takes one text, answer.')) };
  return { text: JSON.stringify({ received: true }), answer };
};

/** Runs one call. What is shown, what the ledger keeps, and the answer when this call submitted one. */
export const performCall = async (
  call: ToolCall,
  args: ReadArguments | undefined,
  place: CallPlace,
): Promise<PerformedCall> => {
  if (place.isOver) return { text: JSON.stringify(refused('not_run', 'The answer was submitted before this call.')) };
  if (args && !args.ok) return malformed(call, args.why, place);
  const isSubmit = call.name === SUBMIT_ANSWER.name && place.tools.includes(SUBMIT_ANSWER);
  if (isSubmit) return submit(call);
  const { result, entry } = await place.host.call(call.name, copied(call.arguments));
  return { text: observationText(result, place.limit), entry };
};
