/** A call as the ledger keeps it and as its caller gets it. */
import type { LedgerEntry, Touch } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { CallOutcome } from '../tool-host.js';

export interface Called {
  service: string;
  /** As the agent named it. */
  tool: string;
  toolVersion: string;
  args: unknown;
  index: number;
  /** Virtual time before the call, unix seconds. */
  at: number;
}

type CallError = NonNullable<CallOutcome['error']>;

export interface Answered {
  ok: boolean;
  result: Json;
  error?: CallError | undefined;
  touched: Touch[];
  injected?: LedgerEntry['injected'];
}

export const outcomeOf = (call: Called, { ok, result, error, touched, injected }: Answered): CallOutcome => {
  const entry: LedgerEntry = {
    index: call.index,
    service: call.service,
    tool: call.tool,
    toolVersion: call.toolVersion,
    args: (call.args ?? {}) as Json,
    ok,
    result,
    ...(error ? { error: { code: error.code, fault: error.fault } } : {}),
    touched,
    ...(injected ? { injected } : {}),
    at: call.at,
  };
  if (!error) return { ok, result, entry };
  const { code, fault, status } = error;
  return { ok, result, error: { code, fault, status }, entry };
};

export const unknownTool = (name: string): Answered => ({
  ok: false,
  result: { error: { code: 'unknown_tool', message: `There is no tool called ${name.slice(0, 80)}.` } },
  error: { code: 'unknown_tool', fault: 'agent', status: 404 },
  touched: [],
});
