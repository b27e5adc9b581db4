/** A tool given the effect of a verb: `effect: void`. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { nearNames } from '../../kit/near.js';
import { compileVerb } from '../lexicon/compile.js';
import { lexicon } from '../lexicon/load.js';
import { matchVerb } from '../lexicon/match.js';

/** The service with the tool compiled anew, or why the verb cannot be done to it. */
export const giveEffect = (spec: ServiceSpec, name: string, verb: string): ServiceSpec | string => {
  const tool = spec.tools[name] as Tool;
  const table = spec.tables[tool.table];
  if (!table) return `tool ${name} has no table`;
  const match = matchVerb(verb, table.noun, { table });
  if (!match)
    return `tool ${name}: no verb of the lexicon is called ${verb}; near it: ${nearNames(verb, lexicon().verbs).join(', ')}`;
  const key = Object.entries(tool.args).find(([, arg]) => arg.role === 'key');
  const keyed = key ?? Object.entries(tool.args).find(([, arg]) => arg.col === table.key.col || arg.ref === tool.table);
  if (!keyed) return `tool ${name} names no row of ${tool.table}, so nothing can be done to one`;
  const [arg, { field }] = keyed;
  const bodyArgs = Object.fromEntries(
    Object.entries(tool.args)
      .filter(([each]) => each !== arg)
      .map(([each, value]): [string, Arg] => [each, { ...value, role: 'input' }]),
  );
  const compiled = compileVerb(match, {
    tables: spec.tables,
    table: tool.table,
    toolId: `${tool.table}.${match.verb}`,
    keyArg: { name: arg, ...(field === undefined ? {} : { field }) },
    bodyArgs,
    description: tool.description,
    ...(tool.provenance.operation === undefined ? {} : { operation: tool.provenance.operation }),
  });
  if (!compiled) return `tool ${name}: nothing of ${tool.table} can be written by ${verb}`;
  const ids = Object.entries(spec.tools).flatMap(([each, { id }]) => (each === name ? [] : [id]));
  if (ids.includes(compiled.tool.id)) return `tool ${name}: another tool does ${verb} to ${tool.table} already`;
  const tables = { ...spec.tables };
  for (const [to, cols] of Object.entries(compiled.addedColumns)) {
    const there = tables[to];
    if (there) tables[to] = { ...there, cols: { ...there.cols, ...cols } };
  }
  const note = 'effect set by overrides';
  return {
    ...spec,
    tables,
    tools: { ...spec.tools, [name]: { ...compiled.tool, provenance: { ...compiled.tool.provenance, note } } },
  };
};
