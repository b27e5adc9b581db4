/** Sort directions as an argument of their own: `?sort=created&direction=desc`, `?order=asc`, `?descending=true`. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { snake } from '../../kit/words.js';
import { expandTool } from '../../world/program/macros.js';
import type { Schemas } from './schema.js';
import type { DocParam } from './types.js';

const NAME =
  /^(direction|dir|order|ordering|(sort|sorting|order|ordering|sort_by|order_by)_(direction|dir|order|type|ascending|asc|descending|desc)|asc|ascending|desc|descending|is_(asc|ascending|desc|descending)|reverse|reverse_order)$/;
const UP = /^(a|asc|ascend|ascending|up|forward|forwards|1|old_to_new|oldest)$/;
const DOWN = /^(d|desc|descend|descending|down|reverse|backward|backwards|new_to_old|newest)$/;
const wordOf = (value: string): string => snake(value) || value.toLowerCase();

/** The argument of a direction, with the values the document lists; undefined for a parameter that says no direction. */
export const directionArg = (param: DocParam, schemas: Schemas): Arg | undefined => {
  const words = snake(param.name);
  if (!NAME.test(words)) return undefined;
  const view = schemas.view(param.schema);
  if (view.types.has('boolean')) return /desc|asc|reverse/.test(words) ? { type: 'bool', role: 'input' } : undefined;
  const values = (view.enum ?? []).filter((one): one is string => typeof one === 'string' && one !== '');
  const known = values.every((value) => UP.test(wordOf(value)) || DOWN.test(wordOf(value)));
  if (values.length > 1 && known && values.some((value) => DOWN.test(wordOf(value))))
    return { type: 'text', role: 'input', enum: [...new Set(values)] };
  const said = `${param.description ?? ''} ${view.facts.get('description') ?? ''} ${view.facts.get('default') ?? ''}`;
  return values.length === 0 && /\basc(ending)?\b|\bdesc(ending)?\b/i.test(said)
    ? { type: 'text', role: 'input', enum: ['asc', 'desc'] }
    : undefined;
};

/** CEL that is true when the rows are asked for downwards. */
const isDown = (name: string, arg: Arg): string => {
  if (arg.type === 'bool') return `has(args.${name}) && ${/asc/.test(name) ? '!' : ''}args.${name}`;
  const down = (arg.enum ?? []).filter((value) => DOWN.test(wordOf(value)));
  return `has(args.${name}) && args.${name} in [${down.map((value) => `'${value}'`).join(', ')}]`;
};

/** How a list is sorted where the call does not say: downwards by a column. */
export interface Standard {
  col: string;
  /** Downwards is the direction's own default, also for other columns. */
  isDown: boolean;
}

/**
 * A list's direction argument takes effect: the order of the sort argument turned round, or that of the keys where nothing else is
 * said. Only lists have an `input` argument for it; every other tool comes back as it is.
 */
export const withDirection = (spec: ServiceSpec, tool: Tool, standard?: Standard): Tool => {
  const [name, arg] = Object.entries(tool.args).find(([, { role }]) => role === 'input') ?? [];
  if (name === undefined || !arg || (tool.op !== 'list' && tool.op !== 'search')) return tool;
  const [sort] = Object.entries(tool.args).find(([, { role }]) => role === 'sort') ?? [];
  const key = spec.tables[tool.table]?.key.col as string;
  const base = standard?.col ?? key;
  const bare = sort === undefined ? `'${base}'` : `(has(args.${sort}) ? args.${sort} : '${base}')`;
  const turned = sort === undefined ? `'-${base}'` : `(has(args.${sort}) ? '-' + args.${sort} : '-${base}')`;
  const already = sort === undefined ? 'false' : `has(args.${sort}) && args.${sort}.startsWith('-')`;
  const unsaid = `!has(args.${name})${sort === undefined || standard?.isDown ? '' : ` && !has(args.${sort})`}`;
  const down = standard ? `(${unsaid}) || (${isDown(name, arg)})` : isDown(name, arg);
  const value = `!(${down}) || (${already}) ? ${bare} : ${turned}`;
  const steps = expandTool(spec, tool).steps.map((step): Step => {
    if (!('find' in step)) return step;
    const allowed = [...new Set([...(step.find.sort?.allowed ?? []), key, base])];
    return { find: { ...step.find, sort: { value, allowed } } };
  });
  return { ...tool, steps };
};
