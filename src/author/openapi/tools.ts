/** The plain tools of one entity: list, search, get, create, update, delete, each from the operation that says it best. */
import type { Tool } from '../../artifacts/tool.js';
import { plural } from '../../kit/words.js';
import { type ArgList, addArg, keyArg, listArgs, noArgs, parentArg, querySets, setArgs, toolText } from './args.js';
import { isJsonPatch } from './columns.js';
import type { Entity } from './entities.js';
import { envelopeOf } from './envelope.js';
import { type FieldContext, fieldsOf } from './fields.js';
import type { EntityIndex } from './links.js';
import { memberTool } from './memberships.js';
import { identifier, surfaceField } from './names.js';
import { type PagingStyle, pagingStyle } from './query.js';
import { relationTool, whyNoList } from './relations.js';
import { renewTool } from './renew.js';
import { NO_ROW, PACK_FULL, SAME } from './report.js';
import type { Sighting } from './sightings.js';
import { countTool, deleteAllTool, singleTool } from './single-tools.js';
import { taggedArg, tagTool } from './tags.js';

export interface DraftTool {
  tool: Tool;
  sighting: Sighting;
  /** `verb_noun`, when the document's operation id is no good as a name. */
  fallback: string;
  /** Higher is kept first when a pack is full. */
  value: number;
}

export interface ToolContext extends FieldContext {
  paging: PagingStyle;
  index: EntityIndex;
}

type PlainKind = 'list' | 'search' | 'get' | 'create' | 'update' | 'delete';
const MANY_ROWS = 'takes many rows at once';
const NO_FIELDS = 'its body has no fields to write';
type Built = { draft: DraftTool } | { why: string };

const VALUE: Record<PlainKind, number> = { create: 10, get: 9, list: 9, update: 8, delete: 6, search: 5 };
const METHOD_RANK = { patch: 0, put: 1, post: 2, get: 0, delete: 0 } as const;

const invalidStatus = (sighting: Sighting): number =>
  sighting.op.failures.includes(422) || !sighting.op.failures.includes(400) ? 422 : 400;

/** Columns the answer shows, when it shows clearly fewer than the table has. */
const shownCols = (entity: Entity, sighting: Sighting, context: ToolContext): string[] | undefined => {
  const view = sighting.answer?.item;
  if (!view) return undefined;
  const paths = new Set(fieldsOf(view, context).map((field) => surfaceField(field.path)));
  const visible = [...entity.columns.facts.values()].filter((fact) => fact.column.hidden !== true);
  const shown = visible.filter(
    (fact) => fact.name === entity.columns.keyCol || (fact.column.field !== undefined && paths.has(fact.column.field)),
  );
  const enough = shown.length >= 2 && shown.length < visible.length * 0.9;
  return enough ? shown.map((fact) => fact.name) : undefined;
};

const refs = (list: ArgList): boolean =>
  Object.values(list.args).some((arg) => arg.role === 'set' && arg.ref !== undefined);

const argsFor = (kind: PlainKind, entity: Entity, sighting: Sighting, context: ToolContext): ArgList | string => {
  const list = noArgs();
  if (kind === 'list' || kind === 'search') {
    parentArg(list, entity, sighting, 'filter');
    taggedArg(list, entity, sighting);
    listArgs(list, entity, sighting, context.paging, context.schemas);
    return list;
  }
  if (kind === 'create') {
    parentArg(list, entity, sighting, 'set');
    const fields =
      entity.columns.bodies.get(sighting.op.label) ?? querySets(entity, sighting.op.params, context.schemas);
    if (sighting.body?.many && !entity.columns.bodies.has(sighting.op.label)) return MANY_ROWS;
    setArgs(list, entity, fields, 'create');
    if (
      sighting.op.method === 'put' &&
      !fields.some(({ field, col }) => field.type !== 'json' && entity.columns.facts.get(col)?.from === 'answer')
    )
      return 'replaces a whole set at once';
    return Object.values(list.args).some((arg) => arg.role === 'set') ? list : NO_FIELDS;
  }
  const key = keyArg(entity, sighting, context.schemas);
  if (!key) return NO_ROW;
  addArg(list, key.wanted, key.arg);
  if (kind !== 'update') return list;
  if (sighting.body?.many && !entity.columns.bodies.has(sighting.op.label)) return MANY_ROWS;
  const fields = entity.columns.bodies.get(sighting.op.label) ?? querySets(entity, sighting.op.params, context.schemas);
  setArgs(list, entity, fields, 'update');
  return Object.values(list.args).some((arg) => arg.role === 'set') ? list : NO_FIELDS;
};

const contract = (kind: PlainKind, entity: Entity, list: ArgList): Pick<Tool, 'reads' | 'writes'> => {
  const table = entity.name;
  if (kind === 'create') return { reads: [], writes: [{ table, insert: true }] };
  if (kind === 'delete') return { reads: [table], writes: [{ table, delete: true }] };
  if (kind !== 'update') return { reads: [table], writes: [] };
  const touched = [...entity.columns.facts.keys()].filter((name) => entity.table.cols[name]?.auto === 'touch');
  const cols = [
    ...new Set([
      ...Object.values(list.args).flatMap((arg) => (arg.role === 'set' && arg.col ? [arg.col] : [])),
      ...touched,
    ]),
  ];
  return { reads: [table], writes: [{ table, cols }] };
};

