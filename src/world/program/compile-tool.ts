/** From a tool's declaration to something that runs: macros expanded, steps and answer compiled. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { addressOf } from '../../kit/hash.js';
import { compileCode } from '../code/code-tool.js';
import { runCodeNow } from '../code/now.js';
import { argSpecs } from '../surface/args.js';
import { inputSchemaOf } from '../surface/input-schema.js';
import { outputSchemaOf } from '../surface/output-schema.js';
import { argsValidator } from '../surface/validate.js';
import type { Environments } from './cel.js';
import { expandTool } from './macros.js';
import { compileReturns } from './returns.js';
import type { Planned } from './run.js';
import type { Runnable } from './runnable.js';
import type { Scope, Site } from './scope.js';
import { writesFiles } from './steps/file.js';
import { compileSteps } from './steps.js';
import type { CompiledTool } from './types.js';

const touchesFiles = (steps: readonly Step[]): boolean =>
  steps.some((step) => {
    if ('file' in step) return writesFiles(step);
    if ('each' in step) return touchesFiles(step.each.do);
    return 'if' in step && touchesFiles(step.if.do);
  });

/** SQL statements that steps run at most in one call; a write counts as many, because it must be undone when the answer fails. */
const statementsIn = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => {
    if ('get' in step || 'sql' in step) return sum + 1;
    if ('find' in step) return sum + (step.find.total === undefined ? 1 : 2);
    if ('if' in step) return sum + statementsIn(step.if.do);
    if ('each' in step) return statementsIn(step.each.do) > 0 ? Number.POSITIVE_INFINITY : sum;
    return 'let' in step || 'require' in step || 'file' in step ? sum : Number.POSITIVE_INFINITY;
  }, 0);

const tablesIn = (spec: ServiceSpec, tool: Tool, steps: readonly Step[]): string[] => {
  const text = JSON.stringify(steps);
  const named = Object.keys(spec.tables).filter((name) => text.includes(name));
  return [...new Set([tool.table, ...tool.reads, ...tool.writes.map(({ table }) => table), ...named])].sort();
};

const parts = new WeakMap<object, string>();

/** Address of a table or surface, which many tools share. */
const partHash = (part: object): string => {
  const known = parts.get(part);
  if (known !== undefined) return known;
  const hash = addressOf(part);
  parts.set(part, hash);
  return hash;
};

/** Content hash of a tool with the tables it touches and the surface it is shown in. */
export const versionOf = (spec: ServiceSpec, name: string, tool: Tool, steps: readonly Step[]): string => {
  const tables = Object.fromEntries(
    tablesIn(spec, tool, steps).map((table) => [table, partHash(spec.tables[table] as Table)]),
  );
  return addressOf({ name, tool, tables, surface: partHash(spec.surface) });
};

type Body = Pick<Runnable, 'run' | 'plans' | 'answer' | 'code' | 'writesFiles'>;

const bodyOfSteps = (site: Site & { tool: ReturnType<typeof expandTool> }): Body => {
  const start: Scope = { site: { ...site, knowsReaders: true }, at: 'steps', names: new Map(), facts: new Set() };
  const { run, plans, scope } = compileSteps(start, site.tool.steps);
  const answer = compileReturns({ ...scope, at: 'returns' }, site.tool);
  return { run, plans, answer, writesFiles: touchesFiles(site.tool.steps) };
};

const bodyOfCode = (site: Site): Body => {
  const code = compileCode(site, site.tool.code?.source ?? '');
  return { run: runCodeNow(code), plans: [], answer: code.answer, code, writesFiles: code.usesFiles };
};

/** Makes one tool ready to run. Throws what `compileService` throws. */
export const compileTool = (spec: ServiceSpec, name: string, tool: Tool, environments: Environments): Runnable => {
  const expanded = expandTool(spec, tool);
  const args = argSpecs(spec, tool);
  const site = {
    spec,
    toolName: name,
    tool: expanded,
    args,
    environments,
    slots: { count: 0 },
  };
  const { run, answer, plans, code, writesFiles: filesToo } = expanded.code ? bodyOfCode(site) : bodyOfSteps(site);
  const inputSchema = inputSchemaOf(args.values());
  const writesTables = code ? tool.writes.length > 0 : plans.some((plan: Planned) => plan.writes !== undefined);
  let output: CompiledTool['outputSchema'] | undefined;
  let version: string | undefined;
  return {
    name,
    tool,
    steps: expanded.steps,
    inputSchema,
    readOnly: !writesTables && !filesToo,
    loadClass: !code ? 'declared' : code.sideEffects.length > 0 ? 'code-fresh' : 'code-shared',
    get version() {
      version ??= versionOf(spec, name, tool, expanded.steps);
      return version;
    },
    get outputSchema() {
      output ??= outputSchemaOf(spec, expanded);
      return output;
    },
    args,
    validate: argsValidator(inputSchema, args.values()),
    run,
    plans,
    isTransaction: code !== undefined || statementsIn(expanded.steps) > 1,
    code,
    answer,
    writesFiles: filesToo,
    slots: site.slots.count,
  };
};
