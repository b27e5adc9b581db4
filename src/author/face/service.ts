/** All entities of a document as one service, a tool for each operation that anything grounds. */
import type { Binding } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Table } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { isNode } from '../../document/node.js';
import { rng } from '../../kit/rng.js';
import { expandTool } from '../../world/program/macros.js';
import { compileAction, noVerb, verbOf } from '../openapi/actions.js';
import { withDirection } from '../openapi/direction.js';
import type { Entity } from '../openapi/entities.js';
import { wrapperWords } from '../openapi/keys.js';
import { linkTable } from '../openapi/memberships.js';
import { identifier, toolName, unique } from '../openapi/names.js';
import { about, addColumns, type ServiceContext, STYLES, withTouched } from '../openapi/service.js';
import { breakCircles, settleTable } from '../openapi/settle.js';
import { acknowledged } from './acknowledged.js';
import { adapted } from './adapt.js';
import type { FaceDraft } from './draft.js';
import { hung } from './hanging.js';
import { keyed } from './keys/keyed.js';
import { withoutGuesses } from './lenient.js';
import { type ListDraft, withScope } from './lists.js';
import { digits, numbered } from './naming.js';
import { newestColumn, withNewest } from './newest.js';
import { withDeletions, withReached } from './on-delete.js';
import { plainDrafts } from './operations.js';
import { partsOf, withParts } from './parts.js';
import { refusing } from './refusing.js';
import { relaxed } from './relax.js';
import { sized } from './sizes.js';
import { withWide } from './wide.js';

type Note = (operation: string, why: string) => void;

const actions = (entity: Entity, tables: Record<string, Table>, context: ServiceContext, note: Note): FaceDraft[] => {
  const out: FaceDraft[] = [];
  for (const sighting of entity.resource.sightings) {
    if (sighting.kind !== 'action') continue;
    const subject = { entity, sighting, context };
    const found = verbOf(entity, sighting, context.nouns, entity.table);
    const compiled = found && compileAction(entity, found, tables, context, context.compile);
    const grounded =
      compiled && 'draft' in compiled
        ? adapted(
            refusing(withoutGuesses(compiled.draft.tool), sighting.op.failures),
            subject,
            `the verb "${found.match.word}", and the columns it speaks of`,
          )
        : undefined;
    const isFound = grounded !== undefined && typeof grounded !== 'string';
    const draft = isFound ? grounded : acknowledged(subject);
    if (typeof draft === 'string')
      note(sighting.op.label, compiled && 'why' in compiled ? compiled.why : noVerb(sighting));
    else out.push(draft);
    if (isFound && compiled && 'draft' in compiled)
      for (const [table, cols] of Object.entries(compiled.added)) addColumns(tables[table] as Table, cols);
  }
  return out;
};

/** Ids of tools are unique in a service: `issue.list`, `issue.list_2`. */
const withIds = (drafts: readonly FaceDraft[]): FaceDraft[] => {
  const taken = new Set<string>();
  return drafts.map((draft) => {
    const [table = '', verb = ''] = draft.tool.id.split('.');
    const rest = unique(`${table}.${verb}`, taken, 100);
    return { ...draft, tool: { ...draft.tool, id: rest } };
  });
};

const finished = (spec: ServiceSpec, tool: Tool, list: ListDraft | undefined): Tool => {
  if (!list) return tool;
  const table = spec.tables[tool.table] as Table;
  const marked = Object.keys(list.marks).length > 0;
  const roles = new Set(Object.values(tool.args).map(({ role }) => role));
  // Marks that are keys follow one order only.
  const isSorted = roles.has('sort') || roles.has('input');
  const col = list.newest && !(marked && isSorted) ? newestColumn(list.newest, table) : undefined;
  const turned = withDirection(
    spec,
    tool,
    col === undefined ? undefined : { col, isDown: list.newest?.isDown === true },
  );
  const scoped = withScope(turned, list, expandTool(spec, turned).steps);
  const expanded = col === undefined ? scoped : withNewest(scoped, table, col, list.marks);
  const whole = withWide(expanded, list.wide, (col) => spec.tables[tool.table]?.cols[col]?.enum);
  return { ...whole, args: { ...list.scopeArgs, ...whole.args } };
};

/** Tables that no tool speaks of and no table that stays refers to. Changes `tables` in place. */
const dropUnused = (tables: Record<string, Table>, drafts: readonly FaceDraft[]): void => {
  const used = new Set(
    drafts.flatMap(({ tool }) => [tool.table, ...tool.reads, ...tool.writes.map(({ table }) => table)]),
  );
  for (const name of used)
    for (const { fk } of Object.values(tables[name]?.cols ?? {})) if (fk !== undefined) used.add(fk);
  for (const name of Object.keys(tables)) if (!used.has(name)) delete tables[name];
};

export interface FaceService {
  spec: ServiceSpec;
  bindings: Binding[];
  drafts: FaceDraft[];
}

export const faceService = (entities: readonly Entity[], context: ServiceContext, note: Note): FaceService => {
  const { options, document } = context;
  const fallback = rng(options.seed, 'openapi', options.name, 'ids').pick(STYLES);
  const tables: Record<string, Table> = {};
  const made: FaceDraft[] = [];
  const lists = new Map<string, ListDraft>();
  for (const entity of entities) {
    entity.aliases = wrapperWords(entity.resource);
    numbered(entity);
    digits(entity, context.schemas);
    const plain = plainDrafts(entity, context, note);
    settleTable(
      entity,
      plain.drafts.map(({ tool, settles }) => settles ?? tool),
      fallback,
    );
    tables[entity.name] = entity.table;
    made.push(...plain.drafts);
    for (const [{ sighting }, list] of plain.lists) lists.set(sighting.op.label, list);
  }
  breakCircles(tables);
  for (const membership of entities.flatMap(({ memberships }) => memberships))
    tables[membership.table] = linkTable(membership);
  for (const entity of entities) made.push(...actions(entity, tables, context, note));
  const parts = partsOf(tables, entities, document);
  const all = withParts(tables, made, parts);
  relaxed(tables, all, fallback);
  hung(tables, all);
  withDeletions(tables, all);
  sized(tables, entities, parts);
  keyed(tables, entities, { drafts: all, lists, schemas: context.schemas });
  const drafts = withIds(all.map((draft) => ({ ...draft, tool: withReached(draft.tool, tables) })));
  dropUnused(tables, drafts);
  const taken = new Set<string>();
  const names = new Map(drafts.map((draft) => [draft, toolName(draft.sighting.op.id, draft.fallback, taken)] as const));
  const info = isNode(document.root.info) ? document.root.info : {};
  const title = document.title || options.name;
  const plain: ServiceSpec = {
    treadle: 'service/1',
    id: identifier(options.name, 'service', 40),
    title,
    description: about(document),
    source: { kind: 'openapi', ref: title, ...(info.version === undefined ? {} : { version: String(info.version) }) },
    tables,
    tools: {},
    surface: context.surface,
  };
  const tools = Object.fromEntries(
    drafts.map((draft) => [
      names.get(draft) as string,
      finished(plain, withTouched(draft.tool, tables), lists.get(draft.sighting.op.label)),
    ]),
  );
  const bindings = drafts.map(
    (draft): Binding => ({
      operation: draft.sighting.op.label,
      tool: names.get(draft) as string,
      args: draft.args,
      answer: draft.answer,
      tier: draft.tool.provenance.tier,
      evidence: draft.evidence,
    }),
  );
  // Checked by what is made of it, and by tests: to parse it again takes as long as to make it.
  return { spec: { ...plain, tools }, bindings, drafts };
};
