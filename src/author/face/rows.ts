/** Tools that read, make, change or take away one row. */
import type { Step, Value } from '../../artifacts/step.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { keyArg } from '../openapi/args.js';
import { goneRow, oneRow } from './answers.js';
import { besideKey } from './beside.js';
import { type Drafted, describedParam, draftOf, paramType, type Subject } from './draft.js';
import { keyFrom } from './fit.js';
import { addInput, type Inputs, noInputs, type Origin } from './inputs.js';
import { namingColumn } from './naming.js';
import { originOf } from './origin.js';
import { type Scope, scopeOf } from './scope.js';

export const NO_ROW = 'nothing in the call names the row';

export interface Key {
  arg: string;
  /** Column that it names the row by. */
  col: string;
  value: Value;
  steps: Step[];
}

/** A key that is text may be written as a number; then it is compared as what it stands for. */
const bodyType = (origin: Origin, { entity, sighting, context: { schemas } }: Subject): ColumnType => {
  const own = entity.key.type;
  let view = sighting.op.body && schemas.view(sighting.op.body.schema);
  for (const name of origin.at ?? []) view = view && schemas.view(view.properties.get(name));
  return own === 'text' && view?.types.has('number') && !view.types.has('string') ? 'number' : own;
};

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
  const type = param ? paramType(param, context) : bodyType(origin, subject);
  const about = param ? describedParam(param) : {};
  const { keyCol } = entity.columns;
  const col = sighting.keyParam === undefined ? keyCol : namingColumn(entity, sighting.keyParam, sighting.noun);
  const names = col === keyCol ? { ref: entity.name } : {};
  const base: Arg = { type, role: 'key', col, ...names, required: true, ...about };
  const arg = addInput(inputs, key.wanted, base, origin);
  return { arg, col, ...keyFrom(arg, type, entity, col) };
};

/** Looks the row up among those that the path lets it be. */
export const theRow = ({ entity }: Subject, key: Key, scope: Scope): Step[] => [
  ...key.steps,
  {
    get: {
      table: entity.name,
      where: { ...scope.held, [key.col]: key.value },
      as: 'row',
      else: { error: 'not_found', message: `There is no ${entity.table.noun} {args.${key.arg}}.`, field: key.arg },
    },
  },
];

/** A key that a GET need not be given: without it the first row is meant, as one's own team or account is. */
const orFirst = (inputs: Inputs, { entity, sighting }: Subject, key: Key): Key => {
  const arg = inputs.args[key.arg];
  const origin = inputs.origins.find(({ to }) => to.join('.') === arg?.field);
  const param = sighting.op.params.find((one) => one.in === 'query' && one.name === origin?.name);
  if (!arg || !param || param.required || sighting.op.method !== 'get' || key.steps.length > 0) return key;
  const { required: _, ...free } = arg;
  inputs.args[key.arg] = free;
  const as = `named_${key.arg}`;
  const first = `(SELECT min("${key.col}") FROM "${entity.name}")`;
  const query = `SELECT "${key.col}" AS "key_named" FROM "${entity.name}" WHERE "${key.col}" = coalesce(?, ${first})`;
  return {
    ...key,
    value: `$${as}.key_named`,
    steps: [{ sql: { query, params: [`$args.${key.arg}`], as, one: true } }],
  };
};

export const getDraft = (subject: Subject): Drafted => {
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const named = addKey(inputs, subject);
  if (!named) return NO_ROW;
  const key = orFirst(inputs, subject, named);
  const steps = [...scope.steps, ...theRow(subject, key, scope)];
  const reads = [...scope.reads, subject.entity.name];
  return draftOf(
    subject,
    { op: 'get', steps, reads, writes: [], inputs, shown: oneRow(subject, 'row') },
    { verb: 'get', evidence: 'its path names the row it shows' },
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
  const beside = besideKey(inputs, subject);
  const steps: Step[] = [...scope.steps, ...theRow(subject, key, scope), ...beside.steps, { delete: { table, where } }];
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
