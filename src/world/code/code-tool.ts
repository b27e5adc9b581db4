/** A code tool made ready: its source screened, what it returns compiled, its calls opened and settled. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column } from '../../artifacts/table.js';
import type { Returns, Tool } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import { startOfDay } from '../../kit/calendar.js';
import { canonicalJson, type Json, sha256 } from '../../kit/hash.js';
import { type Answering, compileReturns } from '../program/returns.js';
import type { Run } from '../program/run.js';
import { defect, type Scope, type Site } from '../program/scope.js';
import { shownArg } from '../program/show.js';
import { styled } from '../surface/naming.js';
import { AgentError } from '../surface/value.js';
import { type CodeCall, Operations } from './operations.js';
import type { CodeEnd, CodeJob } from './protocol.js';
import { resultOf } from './result.js';
import { screenCode } from './screen.js';

export interface CodeTool {
  site: Site;
  returns: Returns;
  /** See CodeJob. */
  factory: string;
  /** Why every call gets a realm of its own; empty where calls share one. */
  sideEffects: readonly string[];
  usesFiles: boolean;
  answer: Answering;
  operations: Operations;
}

/** What the tool returned, by the name that `returns` knows it under. */
const RESULT = 'result';

/** By field of a result, the column it is shown like: of the tool's own table first, else of the one that has such a column. */
const columnsLike = (spec: ServiceSpec, tool: Tool): ReadonlyMap<string, Column> => {
  const out = new Map<string, Column>();
  const unsure = new Set<string>();
  for (const table of new Set([...tool.reads, ...tool.writes.map((write) => write.table)]))
    for (const [name, column] of Object.entries(spec.tables[table]?.cols ?? {})) {
      const other = out.get(name);
      if (other && (other.type !== column.type || String(other.enum) !== String(column.enum))) unsure.add(name);
      out.set(name, column);
    }
  for (const name of unsure) out.delete(name);
  for (const [name, column] of Object.entries(spec.tables[tool.returns?.table ?? tool.table]?.cols ?? {}))
    out.set(name, column);
  return out;
};

/** Screens and compiles a code tool. Throws `bad_code` (fault world) with `tool:line` as value, or what `returns` is wrong with. */
export const compileCode = (site: Site, source: string): CodeTool => {
  const { spec, toolName, tool } = site;
  const screened = screenCode(source);
  if ('why' in screened)
    throw new TreadleError({
      code: 'bad_code',
      message: `${spec.id}: ${toolName} line ${screened.line}: ${screened.why}`,
      value: `${toolName}:${screened.line}`,
      next: 'Mend the source of the tool.',
      fault: 'world',
    });
  const returns = tool.returns ?? { done: true as const };
  const names = new Map([[RESULT, { slot: 0, kind: { is: 'free' as const, columns: columnsLike(spec, tool) } }]]);
  const scope: Scope = { site, at: 'returns', names, facts: new Set() };
  for (const name of [returns.row, returns.rows])
    if (name !== undefined && name !== RESULT)
      throw defect(scope, 'bad_steps', `a code tool's result is called ${RESULT}, not ${name}`);
  site.slots.count = 1;
  const { factory, sideEffects, usesFiles } = screened;
  const answer = compileReturns(scope, { ...tool, returns });
  return { site, returns, factory, sideEffects, usesFiles, answer, operations: new Operations(site, usesFiles) };
};

/** Four words that depend on the world, the tool, the moment and the arguments: equal calls draw equal numbers. */
const seedOf = ({ site }: CodeTool, { ctx, args }: Run): number[] => {
  const what = canonicalJson([ctx.seed, site.spec.id, site.toolName, ctx.now, ctx.me.id, { ...args }]);
  const hex = sha256(what);
  return [0, 8, 16, 24].map((at) => Number.parseInt(hex.slice(at, at + 8), 16) | 0);
};

export const jobOf = (code: CodeTool, run: Run): CodeJob => ({
  source: code.factory,
  fresh: code.sideEffects.length > 0,
  args: { ...run.args } as { [name: string]: Json },
  now: run.ctx.now,
  today: startOfDay(run.ctx.now),
  me: run.ctx.me,
  seed: seedOf(code, run),
});

const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const LONGEST_MESSAGE = 2_000;

/** An argument as the agent writes it, or a column of the tool's table; anything else is left out. */
const fieldOf = ({ site }: CodeTool, field: string | undefined): string | undefined => {
  if (field === undefined) return undefined;
  if (site.args.has(field)) return shownArg({ site } as Scope, field);
  const cols = site.spec.tables[site.tool.table]?.cols ?? {};
  const col = Object.hasOwn(cols, field) ? cols[field] : undefined;
  return col && (col.field ?? styled(site.spec.surface.fields, field));
};

const worldFault = (code: string, message: string, value: string): TreadleError =>
  new TreadleError({ code, message, value, next: 'Mend the source of the tool.', fault: 'world' });

/** Puts the result where `answer` finds it. Throws what the call failed with: an AgentError, or a world fault of the tool. */
export const settle = (code: CodeTool, call: CodeCall, end: CodeEnd): void => {
  const { toolName } = code.site;
  if (call.failure) throw call.failure.thrown;
  switch (end.end) {
    case 'returned':
      resultOf(code, call.run, end.value);
      return;
    case 'failed':
      if (!NAME.test(end.code))
        throw worldFault('code_error', `The tool failed with a code that is none: ${end.code.slice(0, 40)}`, toolName);
      throw new AgentError(end.code, end.message.slice(0, LONGEST_MESSAGE), fieldOf(code, end.field));
    case 'broke':
      throw worldFault(end.code, end.message, toolName);
    case 'refused':
      throw worldFault('code_crashed', 'The tool was refused something that was never asked', toolName);
  }
};
