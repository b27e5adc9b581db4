/** The seam between protocols and sessions: whatever has tools to call. A Session implements it; MCP, REST and the gyms speak to it. */
import type { Notice } from '../artifacts/firing.js';
import type { LedgerEntry } from '../artifacts/trace.js';
import type { Json } from '../kit/hash.js';

export interface SessionTool {
  service: string;
  /** With the service's prefix, as the agent calls it. */
  name: string;
  description: string;
  inputSchema: object;
  outputSchema: object;
  readOnly: boolean;
  destructive: boolean;
  /** Content address of the tool's definition. */
  version: string;
}

export interface CallOutcome {
  ok: boolean;
  /** What the agent sees, also of an error. */
  result: Json;
  error?: { code: string; fault: 'agent' | 'world' | 'injected' | 'infrastructure'; status: number };
  entry: LedgerEntry;
  /** What a scenario's events have to tell after this call; never part of the result. */
  notices?: readonly Notice[];
}

/** Which of all rows a list shows. */
export interface Page {
  offset: number;
  limit: number;
  more: boolean;
  total?: number | undefined;
}

/** What an in-process caller may know of a call besides its outcome: a list's page, the bare message of a failure. */
export interface Beside {
  page?: Page;
  failure?: { message: string; field?: string | undefined };
}

export interface CallOptions {
  /** The caller's name for this call: a call repeated under the same name is answered again, and never run again. */
  operation?: string;
  /**
   * The front's name for the request that the call came in. When the worker that had it ends, it is sent again under the same name to
   * whoever has the session then, and shall be answered as it was, or run if it never did.
   */
  forwarded?: string;
  /** Runs only where the session has had exactly so many state-changing requests. */
  ifSeq?: number;
  /** Told as the call runs; never of one that is answered again, that something woven in answers, or of another process. */
  beside?: (told: Beside) => void;
}

/** What the client of a host has asked to hear beside its answers. */
export interface Hearing {
  /** The least level of log messages (MCP's `logging/setLevel`); absent: none. */
  level?: string;
}

export interface ToolHost {
  /** There only where answers may carry notices. */
  readonly hearing?: Hearing | undefined;
  /** The same for the life of the host. */
  tools(): SessionTool[];
  /** The same tools in arrays that hosts share: servers keep what they render of each. */
  groups?(): readonly (readonly SessionTool[])[];
  /**
   * Never throws for what an agent can cause, an unknown tool and unfit arguments included. A promise where the tool runs in
   * another process or calls before it are still running; declared tools answer at once.
   */
  call(name: string, args: unknown, options?: CallOptions): CallOutcome | Promise<CallOutcome>;
}
