/** Dresses a canonical service in a dialect: a pure mapping of names, ids, values, envelopes and errors around the same steps. */
import { ServiceSpec } from '../../artifacts/service.js';
import type { Surface } from '../../artifacts/surface.js';
import type { Table } from '../../artifacts/table.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import type { Rng } from '../../kit/rng.js';
import { argFields, columnFields, type Named, type Shown } from './fields.js';
import { withHabits } from './habits.js';
import { idStyles, referent, retypeArg, retypeColumn, retyped } from './ids.js';
import { drawFacets } from './mix.js';
import { type Dialect, dialectFile, type Envelope } from './schema.js';
import { drawVerbs, toolNames } from './tool-names.js';
import { drawWords, NO_WORDING, type Wording } from './wording.js';

/** Every dialect of data/dialects.yaml, in the file's order. */
export const DIALECTS: readonly string[] = [
  'snake_cursor',
  'camel_page',
  'resource_objects',
  'query_options',
  'dotted_rpc',
  'legacy_columns',
  'graph_edges',
  'property_bag',
  'hyperlinks',
  'plain_words',
  'named_resources',
  'command_desk',
];

const surfaceOf = (name: string, dialect: Dialect, currency: string): Surface => ({
  dialect: name,
  fields: dialect.naming.fields,
  args: dialect.naming.args,
  enums: dialect.enums,
  date: dialect.dates.date,
  datetime: dialect.dates.datetime,
  money: dialect.money,
  currency,
  row: dialect.envelope.row,
  one: dialect.envelope.one,
  many: dialect.envelope.many,
  done: dialect.envelope.done,
  paging: dialect.envelope.paging.style,
  error: dialect.errors,
});

/** How far a list without paging may be raised, so that its last rows stay in reach. */
const UNPAGED_MAX = 500;

/** The canonical offset becomes the dialect's page, cursor or nothing. */
const pagingArgs = (args: Record<string, Arg>, paging: Envelope['paging']): Record<string, Arg> => {
  const out: Record<string, Arg> = {};
  for (const [name, arg] of Object.entries(args)) {
    if (arg.role === 'limit' && paging.style === 'none')
      out[name] = { ...arg, max: Math.max(arg.max ?? 0, UNPAGED_MAX) };
    else if (arg.role !== 'offset' || paging.style === 'offset') out[name] = arg;
    else if (paging.style === 'cursor')
      out.cursor = { type: 'text', role: 'cursor', description: 'Where the last answer ended; leave out to begin.' };
    else if (paging.style !== 'none') {
      const first = paging.style === 'page0' ? 0 : 1;
      out.page = {
        type: 'int',
        role: 'page',
        default: first,
        min: first,
        description: `Page to return; the first is ${first}.`,
      };
    }
  }
  return out;
};

type KeyTypes = Map<string, 'int' | 'text'>;

const dressTable = ({ tables, columns }: Shown, name: string, types: KeyTypes): Table => {
  const table = tables[name] as Table;
  const fields = columns[name] ?? {};
  const cols = Object.fromEntries(
    Object.entries(table.cols).map(([col, column]) => {
      const { field: _, ...rest } = retypeColumn(column, types.get(referent(tables, name, col) ?? ''));
      return [col, fields[col] === undefined ? rest : { ...rest, field: fields[col] }];
    }),
  );
  return { ...table, cols };
};

const dressTool = (shown: Shown, tool: Tool, types: KeyTypes): Tool => {
  const paged = pagingArgs(tool.args, shown.dialect.envelope.paging);
  const fields = argFields(shown, tool.table, paged);
  const args = Object.fromEntries(
    Object.entries(paged).map(([name, arg]) => {
      const target = arg.ref ?? referent(shown.tables, tool.table, arg.col);
      const { field: _, ...rest } = retypeArg(arg, types.get(target ?? ''));
      return [name, fields[name] === undefined ? rest : { ...rest, field: fields[name] }];
    }),
  );
  return { ...tool, args };
};

/**
 * The service in dialect `dialectId` (one of DIALECTS), or now and then mixed with a second one by `opts.rng`, which also draws
 * what its lists offer and which words it has for common columns; `opts.wording` goes before those. Tool ids, steps, tables and
 * column names stay; key columns turn to int where the dialect's ids are numbers. `opts.currency` is ISO 4217. Throws
 * `unknown_dialect`.
 */
export const dressService = (
  given: ServiceSpec,
  dialectId: string,
  opts: { currency: string; rng: Rng; wording?: Omit<Wording, 'words'> },
): ServiceSpec => {
  const base = dialectFile().dialects.find((dialect) => dialect.id === dialectId);
  if (base === undefined)
    throw new TreadleError({
      code: 'unknown_dialect',
      message: 'There is no such dialect',
      value: dialectId,
      next: `Use one of ${DIALECTS.join(', ')}.`,
    });
  const canonical = withHabits(given, opts.rng.stream('habits'));
  const { tables, tools } = canonical;
  const { name, dialect } = drawFacets(base, opts.rng.stream('mix'));
  const args = Object.values(tools).flatMap((tool) => Object.keys(tool.args));
  const wording = { ...NO_WORDING, ...opts.wording, words: drawWords(tables, args, opts.rng.stream('words')) };
  const styles = idStyles(tables, dialect.ids, wording);
  const types = retyped(canonical, styles);
  const verbs = drawVerbs(dialect.naming.words, tools, opts.rng.stream('verbs'));
  const names = toolNames(tools, dialect.naming, verbs, wording);
  const named: Named = { dialect, tables, wording };
  const columns = Object.fromEntries(Object.keys(tables).map((table) => [table, columnFields(named, table)]));
  const shown: Shown = { ...named, columns };
  const dressed = Object.keys(tables).map((id): [string, Table] => {
    const table = dressTable(shown, id, types);
    const gen = styles[id];
    return [id, gen ? { ...table, key: { ...table.key, gen } } : table];
  });
  return ServiceSpec.parse({
    ...canonical,
    tables: Object.fromEntries(dressed),
    tools: Object.fromEntries(
      Object.entries(tools).map(([tool, body]) => [names.get(tool), dressTool(shown, body, types)]),
    ),
    surface: surfaceOf(name, dialect, opts.currency),
  });
};
