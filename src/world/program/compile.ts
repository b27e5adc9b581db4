/** From a ServiceSpec to a Program: everything checked, macros expanded, every tool ready to run. */
import type { ServiceSpec } from '../../artifacts/service.js';
import { addressOf } from '../../kit/hash.js';
import { ddlKeyOf, ddlOf } from '../ddl.js';
import { forgetSpec } from '../surface/kept.js';
import { type Environments, serviceEnvironment } from './cel.js';
import { checkService } from './check.js';
import { compileTool } from './compile-tool.js';
import { LazyTool } from './lazy-tool.js';
import { type CompiledTool, LOAD_CLASSES, type LoadClass, type Program } from './types.js';

const MOST_KEPT = 64;
const kept = new Map<string, Program>();

const dearest = (tools: Iterable<CompiledTool>): LoadClass =>
  LOAD_CLASSES[Math.max(0, ...[...tools].map(({ loadClass }) => LOAD_CLASSES.indexOf(loadClass)))] as LoadClass;

/**
 * Compiles a service. Throws `bad_steps`, `bad_expression`, `unknown_table`, `unknown_column`, `unknown_argument`,
 * `bad_tool_name`, `bad_field`, `bad_column`, `bad_argument` or `bad_code` (fault world) with `tool.step` or `table.column` as value.
 * Equal specs share one Program; a spec is taken as frozen. `hash` is its address, where that is known.
 */
export const compileService = (spec: ServiceSpec, hash = addressOf(spec)): Program => {
  const known = kept.get(hash);
  if (known) return known;
  forgetSpec(spec);
  checkService(spec);
  const environments = serviceEnvironment(spec);
  const tools = new Map<string, CompiledTool>(
    Object.entries(spec.tools).map(([name, tool]) => [name, compileTool(spec, name, tool, environments)]),
  );
  const program: Program = {
    spec,
    hash,
    ddl: ddlOf(spec),
    ddlKey: ddlKeyOf(spec),
    tools,
    loadClass: dearest(tools.values()),
  };
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(hash, program);
  return program;
};

/**
 * As `compileService`, for servers that hold hundreds of services: a tool is compiled when it is first called and let go when
 * thousands of others were called since. A defect of a tool's steps shows when it is called, as a fault of the world.
 */
export const openService = (spec: ServiceSpec, hash = addressOf(spec)): Program => {
  checkService(spec);
  let environments: Environments | undefined;
  const shared = (): Environments => {
    environments ??= serviceEnvironment(spec);
    return environments;
  };
  const tools = new Map<string, CompiledTool>(
    Object.entries(spec.tools).map(([name, tool]) => [name, new LazyTool(spec, name, tool, shared)]),
  );
  return { spec, hash, ddl: ddlOf(spec), ddlKey: ddlKeyOf(spec), tools, loadClass: dearest(tools.values()) };
};
