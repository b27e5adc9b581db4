/** Arguments of catalogue tools, from columns. */
import type { Arg, ArgRole } from '../../artifacts/tool.js';
import type { CompiledTable } from './table.js';

export const keyArgs = (table: CompiledTable): Record<string, Arg> => ({
  id: {
    type: 'text',
    role: 'key',
    col: 'id',
    ref: table.name,
    required: true,
    description: `Id of the ${table.table.noun}.`,
  },
});

/** An argument that takes a column's values: its type, enum, limits and foreign key. */
export const columnArg = (table: CompiledTable, col: string, role: ArgRole, required: boolean): Arg => {
  const column = table.table.cols[col];
  if (!column) throw new Error(`no column ${table.name}.${col}`);
  return {
    type: column.type,
    role,
    col,
    ...(required ? { required } : {}),
    ...(column.fk ? { ref: column.fk } : {}),
    ...(column.enum ? { enum: column.enum } : {}),
    ...(role !== 'filter' && column.min !== undefined ? { min: column.min } : {}),
    ...(role !== 'filter' && column.max !== undefined ? { max: column.max } : {}),
    ...(column.maxLength ? { maxLength: column.maxLength } : {}),
    ...(role !== 'filter' && column.format ? { format: column.format } : {}),
  };
};

/** Columns that a creator may give, in table order. */
export const creatable = (table: CompiledTable): string[] =>
  Object.entries(table.cols)
    .filter(([, draft]) => !draft.managed && !draft.column.auto)
    .map(([col]) => col);

export const createArgs = (table: CompiledTable): Record<string, Arg> =>
  Object.fromEntries(
    creatable(table).map((col) => [col, columnArg(table, col, 'set', table.cols[col]?.mandatory ?? false)]),
  );

export const updatable = (table: CompiledTable): string[] =>
  creatable(table).filter((col) => !table.cols[col]?.fixed && !table.cols[col]?.column.fk);

export const updateArgs = (table: CompiledTable): Record<string, Arg> =>
  Object.fromEntries(updatable(table).map((col) => [col, columnArg(table, col, 'set', false)]));

const FILTERS = 7;

/** Equality filters on numbers, foreign keys, enums, shared keys and flags, and one date range. */
export const filterArgs = (table: CompiledTable): Record<string, Arg> => {
  const entries = Object.entries(table.cols);
  const rank = (col: string): number => {
    const draft = table.cols[col];
    if (!draft) return 9;
    const { column } = draft;
    if (col === table.statusCol) return 0;
    if (column.fk) return 1;
    if (column.auto === 'number') return 2;
    if (draft.refs.length > 0) return 3;
    if (column.enum) return 4;
    if (/^(sku|email|code|plate|lot_no|batch_no|period|country)$|_(no|code)$/.test(col)) return 5;
    return column.type === 'bool' ? 6 : 9;
  };
  const equal = entries
    .map(([col]) => col)
    .filter((col) => rank(col) < 9)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, FILTERS);
  const args: Record<string, Arg> = {};
  for (const col of equal) args[col] = { ...columnArg(table, col, 'filter', false), op: 'eq' };
  const day = entries.find(([, { column }]) => column.type === 'date')?.[0];
  if (day) {
    args[`${day}_from`] = { ...columnArg(table, day, 'filter', false), op: 'gte' };
    args[`${day}_to`] = { ...columnArg(table, day, 'filter', false), op: 'lte' };
  }
  return args;
};

export const pagingArgs = (): Record<string, Arg> => ({
  limit: { type: 'int', role: 'limit', default: 20, min: 1, max: 100 },
  offset: { type: 'int', role: 'offset', default: 0, min: 0 },
});
