/** Tools that read, make, change or take away one row. */
import type { Step, Value } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { keyArg, querySets, toolText } from '../openapi/args.js';
import type { BodyField } from '../openapi/columns.js';
import { goneRow, oneRow, type Shown } from './answers.js';
import { type Drafted, describedParam, errorsOf, type FaceDraft, paramType, type Subject } from './draft.js';
import { argType, keyFrom } from './fit.js';
import { addInput, type Inputs, noInputs, type Origin } from './inputs.js';
import { originOf } from './origin.js';
import { type Scope, scopeOf } from './scope.js';

export const NO_ROW = 'nothing in the call names the row';
const NO_FIELDS = 'its body has no fields to write';

export interface Key {
  arg: string;
  value: Value;
  steps: Step[];
}

/** Names the row. */
export const addKey = (inputs: Inputs, subject: Subject): Key | undefined => {
  const { entity, sighting, context } = subject;
  const key = keyArg(entity, sighting, context.schemas);
  if (!key) return undefined;
  const origin: Origin | undefined =
    sighting.keyParam !== undefined
      ? { in: 'path', name: sighting.keyParam }
      : originOf(sighting, key.arg.field ?? key.wanted, context.schemas);
  if (!origin) return undefined;
  const param = sighting.op.params.find((one) => one.in === origin.in && one.name === origin.name);
  const type = param ? paramType(param, context) : entity.key.type;
  const about = param ? describedParam(param) : {};
  const base: Arg = { type, role: 'key', col: entity.columns.keyCol, ref: entity.name, required: true, ...about };
  const arg = addInput(inputs, key.wanted, base, origin);
  return { arg, ...keyFrom(arg, type, entity) };
};

/** The body's fields, or the query's where the service puts everything there, by the columns they write. */
export const writtenFields = ({
  entity,
  sighting,
  context,
}: Subject): { fields: BodyField[]; in: 'body' | 'query' } => {
  const fields = entity.columns.bodies.get(sighting.op.label);
  const inQuery = sighting.op.body === undefined;
  if (fields) return { fields, in: inQuery ? 'query' : 'body' };
  return { fields: querySets(entity, sighting.op.params, context.schemas), in: 'query' };
};

const fieldOrigin = (
  { field, name }: BodyField,
  where: 'body' | 'query',
  { sighting, context }: Subject,
): Origin | undefined =>
  where === 'body'
    ? { in: 'body', at: field.path }
    : (originOf(sighting, field.path.join('.'), context.schemas) ?? { in: 'query', name });

/** Arguments that write columns; those that the path fixes, the key and what only the service writes are left out. */
export const addSets = (
  inputs: Inputs,
  subject: Subject,
  mode: 'create' | 'update',
  fixed: ReadonlySet<string>,
): Record<string, Value> => {
  const { entity } = subject;
  const set: Record<string, Value> = {};
  const written = writtenFields(subject);
  for (const body of written.fields) {
    const fact = entity.columns.facts.get(body.col);
    const isKey = body.col === entity.columns.keyCol;
    if (!fact || body.field.readOnly || fixed.has(body.col) || set[body.col] !== undefined) continue;
    if (isKey && mode === 'update') continue;
    const { column } = fact;
    const origin = fieldOrigin(body, written.in, subject);
    if (!origin) continue;
    const arg: Arg = { type: argType(body.field.type, column.type), role: 'set', col: body.col };
    if (mode === 'create' && body.field.required) arg.required = true;
    if (column.fk) arg.ref = column.fk;
    if (body.field.description) arg.description = body.field.description.slice(0, 200);
    set[body.col] = `$args.${addInput(inputs, body.name, arg, origin)}`;
  }
  return set;
};

type Parts = Pick<Tool, 'op' | 'steps' | 'reads' | 'writes'> & { inputs: Inputs; shown: Shown };

