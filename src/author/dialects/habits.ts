/** What the lists of one product offer: which filters, whether they sort, how they page. Drawn once a service, like its names. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Column, Table } from '../../artifacts/table.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import type { Rng } from '../../kit/rng.js';
import { dialectFile } from './schema.js';

interface Drawn {
  sort: boolean;
  many: boolean;
  made: boolean;
  changed: boolean;
  amounts: boolean;
  ids: boolean;
  label: 'contains' | 'prefix' | undefined;
  page: [number, number];
}

const draw = (rng: Rng): Drawn => {
  const { habits } = dialectFile();
  return {
    sort: rng.chance(habits.sort),
    many: rng.chance(habits.many),
    made: rng.chance(habits.made),
    changed: rng.chance(habits.changed),
    amounts: rng.chance(habits.amounts),
    ids: rng.chance(habits.ids),
    label: rng.chance(habits.label) ? rng.pick(['contains', 'prefix'] as const) : undefined,
    page: rng.pick(habits.pages),
  };
};

const said = (col: string): string => col.replaceAll('_', ' ');

const range = (col: string, { type, auto }: Column): Record<string, Arg> => {
  const arg = (op: 'gte' | 'lte', description: string): Arg => ({ type, role: 'filter', col, op, description });
  if (type === 'money')
    return {
      [`${col}_from`]: arg('gte', `At least this ${said(col)}.`),
      [`${col}_to`]: arg('lte', `At most this ${said(col)}.`),
    };
  const done = auto === 'touch' ? 'Last changed' : 'Entered';
  return {
    [`${col}_from`]: arg('gte', `${done} at this time or later.`),
    [`${col}_to`]: arg('lte', `${done} at this time or earlier.`),
  };
};

/** Most columns that a list sorts by. */
const SORTS = 6;

const sortArg = (table: Table): Arg => {
  const worth = (col: string): number => {
    const { type, auto, hidden, fk } = table.cols[col] as Column;
    if (hidden || fk || col === table.key.col) return 9;
    if (auto === 'now' || auto === 'touch') return 0;
    if (type === 'date' || type === 'datetime') return 1;
    if (type === 'money') return 2;
    return col === table.label || auto === 'number' ? 3 : 9;
  };
  const cols = Object.keys(table.cols).filter((col) => worth(col) < 9);
  return {
    type: 'text',
    role: 'sort',
    enum: cols.sort((a, b) => worth(a) - worth(b)).slice(0, SORTS),
    description: 'What the rows are ordered by.',
  };
};

/** A choice of few values asked for singly becomes one or several of them. */
const asList = (arg: Arg): Arg => ({ ...arg, type: 'list', items: 'text', op: 'in' });

/** Filters that a list can do without: what narrows by a choice or a flag, never by a key, a number or the state. */
const isSpare = (table: Table, { role, required, col, op, type, ref }: Arg): boolean => {
  const column = col === undefined ? undefined : table.cols[col];
  if (role !== 'filter' || required || op !== 'eq' || ref || !column || column.fk || column.unique) return false;
  return col !== table.machine?.col && col !== 'status' && (type === 'bool' || column.enum !== undefined);
};

const listed = (tool: Tool, table: Table, drawn: Drawn, drop: number, rng: Rng): Tool => {
  const args: Record<string, Arg> = {};
  const steering: Record<string, Arg> = {};
  for (const [name, arg] of Object.entries(tool.args)) {
    if (arg.role === 'limit')
      steering[name] = { ...arg, default: Math.min(drawn.page[0], arg.max ?? drawn.page[0]), max: drawn.page[1] };
    else if (arg.role === 'offset') steering[name] = arg;
    else if (isSpare(table, arg) && rng.chance(drop)) continue;
    else if (drawn.many && arg.role === 'filter' && arg.op === 'eq' && arg.type === 'text' && arg.enum)
      args[name] = asList(arg);
    else args[name] = arg;
  }
  const add = (more: Record<string, Arg>): void => {
    for (const [name, arg] of Object.entries(more))
      if (args[name] === undefined && !Object.values(args).some(({ col, op }) => col === arg.col && op === arg.op))
        args[name] = arg;
  };
  const cols = Object.entries(table.cols).filter(([, { hidden }]) => !hidden);
  const made = cols.find(([, { auto }]) => auto === 'now');
  const changed = cols.find(([, { auto }]) => auto === 'touch');
  const amount = cols.find(([, { type }]) => type === 'money');
  const label = table.label === undefined ? undefined : table.cols[table.label];
  if (drawn.made && made) add(range(...made));
  if (drawn.changed && changed) {
    const [from, arg] = Object.entries(range(...changed))[0] as [string, Arg];
    add({ [from]: arg });
  }
  if (drawn.amounts && amount) add(range(...amount));
  if (drawn.label && table.label && label?.type === 'text' && !label.enum && !label.auto && tool.op === 'list')
    add({
      [`${table.label}_${drawn.label}`]: {
        type: 'text',
        role: 'filter',
        col: table.label,
        op: drawn.label,
        description: `Text that the ${said(table.label)} ${drawn.label === 'contains' ? 'contains' : 'begins with'}.`,
      },
    });
  if (drawn.ids && table.key.gen)
    add({
      ids: {
        type: 'list',
        items: 'text',
        role: 'filter',
        col: table.key.col,
        op: 'in',
        ref: tool.table,
        description: 'Only those with these ids.',
      },
    });
  if (drawn.sort && steering.limit) {
    const sort = sortArg(table);
    if (sort.enum && sort.enum.length > 1) args.sort = sort;
  }
  return { ...tool, args: { ...args, ...steering } };
};

/** The service with the lists of one product: canonical in and out. Lists only change what they can be asked. */
export const withHabits = (spec: ServiceSpec, rng: Rng): ServiceSpec => {
  const drawn = draw(rng.stream('product'));
  // The core's lists say in words what they can be narrowed by.
  const drop = spec.source.kind === 'core' ? 0 : dialectFile().habits.drop;
  const tools = Object.entries(spec.tools).map(([name, tool]) => {
    const table = spec.tables[tool.table];
    const isList = (tool.op === 'list' || tool.op === 'search') && tool.steps === undefined;
    return [name, isList && table ? listed(tool, table, drawn, drop, rng.stream(name)) : tool] as const;
  });
  return { ...spec, tools: Object.fromEntries(tools) };
};
