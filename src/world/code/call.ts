/** Calls of code tools: now, with this thread waiting, or later, with it free. Both work, answer and change alike. */

import { TreadleError } from '../../errors.js';
import { brokenTool, callTool, failed, runnableOf, unknownTool } from '../program/call.js';
import type { Run } from '../program/run.js';
import type { Runnable } from '../program/runnable.js';
import type { CallContext, Program, ToolOutcome } from '../program/types.js';
import type { Connection } from '../state/connection.js';
import type { State } from '../state/state.js';
import type { RowChange } from '../state/types.js';
import { decodeArgs } from '../surface/decode.js';
import { jobOf, settle } from './code-tool.js';
import type { CodeCall } from './operations.js';
import { codePool } from './running.js';

/** An outcome with the rows that the call changed, as `Connection.touched` tells them. */
export type AsyncOutcome = ToolOutcome & { touched: RowChange[] };

/** Does the call's writes on the state itself, in one transaction. */
const commit = (run: Run, state: State, writes: NonNullable<CodeCall['writes']>): RowChange[] => {
  const { conn } = run;
  conn.bind(state);
  conn.record();
  conn.begin();
  try {
    for (const write of writes) write(run);
    conn.commit();
  } catch (thrown) {
    conn.rollback();
    throw thrown;
  }
  return conn.touched();
};

const changedMeanwhile = (program: Program, toolName: string): TreadleError =>
  new TreadleError({
    code: 'state_busy',
    message: `${program.spec.id}: the state was changed by another call while ${toolName} ran`,
    value: toolName,
    next: 'Call the tools of one session one after another.',
    fault: 'infrastructure',
    isRetryable: true,
  });

/** The state as the call sees it: the session's own until the first write, a private fork of it from there on. */
const draftOf = (conn: Connection, state: State, budget: number | undefined) => {
  let fork: State | undefined;
  return {
    turnTo: (use: 'read' | 'write'): void => {
      if (use === 'write') fork ??= state.fork();
      conn.bind(fork ?? state);
      conn.limit(budget);
    },
    drop: (): void => {
      if (fork && !state.head.dropped) conn.bind(state);
      fork?.drop();
    },
  };
};

const callCode = async (
  program: Program,
  tool: Runnable,
  state: State,
  conn: Connection,
  rawArgs: unknown,
  ctx: CallContext,
): Promise<AsyncOutcome> => {
  const code = tool.code as NonNullable<Runnable['code']>;
  const draft = draftOf(conn, state, ctx.budget);
  const workspace = tool.code?.usesFiles ? ctx.workspace.fork() : ctx.workspace;
  const run: Run = { conn, ctx: { ...ctx, workspace }, args: {}, slots: new Array(tool.slots), turns: 0 };
  const before = state.writeCounter;
  const writes: NonNullable<CodeCall['writes']> = [];
  try {
    run.args = decodeArgs(tool.args, tool.validate(rawArgs));
    const call: CodeCall = { run, asks: 0, writes, turnTo: draft.turnTo };
    const end = await codePool().run(jobOf(code, run), (ask) => code.operations.answer(call, ask));
    settle(code, call, end);
    const { canonical, result } = tool.answer(run);
    if (writes.length > 0 && state.writeCounter !== before) throw changedMeanwhile(program, tool.name);
    draft.turnTo('read');
    const touched = writes.length > 0 ? commit(run, state, writes) : [];
    if (tool.writesFiles) ctx.workspace.restore(workspace);
    return { ok: true, result, canonical, touched };
  } catch (thrown) {
    // What a constraint was about is read from the rows as the call left them.
    if (!state.head.dropped) draft.turnTo('read');
    return { ...failed(program, tool, run, thrown), touched: [] };
  } finally {
    draft.drop();
  }
};

/**
 * Calls a tool on `state` without ever blocking: as `callTool`, with the rows it changed. While its code runs, `conn` may be bound
 * elsewhere; the state itself changes once, when the call succeeds. Calls on one state must follow one another; where one did not,
 * it throws `state_busy`. Throws faults of the infrastructure only, `code_unavailable` among them.
 */
export const callToolAsync = async (
  program: Program,
  toolName: string,
  state: State,
  conn: Connection,
  rawArgs: unknown,
  ctx: CallContext,
): Promise<AsyncOutcome> => {
  const found = program.tools.get(toolName);
  if (!found) return { ...unknownTool(program, String(toolName)), touched: [] };
  const tool = runnableOf(found);
  if (tool instanceof TreadleError) return { ...brokenTool(program, tool), touched: [] };
  if (tool.code) return callCode(program, tool, state, conn, rawArgs, ctx);
  conn.bind(state);
  conn.record();
  const outcome = callTool(program, toolName, conn, rawArgs, ctx);
  return { ...outcome, touched: conn.touched() };
};
