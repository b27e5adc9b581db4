/** One pack of entities as a ServiceSpec: tools chosen and named, tables settled, contracts complete. */
import { ServiceSpec } from '../../artifacts/service.js';
import type { Surface } from '../../artifacts/surface.js';
import type { IdStyle, Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { isNode } from '../../document/node.js';
import type { ParsedDocument } from '../../document/parse.js';
import { rng } from '../../kit/rng.js';
import { compileAction, noVerb, type VerbCompiler, verbOf } from './actions.js';
import { collides } from './columns.js';
import { withDirection } from './direction.js';
import type { Entity } from './entities.js';
import { machineOf } from './machine.js';
import { linkTable } from './memberships.js';
import { identifier, toolName, unique } from './names.js';
import { PACK_FULL, SAME } from './report.js';
import { breakCircles, settleTable } from './settle.js';
import { type DraftTool, plainTools, type ToolContext } from './tools.js';
import type { DocumentOptions } from './types.js';

export interface ServiceContext extends ToolContext {
  document: ParsedDocument;
  options: DocumentOptions;
  most: number;
  nouns: readonly string[];
  surface: Surface;
  compile: VerbCompiler;
  /** Service ids given out. */
  ids: Set<string>;
}

export interface BuiltService {
  spec: ServiceSpec;
  drafts: DraftTool[];
}

type Note = (operation: string, why: string) => void;
const MIN_TOOLS = 3;
const MOST_ROWS = 90;
const PARTS = 14;

export const STYLES: readonly IdStyle[] = [
  { style: 'uuid' },
  { style: 'base62', length: 14 },
  { style: 'hex', length: 24 },
  { style: 'digits', length: 9 },
  { style: 'base36', length: 12 },
];

/** Columns a verb needs besides, shown under a name that no column of the document runs through. */
export const addColumns = (table: Table, cols: Table['cols']): void => {
  for (const [name, column] of Object.entries(cols)) {
    const used = Object.entries(table.cols).map(([other, { field }]) => field ?? other);
    let field = column.field ?? name;
    for (let n = 2; used.some((path) => collides(path, field)); n++) field = `${name}_${n}`;
    table.cols[name] = { ...column, field };
  }
};

const actionsOf = (
  entity: Entity,
  tables: Record<string, Table>,
  made: readonly DraftTool[],
  context: ServiceContext,
  note: Note,
): DraftTool[] => {
  const out: DraftTool[] = [];
  for (const sighting of entity.resource.sightings) {
    if (sighting.kind !== 'action') continue;
    const found = verbOf(entity, sighting, context.nouns, entity.table);
    if (!found) {
      note(sighting.op.label, noVerb(sighting));
      continue;
    }
    const compiled = compileAction(entity, found, tables, context, context.compile);
    if ('why' in compiled) note(sighting.op.label, compiled.why);
    else if ([...made, ...out].some((other) => other.tool.id === compiled.draft.tool.id)) note(sighting.op.label, SAME);
    else {
      for (const [table, cols] of Object.entries(compiled.added)) addColumns(tables[table] as Table, cols);
      out.push(compiled.draft);
    }
  }
  return out;
};

/** Keeps the best tools of a pack, a read of every table among them. */
const chosen = (drafts: readonly DraftTool[], most: number, note: Note): DraftTool[] => {
  const ranked = [...drafts].sort((a, b) => b.value - a.value || (a.tool.id < b.tool.id ? -1 : 1));
  const kept = new Set(ranked.slice(0, most));
  for (const draft of ranked.slice(most)) note(draft.sighting.op.label, PACK_FULL);
  return drafts.filter((draft) => kept.has(draft));
};

export const withTouched = (tool: Tool, tables: Record<string, Table>): Tool => {
  if (tool.op !== 'update' && !(tool.op === 'action' && tool.provenance.tier === 'spec')) return tool;
  const cols = tables[tool.table]?.cols ?? {};
  const touched = Object.keys(cols).filter((name) => cols[name]?.auto === 'touch');
  return {
    ...tool,
    writes: tool.writes.map((write) =>
      write.cols && write.table === tool.table ? { ...write, cols: [...new Set([...write.cols, ...touched])] } : write,
    ),
  };
};

const named = (drafts: readonly DraftTool[]): Record<string, Tool> => {
  const taken = new Set<string>();
  const out: Record<string, Tool> = {};
  for (const { tool, sighting, fallback } of drafts) out[toolName(sighting.op.id, fallback, taken)] = tool;
  return out;
};

export const about = ({ root, title }: ParsedDocument): string => {
  const info = isNode(root.info) ? root.info : {};
  const text =
    typeof info.description === 'string'
      ? info.description
          .replace(/<[^>]+>|[#*_`]+/g, ' ')
          .replace(/\s+/g, ' ')
          .trim()
      : '';
  const sentence = /^.{20,}?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return (sentence || title || 'A service from an API document.').slice(0, 300);
};

/** Rows that are to be deleted must be free of others: where many refer to them, there are more of them. */
const makeRoom = (entities: readonly Entity[], tables: Record<string, Table>, drafts: readonly DraftTool[]): void => {
  for (const { name, resource } of entities) {
    const table = tables[name] as Table;
    // A part of every row would leave none that can be deleted.
    if (resource.single === 'part') table.rows = PARTS;
    if (resource.single || !drafts.some(({ tool }) => tool.table === name && tool.op === 'delete')) continue;
    const referrers = Object.entries(tables).filter(
      ([other, { cols }]) => other !== name && Object.values(cols).some(({ fk }) => fk === name),
    ).length;
    if (referrers > 0) table.rows = Math.min(MOST_ROWS, 24 + 14 * referrers);
  }
};

/** Undefined when the pack has too few tools, or none that reads or none that writes. */
export const buildService = (
  entities: readonly Entity[],
  context: ServiceContext,
  note: Note,
): BuiltService | undefined => {
  const { options, document } = context;
  const [first] = entities;
  if (!first) return undefined;
  const fallback = rng(options.seed, 'openapi', options.name, 'ids').pick(STYLES);
  const tables: Record<string, Table> = {};
  const drafts: DraftTool[] = [];
  for (const entity of entities) {
    const plainOnes = plainTools(entity, context, (sighting, why) => note(sighting.op.label, why));
    settleTable(
      entity,
      plainOnes.map((draft) => draft.tool),
      fallback,
    );
    tables[entity.name] = entity.table;
    drafts.push(...plainOnes);
  }
  breakCircles(tables);
  for (const membership of entities.flatMap(({ memberships }) => memberships))
    tables[membership.table] = linkTable(membership);
  makeRoom(entities, tables, drafts);
  for (const entity of entities) drafts.push(...actionsOf(entity, tables, drafts, context, note));
  const kept = chosen(drafts, context.most, note).map((draft) => ({ ...draft, tool: withTouched(draft.tool, tables) }));
  for (const { table } of entities.flatMap(({ memberships }) => memberships))
    if (!kept.some(({ tool }) => tool.reads.includes(table))) delete tables[table];
  const writes = kept.filter(({ tool }) => tool.writes.length > 0).length;
  if (kept.length < MIN_TOOLS || writes === 0 || writes === kept.length) {
    for (const { sighting } of kept) note(sighting.op.label, 'too few tools stand together to make a service');
    return undefined;
  }
  for (const entity of entities) {
    const machine = machineOf(
      entity.table,
      entity.name,
      kept.filter(({ tool }) => tool.table === entity.name),
    );
    if (machine) entity.table.machine = machine;
  }
  const base = identifier(options.name, 'service', 40);
  const id = unique(context.ids.size === 0 ? base : `${base}_${first.name}`, context.ids);
  const title = document.title || options.name;
  const info = isNode(document.root.info) ? document.root.info : {};
  const plain = ServiceSpec.parse({
    treadle: 'service/1',
    id,
    title: context.ids.size === 1 ? title : `${title}: ${first.table.plural ?? first.table.noun}`,
    description: about(document),
    source: { kind: 'openapi', ref: title, ...(info.version === undefined ? {} : { version: String(info.version) }) },
    tables,
    tools: named(kept),
    surface: context.surface,
  });
  const tools = Object.entries(plain.tools).map(([name, tool]) => [name, withDirection(plain, tool)] as const);
  const spec = { ...plain, tools: Object.fromEntries(tools) };
  return { spec, drafts: kept };
};
