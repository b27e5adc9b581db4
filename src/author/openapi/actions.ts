/** Domain verbs: the words of the document, an entry of the verb lexicon, and the document's own columns for its effect. */
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { singular, snake, wordsOf } from '../../kit/words.js';
import { matchVerb } from '../lexicon/match.js';
import type { CompiledVerb, CompileRequest, VerbMatch } from '../lexicon/types.js';
import { addArg, keyArg, noArgs, toolText } from './args.js';
import { useBody } from './body-effects.js';
import type { Entity } from './entities.js';
import { envelopeOf } from './envelope.js';
import { fieldsOf } from './fields.js';
import { identifier, surfaceField } from './names.js';
import { NO_ROW } from './report.js';
import type { Sighting } from './sightings.js';
import type { DraftTool, ToolContext } from './tools.js';

export interface FoundVerb {
  sighting: Sighting;
  match: VerbMatch;
}

const PARTICLES = new Set(['a', 'an', 'the', 'for', 'by', 'id', 'of', 'one', 'v1', 'v2', 'v3', 'v4']);

/** An operation id tells the verb first, or right after a tag, and then nothing but the resource's own noun: else it is about a part. */
const leads = (id: string, match: VerbMatch, entity: Entity): boolean => {
  const own = new Set([...entity.resource.noun.split('_'), ...entity.name.split('_')]);
  const verb = match.word.split('_');
  const tagged = id.split(/[/._]/);
  const told = [wordsOf(id), ...(tagged.length > 1 ? [wordsOf(tagged.slice(1).join(' '))] : [])];
  return told.some((words) => {
    const rest = words.slice(verb.length).filter((word) => !PARTICLES.has(word) && !own.has(singular(word)));
    return verb.every((word, at) => words[at] === word) && rest.length === 0;
  });
};

/** The lexicon's verb for an operation that is no plain one; undefined when no word of it is known. */
export const verbOf = (
  entity: Entity,
  sighting: Sighting,
  nouns: readonly string[],
  table: Table,
): FoundVerb | undefined => {
  for (const [at, words] of sighting.words.entries()) {
    if (!words) continue;
    const match = matchVerb(words, entity.resource.noun, { method: sighting.op.method.toUpperCase(), table, nouns });
    if (match && (at === 0 || leads(words, match, entity))) return { sighting, match };
  }
  return undefined;
};

export const noVerb = ({ words }: Sighting): string => `no verb of the lexicon fits "${words.find(Boolean) ?? ''}"`;

const bodyArgs = (
  entity: Entity,
  sighting: Sighting,
  key: { name: string; field: string },
  context: ToolContext,
): Record<string, Arg> => {
  const list = noArgs();
  addArg(list, key.name, { type: 'text', role: 'key', field: key.field });
  const { body } = sighting;
  if (!body || body.many) return {};
  for (const field of fieldsOf(body.item, context, body.path)) {
    const inner = field.path.slice(body.path.length).join('_');
    const column = entity.columns.facts.get(identifier(inner, 'field'))?.column;
    const arg: Arg = { type: column?.type ?? field.type, role: 'input', field: surfaceField(field.path) };
    if (column) arg.col = identifier(inner, 'field');
    if (column?.fk) arg.ref = column.fk;
    if (field.required) arg.required = true;
    if (field.description) arg.description = field.description.slice(0, 200);
    if (field.enum && !column?.enum && arg.type === 'text') arg.enum = field.enum;
    addArg(list, inner, arg);
  }
  const [, ...rest] = Object.entries(list.args);
  return Object.fromEntries(rest);
};

export type VerbCompiler = (match: VerbMatch, request: CompileRequest) => CompiledVerb | undefined;

export type CompiledAction =
  | { draft: DraftTool; match: VerbMatch; grounded: boolean; added: Record<string, Table['cols']> }
  | { why: string };

/** Nothing but columns set to null, of rows that need not have held anything: a call that as a rule changes nothing. */
const onlyClears = (steps: readonly Step[]): boolean => {
  const sets = steps.flatMap((step) => ('update' in step ? [Object.values(step.update.set ?? {})] : []));
  const others = steps.some((step) => !('update' in step || 'get' in step));
  return !others && sets.length > 0 && sets.flat().every((value) => value === null);
};

/** Compiles one action over the tables of its pack; columns it needs besides come back, for the caller to add. */
export const compileAction = (
  entity: Entity,
  found: FoundVerb,
  tables: Record<string, Table>,
  context: ToolContext,
  compile: VerbCompiler,
): CompiledAction => {
  const { sighting, match } = found;
  if (match.many) return { why: 'acts on many rows at once' };
  const key = keyArg(entity, sighting, context.schemas);
  if (!key) return { why: NO_ROW };
  const name = identifier(key.wanted, 'id');
  const verb = snake(match.word) || 'act';
  const compiled = compile(match, {
    tables,
    table: entity.name,
    toolId: `${entity.name}.${verb}`,
    keyArg: { name, ...(key.arg.field === undefined ? {} : { field: key.arg.field }) },
    bodyArgs: bodyArgs(entity, sighting, { name, field: key.arg.field ?? name }, context),
    description: toolText(sighting, entity),
    operation: sighting.op.label,
  });
  if (!compiled) return { why: `nothing in the document grounds what "${match.word}" does` };
  if (onlyClears(compiled.tool.steps ?? []))
    return { why: `all that "${match.word}" would do is empty what is empty in most rows` };
  const tool = useBody(compiled.tool, tables[entity.name] as Table);
  const shown =
    sighting.answer &&
    !sighting.answer.many &&
    tool.returns?.row !== undefined &&
    sighting.answer.item.name === entity.resource.schema;
  const envelope = shown && sighting.answer ? envelopeOf(sighting.answer, '$fields', context.schemas) : undefined;
  const grounded = !compiled.grounds.every((ground) => ground === 'added');
  return {
    draft: {
      tool: envelope === undefined ? tool : { ...tool, returns: { ...tool.returns, envelope } },
      sighting,
      fallback: `${verb}_${entity.name}`,
      value: grounded ? 8.5 : 6.5,
    },
    match,
    grounded,
    added: compiled.addedColumns,
  };
};