/** A mark of the next page can only be asked for where the answer shows one. */
const dropCursor = (list: ArgList): void => {
  for (const [name, arg] of Object.entries(list.args)) if (arg.role === 'cursor') delete list.args[name];
};

/** Where the document's own form of the call is a list. */
const noteOf = (kind: PlainKind, { body, keyParam }: Sighting): { note?: string } =>
  (kind === 'create' || kind === 'update' || (kind === 'delete' && keyParam === undefined)) && body?.many
    ? {
        note: isJsonPatch(body.item)
          ? 'fields in place of a JSON Patch'
          : 'one row a call, where the document takes a list',
      }
    : {};

const buildSingle = (kind: PlainKind, entity: Entity, sighting: Sighting, context: ToolContext): Built => {
  const fields = entity.columns.bodies.get(sighting.op.label) ?? querySets(entity, sighting.op.params, context.schemas);
  const envelope =
    sighting.answer && !sighting.answer.many ? envelopeOf(sighting.answer, '$fields', context.schemas) : undefined;
  const tool = singleTool(entity, sighting, fields, envelope);
  if (!tool) return { why: kind === 'delete' ? 'the only thing of its kind is not deleted' : NO_FIELDS };
  return { draft: { tool, sighting, fallback: `${kind}_${entity.name}`, value: VALUE[kind] - 3 } };
};

const build = (kind: PlainKind, entity: Entity, sighting: Sighting, context: ToolContext): Built => {
  if (entity.resource.single === 'one') return buildSingle(kind, entity, sighting, context);
  if (sighting.renews) {
    const tool = renewTool(entity, sighting, context.schemas);
    if (!tool) return { why: NO_FIELDS };
    return { draft: { tool, sighting, fallback: `renew_${entity.name}`, value: VALUE[kind] } };
  }
  if (sighting.tag && kind !== 'list') {
    const tool = tagTool(entity, sighting);
    if (!tool) return { why: NO_FIELDS };
    return { draft: { tool, sighting, fallback: `${kind}_${entity.name}`, value: VALUE[kind] - 3 } };
  }
  const all = kind === 'delete' && sighting.keyElsewhere ? deleteAllTool(entity, sighting, keysOf(context)) : undefined;
  if (all && !keyArg(entity, sighting, context.schemas))
    return { draft: { tool: all, sighting, fallback: `delete_all_${plural(entity.name)}`, value: 3 } };
  const list = argsFor(kind, entity, sighting, context);
  if (typeof list === 'string') return { why: list };
  const asked = kind === 'search' && !Object.values(list.args).some((arg) => arg.role === 'query');
  if (asked && !Object.values(list.args).some((arg) => arg.role === 'filter'))
    return { why: 'nothing in the call says what to look for' };
  const queried = Object.values(list.args).some((arg) => arg.role === 'query');
  const op = kind === 'search' && asked ? 'list' : kind === 'list' && queried ? 'search' : kind;
  const many = op === 'list' || op === 'search';
  // An item answered as a list of one is shown as the item: an array in a template has no schema.
  const core = many ? '$rows' : '$fields';
  const fits = sighting.answer !== undefined && kind !== 'delete' && (!many || sighting.answer.many);
  const envelope = fits && sighting.answer ? envelopeOf(sighting.answer, core, context.schemas) : undefined;
  const cols = kind === 'delete' ? undefined : shownCols(entity, sighting, context);
  if (many && !JSON.stringify(envelope ?? null).includes('$cursor')) dropCursor(list);
  const invalid = { invalid_argument: invalidStatus(sighting) };
  const text = [...entity.columns.facts.values()]
    .filter(({ column }) => column.type === 'text' && !column.fk && !column.enum && !column.hidden)
    .map(({ name }) => name);
  const via =
    sighting.place === entity.resource.home
      ? ''
      : `_by_${[...sighting.parents].reverse().find((one) => entity.parents.has(one.place))?.param ?? 'place'}`;
  const tool: Tool = {
    id: `${entity.name}.${kind}`,
    op,
    table: entity.name,
    description: toolText(sighting, entity),
    args: list.args,
    ...(queried ? { match: searched(text) } : {}),
    ...(envelope !== undefined || cols
      ? { returns: { ...(cols ? { cols } : {}), ...(envelope !== undefined ? { envelope } : {}) } }
      : {}),
    errors: {
      ...invalid,
      ...(many || kind === 'create' ? {} : { not_found: 404 }),
      ...(refs(list) ? { invalid_reference: 422 } : {}),
    },
    ...contract(kind, entity, list),
    provenance: { tier: 'spec', operation: sighting.op.label, ...noteOf(kind, sighting) },
  };
  const noun = many ? plural(entity.name) : entity.name;
  const value = VALUE[kind] - (via ? 6 : 0);
  return { draft: { tool, sighting, fallback: `${kind}_${noun}${many ? via : ''}`.replace(/\W+/g, '_'), value } };
};