export const draftOf = (
  subject: Subject,
  { op, steps, reads, writes, inputs, shown }: Parts,
  said: { verb: string; evidence: string; note?: string },
): FaceDraft => {
  const { entity, sighting } = subject;
  const tool: Tool = {
    id: `${entity.name}.${said.verb}`,
    op,
    table: entity.name,
    description: toolText(sighting, entity),
    args: inputs.args,
    ...(steps ? { steps } : {}),
    returns: shown.returns,
    errors: errorsOf(sighting, { writes }),
    reads: [...new Set(reads)],
    writes,
    provenance: { tier: 'spec', operation: sighting.op.label, ...(said.note === undefined ? {} : { note: said.note }) },
  };
  const fallback = `${said.verb}_${entity.name}`;
  return { tool, sighting, args: inputs.origins, answer: shown.answer, fallback, evidence: said.evidence };
};

const touched = ({ entity }: Subject): string[] =>
  Object.keys(entity.table.cols).filter((name) => entity.table.cols[name]?.auto === 'touch');

/** Looks the row up among those that the path lets it be. */
export const theRow = ({ entity }: Subject, key: Key, scope: Scope): Step[] => [
  ...key.steps,
  {
    get: {
      table: entity.name,
      where: { ...scope.held, [entity.columns.keyCol]: key.value },
      as: 'row',
      else: { error: 'not_found', message: `There is no ${entity.table.noun} {args.${key.arg}}.`, field: key.arg },
    },
  },
];

export const getDraft = (subject: Subject): Drafted => {
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const key = addKey(inputs, subject);
  if (!key) return NO_ROW;
  const steps = [...scope.steps, ...theRow(subject, key, scope)];
  const reads = [...scope.reads, subject.entity.name];
  return draftOf(
    subject,
    { op: 'get', steps, reads, writes: [], inputs, shown: oneRow(subject, 'row') },
    { verb: 'get', evidence: 'its path names the row it shows' },
  );
};

export const createDraft = (subject: Subject): Drafted => {
  const { entity, sighting } = subject;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'create');
  const set = addSets(inputs, subject, 'create', new Set(Object.keys(scope.held)));
  if (Object.keys(set).length === 0 && sighting.op.body !== undefined && Object.keys(scope.held).length === 0)
    return NO_FIELDS;
  const insert: Step = { insert: { table: entity.name, set: { ...set, ...scope.held }, as: 'row' } };
  return draftOf(
    subject,
    {
      op: 'create',
      steps: [...scope.steps, insert],
      reads: [...scope.reads],
      writes: [{ table: entity.name, insert: true }],
      inputs,
      shown: oneRow(subject, 'row'),
    },
    { verb: 'create', evidence: 'it writes what the reads of its collection show' },
  );
};

export const updateDraft = (subject: Subject): Drafted => {
  const { entity } = subject;
  const table = entity.name;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const key = addKey(inputs, subject);
  if (!key) return NO_ROW;
  const set = addSets(inputs, subject, 'update', new Set(Object.keys(scope.held)));
  if (Object.keys(set).length === 0) return NO_FIELDS;
  const where = { [entity.columns.keyCol]: `$row.${entity.columns.keyCol}` };
  const steps: Step[] = [
    ...scope.steps,
    ...theRow(subject, key, scope),
    { update: { table, where, set, as: 'changed' } },
  ];
  return draftOf(
    subject,
    {
      op: 'update',
      steps,
      reads: [...scope.reads, table],
      writes: [{ table, cols: [...Object.keys(set), ...touched(subject)] }],
      inputs,
      shown: oneRow(subject, 'changed'),
    },
    { verb: 'update', evidence: 'its path names the row and its body the columns' },
  );
};

export const deleteDraft = (subject: Subject): Drafted => {
  const { entity } = subject;
  const table = entity.name;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const key = addKey(inputs, subject);
  if (!key) return NO_ROW;
  const where = { [entity.columns.keyCol]: `$row.${entity.columns.keyCol}` };
  const steps: Step[] = [...scope.steps, ...theRow(subject, key, scope), { delete: { table, where } }];
  return draftOf(
    subject,
    {
      op: 'delete',
      steps,
      reads: [...scope.reads, table],
      writes: [{ table, delete: true }],
      inputs,
      shown: goneRow(subject),
    },
    { verb: 'delete', evidence: 'its path names the row that goes' },
  );
};
