/** What one product has and another has not: tables, columns, arguments and tools that a flavour adds to a core service or takes away. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import { contractOf } from '../catalogue/contract.js';
import { PAGING } from './paging.js';

export interface Extra {
  /** How many products in a hundred have it. */
  share: number;
  /** Of the extras of one group a product has at most one, the first that is drawn. */
  group?: string;
  tables?: Record<string, Table>;
  cols?: Record<string, Record<string, Column>>;
  /** Arguments for tools that are there, by the tool's canonical name. */
  args?: Record<string, Record<string, Arg>>;
  tools?: Record<string, Tool>;
  without?: string[];
}

const PROVENANCE = { tier: 'catalogue' } as const;

export const keyArg = (table: string, noun: string): Record<string, Arg> => ({
  id: { type: 'text', role: 'key', col: 'id', ref: table, required: true, description: `Id of the ${noun}.` },
});

/** A list of `table` with these filters, in this order. */
export const listTool = (
  id: string,
  table: string,
  description: string,
  filters: Record<string, Arg>,
  order: Tool['order'] = [],
): Tool => ({
  id,
  op: 'list',
  table,
  description,
  args: { ...filters, ...PAGING },
  order,
  errors: { invalid_argument: 422 },
  reads: [table],
  writes: [],
  provenance: PROVENANCE,
});

export const getTool = (id: string, table: string, description: string, noun: string): Tool => ({
  id,
  op: 'get',
  table,
  description,
  args: keyArg(table, noun),
  errors: { not_found: 404, invalid_argument: 422 },
  reads: [table],
  writes: [],
  provenance: PROVENANCE,
});

export const createTool = (id: string, table: string, description: string, args: Record<string, Arg>): Tool => ({
  id,
  op: 'create',
  table,
  description,
  args,
  errors: { invalid_argument: 422, invalid_reference: 422, conflict: 409 },
  reads: [],
  writes: [{ table, insert: true }],
  provenance: PROVENANCE,
});

export const updateTool = (id: string, table: string, description: string, args: Record<string, Arg>): Tool => ({
  id,
  op: 'update',
  table,
  description,
  args,
  errors: { not_found: 404, invalid_argument: 422 },
  reads: [table],
  writes: [{ table, cols: Object.entries(args).flatMap(([, { role, col }]) => (role === 'set' && col ? [col] : [])) }],
  provenance: PROVENANCE,
});

export const deleteTool = (id: string, table: string, description: string, noun: string): Tool => ({
  id,
  op: 'delete',
  table,
  description,
  args: keyArg(table, noun),
  errors: { not_found: 404, invalid_argument: 422, conflict: 409 },
  reads: [table],
  writes: [{ table, delete: true }],
  provenance: PROVENANCE,
});

/** The row named by `id`, bound as `row`. */
export const theRow = (table: string, noun: string): Step => ({
  get: {
    table,
    where: { id: '$args.id' },
    as: 'row',
    else: { error: 'not_found', message: `No such ${noun}.`, field: 'id' },
  },
});

/** A flag is set where it is not set yet: whoever sets it twice has not looked. */
export const flagStep = (col: string, value: boolean): Step => ({
  require: [{ that: `row.${col} == ${!value}`, error: 'invalid_state', message: 'It is so already.', field: 'id' }],
});

/** An action whose contract is that of its steps; `returns` is the bound row it answers with. */
export const actionTool = (
  id: string,
  table: string,
  description: string,
  args: Record<string, Arg>,
  steps: Step[],
  returns: Tool['returns'],
  errors: Record<string, number>,
): Tool => ({
  id,
  op: 'action',
  table,
  description,
  args,
  steps,
  returns,
  errors: { invalid_argument: 422, not_found: 404, ...errors },
  ...contractOf(steps, {}),
  provenance: PROVENANCE,
});

const insideOf = (args: Record<string, Arg>, more: Record<string, Arg>): Record<string, Arg> => {
  const { limit, offset, ...rest } = args;
  return { ...rest, ...more, ...(limit ? { limit } : {}), ...(offset ? { offset } : {}) };
};

const withExtra = (spec: ServiceSpec, extra: Extra): ServiceSpec => {
  const tables = Object.fromEntries(
    Object.entries(spec.tables).map(([name, table]) => [
      name,
      { ...table, cols: { ...table.cols, ...extra.cols?.[name] } },
    ]),
  );
  const tools = Object.fromEntries(
    Object.entries(spec.tools)
      .filter(([name]) => !extra.without?.includes(name))
      .map(([name, tool]) => [name, { ...tool, args: insideOf(tool.args, extra.args?.[name] ?? {}) }]),
  );
  return { ...spec, tables: { ...tables, ...extra.tables }, tools: { ...tools, ...extra.tools } };
};

/** The service with the extras that one product has, drawn in the list's order. */
export const withExtras = (spec: ServiceSpec, extras: readonly Extra[], rng: Rng): ServiceSpec => {
  const groups = new Set<string>();
  let out = structuredClone(spec);
  for (const extra of extras) {
    const isDrawn = rng.chance(extra.share / 100);
    if (!isDrawn || (extra.group !== undefined && groups.has(extra.group))) continue;
    if (extra.group !== undefined) groups.add(extra.group);
    out = withExtra(out, structuredClone(extra));
  }
  return out;
};
