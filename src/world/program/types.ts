/** What a compiled service is, and what a call takes and gives. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Json } from '../../kit/hash.js';
import type { Row } from '../state/types.js';
import type { Workspace } from '../workspace/workspace.js';

type JsonObject = { [key: string]: Json };

export interface CompiledTool {
  name: string;
  tool: Tool;
  /** Content hash of the tool with the tables it touches and the surface it is shown in. */
  version: string;
  /** Macros expanded. */
  steps: readonly Step[];
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  /** No step writes a table or a file. */
  readOnly: boolean;
  loadClass: LoadClass;
}

/**
 * What a tool costs to run, cheapest first: declared steps; code whose calls share a frozen realm; code with effects beyond its
 * own call, which gets a realm of its own each time (weft.txt 3.3.3).
 */
export const LOAD_CLASSES = ['declared', 'code-shared', 'code-fresh'] as const;
export type LoadClass = (typeof LOAD_CLASSES)[number];

export interface Program {
  spec: ServiceSpec;
  hash: string;
  ddl: string[];
  ddlKey: string;
  tools: ReadonlyMap<string, CompiledTool>;
  /** The dearest of its tools. */
  loadClass: LoadClass;
}

/** On whose behalf a call is made. */
export interface Caller {
  id: string;
  name: string;
  email: string;
}

export interface CallContext {
  /** Virtual time, unix seconds. */
  now: number;
  me: Caller;
  /** The world's seed, for ids. */
  seed: string;
  workspace: Workspace;
  /** Most VM steps per statement; absent: no limit. */
  budget?: number;
}

/** What a tool handed back, before the surface: stored rows with hidden columns, amounts in minor units. */
export type Canonical =
  | { kind: 'row'; row: Row; table: string }
  | { kind: 'rows'; rows: Row[]; table: string; total?: number; offset?: number; limit?: number; more?: boolean }
  | { kind: 'value'; value: Json }
  | { kind: 'done' };

export interface ToolError {
  code: string;
  message: string;
  status: number;
  /** The argument at fault, as the agent writes it. */
  field?: string;
  fault: 'agent' | 'world';
}

export type ToolOutcome =
  | { ok: true; result: Json; canonical: Canonical }
  | { ok: false; result: Json; error: ToolError };
