/** The generic tools of a catalogue table: search or list, get, create, update, delete. Their steps are derived. */
import type { Tool } from '../../artifacts/tool.js';
import { withArticle } from '../../kit/words.js';
import { creatable, createArgs, filterArgs, keyArgs, pagingArgs, updatable, updateArgs } from './args.js';
import type { CompiledTable } from './table.js';

type Macro = 'list' | 'search' | 'get' | 'create' | 'update' | 'delete';

const touched = (table: CompiledTable): string[] =>
  Object.entries(table.table.cols)
    .filter(([, column]) => column.auto === 'touch')
    .map(([col]) => col);

const WRITERS: Record<Macro, (table: CompiledTable) => Tool['writes']> = {
  list: () => [],
  search: () => [],
  get: () => [],
  create: (table) => [{ table: table.name, insert: true }],
  update: (table) => [{ table: table.name, cols: [...updatable(table), ...touched(table)].sort() }],
  delete: (table) => [{ table: table.name, delete: true }],
};

const argsOf = (macro: Macro, table: CompiledTable): Tool['args'] => {
  switch (macro) {
    case 'list':
      return { ...filterArgs(table), ...pagingArgs() };
    case 'search':
      return {
        query: {
          type: 'text',
          role: 'query',
          maxLength: 200,
          description: `Words to look for in ${(table.draft.search ?? []).join(', ').replaceAll('_', ' ')}.`,
        },
        ...filterArgs(table),
        ...pagingArgs(),
      };
    case 'get':
    case 'delete':
      return keyArgs(table);
    case 'create':
      return createArgs(table);
    case 'update':
      return { ...keyArgs(table), ...updateArgs(table) };
  }
};

const describe = (macro: Macro, table: CompiledTable): string => {
  const { noun, plural = '' } = table.table;
  const about = table.table.description ? ` ${table.table.description}` : '';
  switch (macro) {
    case 'list':
      return `List ${plural}, newest first, narrowed by any of the filters.${about}`;
    case 'search':
      return `Find ${plural} by words and filters, newest first.${about}`;
    case 'get':
      return `Read one ${noun} by its id.`;
    case 'create':
      return `Create ${withArticle(noun)}.${table.statusCol ? ` It starts as ${table.table.machine?.initial.replaceAll('_', ' ')}.` : ''}${about}`;
    case 'update':
      return `Change details of ${withArticle(noun)}; what is not given stays as it is.${table.statusCol ? ' The status has tools of its own.' : ''}`;
    case 'delete':
      return `Delete ${withArticle(noun)} for good.`;
  }
};

const ERRORS: Record<Macro, Record<string, number>> = {
  list: { invalid_argument: 422 },
  search: { invalid_argument: 422 },
  get: { not_found: 404 },
  create: { invalid_argument: 422, invalid_reference: 422, conflict: 409 },
  update: { not_found: 404, invalid_argument: 422, invalid_reference: 422, conflict: 409 },
  delete: { not_found: 404, conflict: 409 },
};

const DEFAULT: Macro[] = ['get', 'create', 'update'];

/** Canonical tools of a table's macros, by name; `update` is left out where nothing could be changed. */
export const macroTools = (table: CompiledTable, archetype: string): [string, Tool][] => {
  const find: Macro = table.draft.search ? 'search' : 'list';
  const macros: Macro[] = table.draft.tools ?? [find, ...DEFAULT];
  return macros
    .filter((macro) => macro !== 'update' || updatable(table).length > 0)
    .filter((macro) => macro !== 'create' || creatable(table).length > 0)
    .map((macro) => [
      `${table.name}_${macro}`,
      {
        id: `${table.name}.${macro}`,
        op: macro,
        table: table.name,
        description: describe(macro, table),
        args: argsOf(macro, table),
        ...(macro === 'search' && table.draft.search ? { match: table.draft.search } : {}),
        ...(macro === 'list' || macro === 'search' ? { order: [{ col: 'created_at', desc: true }] } : {}),
        errors: ERRORS[macro],
        reads: macro === 'create' ? [] : [table.name],
        writes: WRITERS[macro](table),
        provenance: { tier: 'catalogue', effect: `catalogue:${archetype}.${table.name}.${macro}` },
      },
    ]);
};