const searched = (text: readonly string[]): string[] => {
  const named = text.filter((name) =>
    /(^|_)(name|title|subject|description|summary|email|number|code|label|text|body|content|sku|login|username)$/.test(
      name,
    ),
  );
  return (named.length > 0 ? named : text).slice(0, 6);
};

const byFitness =
  (entity: Entity) =>
  (a: Sighting, b: Sighting): number =>
    Number(b.place === entity.resource.home) - Number(a.place === entity.resource.home) ||
    Number(a.aspect !== undefined) - Number(b.aspect !== undefined) ||
    Number(a.narrow !== undefined) - Number(b.narrow !== undefined) ||
    METHOD_RANK[a.op.method] - METHOD_RANK[b.op.method] ||
    a.op.path.length - b.op.path.length ||
    (a.op.label < b.op.label ? -1 : 1);

const keysOf =
  ({ index }: ToolContext) =>
  (table: string): string =>
    index.byName(table)?.columns.keyCol ?? 'id';

const addCount = (
  entity: Entity,
  out: DraftTool[],
  context: ToolContext,
  note: (sighting: Sighting, why: string) => void,
): void => {
  let made = 0;
  for (const sighting of entity.resource.sightings.filter(({ counts }) => counts).sort(byFitness(entity)))
    if (made++ > 0) note(sighting, SAME);
    else
      out.push({
        tool: countTool(entity, sighting, keysOf(context)),
        sighting,
        fallback: `count_${plural(entity.name)}`,
        value: 2,
      });
};

const addRelations = (
  entity: Entity,
  out: DraftTool[],
  { schemas }: ToolContext,
  note: (sighting: Sighting, why: string) => void,
): void => {
  for (const relation of entity.relations) {
    const { sighting, target } = relation;
    const tool = relationTool(entity, relation, schemas);
    if (!tool) note(sighting, PACK_FULL);
    else if (out.some((other) => other.tool.id === tool.id)) note(sighting, SAME);
    else out.push({ tool, sighting, fallback: `get_${entity.name}_${target.name}`, value: 3 });
  }
};

const addMemberships = (
  entity: Entity,
  out: DraftTool[],
  { schemas }: ToolContext,
  note: (sighting: Sighting, why: string) => void,
): void => {
  for (const membership of entity.memberships)
    for (const sighting of membership.group.sightings) {
      const tool = memberTool(membership, sighting, schemas);
      if (typeof tool === 'string') note(sighting, tool);
      else if (out.some((other) => other.tool.id === tool.id)) note(sighting, SAME);
      else out.push({ tool, sighting, fallback: tool.id.replace('.', '_'), value: tool.writes.length > 0 ? 5 : 4 });
    }
};

/** Tools in order of kind; every operation that became none is reported with the reason. */
export const plainTools = (
  entity: Entity,
  context: ToolContext,
  note: (sighting: Sighting, why: string) => void,
): DraftTool[] => {
  const out: DraftTool[] = [];
  for (const kind of ['list', 'search', 'get', 'create', 'update', 'delete'] as const) {
    const sightings = entity.resource.sightings
      .filter((sighting) => sighting.kind === kind && !sighting.counts)
      .sort(byFitness(entity));
    let made = 0;
    for (const sighting of sightings) {
      const why =
        kind === 'list'
          ? whyNoList(entity, sighting, out, context.index, context.schemas)
          : made > 0 && sighting.aspect === undefined
            ? SAME
            : undefined;
      const built: Built = why === undefined ? build(kind, entity, sighting, context) : { why };
      if ('why' in built) note(sighting, built.why);
      else if (kind === 'search' && built.draft.tool.op === 'search' && !built.draft.tool.match?.length)
        note(sighting, 'there is no text to search in');
      else {
        const aspect = sighting.aspect === undefined ? '' : identifier(sighting.aspect, 'part', 24);
        if (aspect !== '') built.draft.value -= 3;
        if (made > 0 || aspect !== '') built.draft.tool.id = `${entity.name}.${kind}_${aspect || made + 1}`;
        if (out.some(({ tool }) => tool.id === built.draft.tool.id)) built.draft.tool.id += `_${made + 1}`;
        if (aspect !== '') built.draft.fallback = `${kind}_${entity.name}_${aspect}`;
        out.push(built.draft);
        made++;
      }
    }
  }
  addCount(entity, out, context, note);
  addRelations(entity, out, context, note);
  addMemberships(entity, out, context, note);
  return out.filter(({ tool }) => !(tool.op === 'search' && !tool.match?.length));
};

export const pagingOf = (sightings: readonly Sighting[]): PagingStyle => {
  const votes = new Map<PagingStyle, number>();
  for (const { kind, op } of sightings)
    if (kind === 'list' || kind === 'search') {
      const style = pagingStyle(op.params);
      if (style !== 'none') votes.set(style, (votes.get(style) ?? 0) + 1);
    }
  return [...votes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? 'none';
};
