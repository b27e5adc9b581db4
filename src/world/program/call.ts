/** One tool call: arguments checked and decoded, steps run in one transaction, the answer in the service's own form. */
import { asTreadleError, TreadleError } from '../../errors.js';
import { wordsOf } from '../../kit/words.js';
import type { Connection } from '../state/connection.js';
import { encodeError } from '../surface/answer.js';
import { decodeArgs } from '../surface/decode.js';
import { AgentError } from '../surface/value.js';
import { constraintError } from './constraint.js';
import { readyTool } from './lazy-tool.js';
import type { Answer } from './returns.js';
import type { Run } from './run.js';
import type { Runnable } from './runnable.js';
import type { CallContext, CompiledTool, Program, ToolError, ToolOutcome } from './types.js';

/** HTTP status of each error code, where the tool does not say. */
const STATUS: Record<string, number> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  unknown_tool: 404,
  conflict: 409,
  duplicate: 409,
  invalid_state: 409,
  too_large: 413,
  internal_error: 500,
  code_error: 500,
  code_result: 500,
  code_undeclared: 500,
  code_memory: 500,
  code_stack: 500,
  code_crashed: 500,
  code_timeout: 503,
  budget_exceeded: 503,
};
const AGENT_STATUS = 422;

/** Turns of all each steps of a call together. */
const MOST_TURNS = 5_000;

const statusOf = (tool: Runnable | undefined, code: string): number =>
  tool?.tool.errors?.[code] ?? STATUS[code] ?? AGENT_STATUS;

const refused = (program: Program, failure: ToolError): ToolOutcome => {
  const { code, message, status, field } = failure;
  return { ok: false, result: encodeError(program.spec, { code, message, status, field }), error: failure };
};

const agentFailure = (tool: Runnable | undefined, { code, message, field }: AgentError): ToolError => ({
  code,
  message,
  status: statusOf(tool, code),
  ...(field !== undefined && { field }),
  fault: 'agent',
});

export const unknownTool = (program: Program, name: string): ToolOutcome => {
  const words = new Set(wordsOf(name.slice(0, 100)));
  const near = [...program.tools.keys()].filter((known) => wordsOf(known).some((word) => words.has(word))).slice(0, 5);
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
  const message = `There is no tool '${name.slice(0, 80)}'${hint}`;
  return refused(program, agentFailure(undefined, new AgentError('unknown_tool', message)));
};

/** A failure of ours: the agent hears that it is not its fault, the ledger keeps what it was. */
const worldFailure = (tool: Runnable, error: TreadleError): ToolError => {
  const budget = error.code === 'budget_exceeded';
  const code = budget || error.code.startsWith('code_') ? error.code : 'internal_error';
  const message = budget ? 'The call took too long and was stopped; nothing was changed' : error.message;
  return { code, message, status: statusOf(tool, code), fault: 'world' };
};

/** The tool ready to run, or why its steps cannot be compiled. */
export const runnableOf = (found: CompiledTool): Runnable | TreadleError => {
  try {
    return readyTool(found);
  } catch (thrown) {
    return asTreadleError(thrown, 'world');
  }
};

/** The answer of a tool whose steps turned out to be no program. */
export const brokenTool = (program: Program, error: TreadleError): ToolOutcome =>
  refused(program, { code: 'internal_error', message: error.message, status: 500, fault: 'world' });

/** Looking closer runs statements of its own, which may fail in turn: then the plain fact must do. */
const constraintFailure = (program: Program, tool: Runnable, run: Run, error: TreadleError): AgentError => {
  try {
    return constraintError(program.spec, tool, run, error);
  } catch {
    return new AgentError('conflict', 'The values clash with other rows');
  }
};

const failureOf = (program: Program, tool: Runnable, run: Run, thrown: unknown): ToolError => {
  if (thrown instanceof AgentError) return agentFailure(tool, thrown);
  const error = asTreadleError(thrown, 'world');
  if (error.code === 'constraint') return agentFailure(tool, constraintFailure(program, tool, run, error));
  if (error.fault === 'infrastructure') throw error;
  if (error.fault === 'agent') return agentFailure(tool, new AgentError(error.code, error.message));
  return worldFailure(tool, error);
};

/** The outcome of a call that threw; looks at the rows as they are now. Throws faults of the infrastructure. */
export const failed = (program: Program, tool: Runnable, run: Run, thrown: unknown): ToolOutcome =>
  refused(program, failureOf(program, tool, run, thrown));

/** The steps and the answer in one transaction: for several reads too, which then lock and look for changes once. */
const perform = (tool: Runnable, run: Run): Answer => {
  const { conn } = run;
  if (tool.isTransaction) conn.begin();
  tool.run(run);
  const answer = tool.answer(run);
  if (tool.isTransaction) conn.commit();
  return answer;
};

/**
 * Calls a tool on the state that `conn` is bound to. What an agent can cause comes back as `ok: false` with the error in the
 * service's form; a failed call changes nothing. Throws only for faults of the infrastructure (an unbound connection). A code tool
 * blocks this thread while its process works; `callToolAsync` does not.
 */
export const callTool = (
  program: Program,
  toolName: string,
  conn: Connection,
  rawArgs: unknown,
  ctx: CallContext,
): ToolOutcome => {
  const found = program.tools.get(toolName);
  if (!found) return unknownTool(program, String(toolName));
  const tool = runnableOf(found);
  if (tool instanceof TreadleError) return brokenTool(program, tool);
  const before = tool.writesFiles ? ctx.workspace.fork() : undefined;
  const run: Run = { conn, ctx, args: {}, slots: new Array(tool.slots), turns: MOST_TURNS };
  conn.limit(ctx.budget);
  try {
    run.args = decodeArgs(tool.args, tool.validate(rawArgs));
    const { canonical, result } = perform(tool, run);
    return { ok: true, result, canonical };
  } catch (thrown) {
    try {
      return failed(program, tool, run, thrown);
    } finally {
      conn.rollback();
      if (before) ctx.workspace.restore(before);
    }
  }
};
