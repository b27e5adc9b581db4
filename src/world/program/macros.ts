/** Expands the generic operations (list, search, get, create, update, delete) into steps. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Condition, Step, Value } from '../../artifacts/step.js';
import type { Machine, Table } from '../../artifacts/table.js';
import type { Arg, ArgRole, Returns, Tool } from '../../artifacts/tool.js';
import { withArticle } from '../../kit/words.js';
import { envelopeOf, needsTotal } from '../surface/answer.js';
import { sortable } from '../surface/args.js';
import { DEFAULT_LIMIT } from '../surface/decode.js';
import { columnCodec, visibleColumns } from '../surface/values.js';

/** Rows of a list that cannot be paged. */
const UNPAGED_LIMIT = 100;

const ofRole = (tool: Tool, ...roles: ArgRole[]): [string, Arg][] =>
  Object.entries(tool.args).filter(([, arg]) => roles.includes(arg.role));
const path = (name: string): Value => `$args.${name}`;
const columnsOf = (args: [string, Arg][]): Record<string, Value> =>
  Object.fromEntries(args.map(([name, arg]) => [arg.col ?? name, path(name)]));

const filters = (tool: Tool): Condition[] =>
  ofRole(tool, 'filter').map(([name, arg]) => ({
    col: arg.col ?? name,
    op: arg.op ?? (arg.type === 'list' ? 'in' : 'eq'),
    value: path(name),
    optional: !arg.required,
  }));

/** Text columns that a query looks in when the tool does not say. */
const searchable = (table: Table): string[] =>
  visibleColumns(table).filter((name) => {
    const col = table.cols[name];
    return col?.type === 'text' && !col.enum && !col.fk && name !== table.key.col;
  });

const find = (spec: ServiceSpec, tool: Tool, table: Table): Step[] => {
  const [query] = ofRole(tool, 'query');
  const [sort] = ofRole(tool, 'sort');
  const [limit] = ofRole(tool, 'limit');
  const [from] = ofRole(tool, 'offset', 'page', 'cursor');
  const total = needsTotal(envelopeOf(spec, 'many', tool.returns));
  const cols = tool.match ?? searchable(table);
  return [
    {
      find: {
        table: tool.table,
        where: filters(tool),
        ...(query && cols.length > 0 && { text: { cols, value: path(query[0]) } }),
        ...(tool.order && { order: tool.order }),
        ...(sort && { sort: { value: path(sort[0]), allowed: sortable(table, sort[1]) } }),
        limit: limit ? path(limit[0]) : from ? DEFAULT_LIMIT : UNPAGED_LIMIT,
        ...(from && { offset: path(from[0]) }),
        as: 'rows',
        ...(total && { total: 'total' }),
      },
    },
  ];
};

const get = (tool: Tool): Step => ({
  get: { table: tool.table, where: columnsOf(ofRole(tool, 'key')), as: 'row', else: { error: 'not_found' } },
});

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A status set by hand moves only as the machine allows. */
const movesOnly = (spec: ServiceSpec, tool: Tool, table: Table, machine: Machine): Step[] => {
  const [name] = ofRole(tool, 'set').find(([arg, { col }]) => (col ?? arg) === machine.col) ?? [];
  const col = table.cols[machine.col];
  if (name === undefined || !col?.required) return [];
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of machine.moves)
    for (const state of from) targets.set(state, (targets.get(state) ?? new Set()).add(to));
  const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const moves = [...targets].map(
    ([state, next]) => `(row.${machine.col} == ${text(state)} && args.${name} in [${[...next].map(text).join(', ')}])`,
  );
  const codec = columnCodec(spec, col);
  const shown = [...targets].map(
    ([state, next]) => `${codec.encode(state)} to ${[...next].map((to) => codec.encode(to)).join(' or ')}`,
  );
  const that = [`args.${name} == row.${machine.col}`, ...moves].join(' || ');
  const step: Step = {
    require: [
      {
        that,
        error: 'invalid_state',
        message: `${capital(withArticle(table.noun))} that is {row.${machine.col}} cannot become {args.${name}}; possible: ${shown.join(', ')}`,
        field: name,
      },
    ],
  };
  return tool.args[name]?.required ? [step] : [{ if: { that: `has(args.${name})`, do: [step] } }];
};

const update = (spec: ServiceSpec, tool: Tool, table: Table): Step[] => [
  get(tool),
  ...(table.machine ? movesOnly(spec, tool, table, table.machine) : []),
  {
    update: {
      table: tool.table,
      where: { [table.key.col]: `$row.${table.key.col}` },
      set: columnsOf(ofRole(tool, 'set')),
      as: 'row',
    },
  },
];

const stepsOf = (spec: ServiceSpec, tool: Tool, table: Table): Step[] => {
  switch (tool.op) {
    case 'list':
    case 'search':
      return find(spec, tool, table);
    case 'get':
      return [get(tool)];
    case 'create':
      return [{ insert: { table: tool.table, set: columnsOf(ofRole(tool, 'set', 'key')), as: 'row' } }];
    case 'update':
      return update(spec, tool, table);
    case 'delete':
      return [get(tool), { delete: { table: tool.table, where: { [table.key.col]: `$row.${table.key.col}` } } }];
    default:
      return [];
  }
};

const RETURNS: Record<Tool['op'], Returns> = {
  list: { rows: 'rows' },
  search: { rows: 'rows' },
  get: { row: 'row' },
  create: { row: 'row' },
  update: { row: 'row' },
  delete: { done: true },
  action: { done: true },
  code: { done: true },
};

/** The tool with its steps and what it returns written out; a tool that has steps keeps them. */
export const expandTool = (spec: ServiceSpec, tool: Tool): Tool & { steps: Step[]; returns: Returns } => {
  const { returns } = tool;
  const says = returns && (returns.row ?? returns.rows ?? returns.value ?? returns.done) !== undefined;
  const table = spec.tables[tool.table] as Table;
  const shaped: Returns = says ? returns : { ...RETURNS[tool.op], ...returns };
  const steps = tool.steps ?? stepsOf(spec, { ...tool, returns: shaped }, table);
  return { ...tool, steps, returns: shaped };
};
