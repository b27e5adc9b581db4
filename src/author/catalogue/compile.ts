/** An archetype file -> a canonical ServiceSpec, and the shared keys it holds. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Place } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import { deepFreeze } from '../../kit/hash.js';
import { neutralSurface } from '../dialects/neutral.js';
import { type Archetype, archetype } from './archetype.js';
import { readColumn } from './column.js';
import { macroTools } from './macros.js';
import { type CompiledTable, compileTable, referencesOf } from './table.js';
import { verbTool } from './verbs.js';

/** Most tools a service may have. */
export const MAX_TOOLS = 40;

/** A column that holds another service's key: `from` speaks of `to`. */
export interface SharedKey {
  from: Place;
  to: Place;
}

export interface CompiledArchetype {
  spec: ServiceSpec;
  keys: SharedKey[];
}

const toolsOf = (source: Archetype, tables: Record<string, CompiledTable>): Record<string, Tool> => {
  const tools: Record<string, Tool> = {};
  for (const table of Object.values(tables)) {
    for (const [name, tool] of macroTools(table, source.id)) tools[name] = tool;
    for (const [verb, draft] of Object.entries(table.draft.verbs ?? {})) {
      const [name, tool] = verbTool(table, verb, draft, source.id, tables);
      tools[name] = tool;
    }
  }
  return tools;
};

/**
 * Compiles a parsed archetype. `present` holds the ids of the services in the world (core ones too): optional shared keys whose
 * service is absent are left out; undefined keeps all. Throws `bad_column` and `too_many_tools`.
 */
export const compileDraft = (source: Archetype, currency: string, present?: ReadonlySet<string>): CompiledArchetype => {
  const tables: Record<string, CompiledTable> = {};
  for (const [name, draft] of Object.entries(source.tables)) tables[name] = compileTable(name, draft, present);
  const tools = toolsOf(source, tables);
  const count = Object.keys(tools).length;
  if (count > MAX_TOOLS)
    throw new TreadleError({
      code: 'too_many_tools',
      message: `Archetype ${source.id} has ${count} tools, more than ${MAX_TOOLS}`,
      value: source.id,
      next: 'Drop generic tools of its lesser tables with `tools:`.',
    });
  const keys = Object.values(tables).flatMap((table) =>
    present
      ? referencesOf(table, present).map(({ col, ref }) => ({
          from: { service: source.id, table: table.name, col },
          to: ref,
        }))
      : [],
  );
  const spec: ServiceSpec = {
    treadle: 'service/1',
    id: source.id,
    title: source.title,
    description: source.about,
    source: { kind: 'catalogue', ref: source.id, archetype: source.id },
    tables: Object.fromEntries(Object.values(tables).map((table) => [table.name, table.table])),
    tools,
    surface: neutralSurface(currency),
  };
  return { spec, keys };
};

/** Services that an archetype's columns speak of: all that its compiled form depends on beside itself. */
const spokenOf = (source: Archetype): ReadonlySet<string> => {
  const known = spoken.get(source);
  if (known) return known;
  const services = new Set<string>();
  for (const draft of Object.values(source.tables))
    for (const text of Object.values(draft.cols))
      for (const { service } of readColumn(text).refs) services.add(service);
  spoken.set(source, services);
  return services;
};
const spoken = new WeakMap<Archetype, ReadonlySet<string>>();

const MOST_KEPT = 256;
const kept = new Map<string, CompiledArchetype>();

/** Compiles an archetype of the catalogue by id, once for all worlds with the same neighbours; see `compileDraft`. Throws `unknown_archetype` too. */
export const compileArchetype = (id: string, currency: string, present?: ReadonlySet<string>): CompiledArchetype => {
  const source = archetype(id);
  const near = present ? [...spokenOf(source)].filter((service) => present.has(service)).sort() : ['*'];
  const key = [id, ...near].join(' ');
  const known = kept.get(key) ?? deepFreeze(compileDraft(source, currency, present));
  kept.delete(key);
  kept.set(key, known);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
  return { ...known, spec: { ...known.spec, surface: neutralSurface(currency) } };
};
