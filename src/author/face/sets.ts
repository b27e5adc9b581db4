/** What a body, or a query where the service puts everything there, writes into columns. */
import type { Step, Value } from '../../artifacts/step.js';
import type { Column, ColumnType } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';
import { querySets } from '../openapi/args.js';
import type { BodyField } from '../openapi/columns.js';
import type { View } from '../openapi/schema.js';
import { isArray, isObject } from '../openapi/unwrap.js';
import { convertedQuery } from './convert.js';
import type { Subject } from './draft.js';
import { addInput, type Inputs, type Origin } from './inputs.js';
import { originOf } from './origin.js';

export interface Sets {
  set: Record<string, Value>;
  /** Run before the row is written. */
  steps: Step[];
}

export interface Written {
  fields: BodyField[];
  in: 'body' | 'query';
}

export const writtenFields = ({ entity, sighting, context }: Subject): Written => {
  const fields = entity.columns.bodies.get(sighting.op.label);
  const inQuery = sighting.op.body === undefined;
  if (fields) return { fields, in: inQuery ? 'query' : 'body' };
  return { fields: querySets(entity, sighting.op.params, context.schemas), in: 'query' };
};

/** The schema of what an origin names. */
export const viewAt = ({ sighting: { op }, context: { schemas } }: Subject, origin: Origin): View | undefined => {
  if (origin.in !== 'body') {
    const param = op.params.find((one) => one.in === origin.in && one.name === origin.name);
    return param && schemas.view(param.schema);
  }
  let view = op.body && schemas.view(op.body.schema);
  for (const name of origin.at ?? []) view = view && schemas.view(view.properties.get(name));
  return view;
};

/** Types whose values a column stores as an argument of its own type gives them. */
const PLAIN: Record<ColumnType, readonly string[]> = {
  text: ['string'],
  int: ['integer'],
  number: ['number', 'integer'],
  bool: ['boolean'],
  date: ['string'],
  datetime: [],
  money: ['number', 'integer'],
  json: ['string', 'number', 'integer', 'boolean', 'object', 'array'],
};

/** Every value that the schema takes is one that an argument of the column's type takes. */
const isPlain = (view: View | undefined, column: Column, own: ColumnType): boolean => {
  if (column.type === 'json') return true;
  if (!view || isArray(view) || (isObject(view) && !view.types.has('string'))) return own === column.type;
  if (isObject(view)) return false;
  if (own === 'datetime' || column.type === 'datetime') {
    const isSaid = !view.types.has('string') || /date|time|iso/i.test(String(view.facts.get('format') ?? ''));
    return own === column.type && view.types.size <= 1 && isSaid;
  }
  return [...view.types].every((type) => PLAIN[column.type].includes(type));
};

const fieldOrigin = ({ field, name }: BodyField, where: Written['in'], { sighting, context }: Subject): Origin =>
  where === 'body'
    ? { in: 'body', at: field.path }
    : (originOf(sighting, field.path.join('.'), context.schemas) ?? { in: 'query', name });

/** Stands in for a value that the column cannot store: what the row has, or what a new row begins with. */
const instead = ({ entity }: Subject, mode: Mode, col: string): Value => {
  if (mode === 'update') return `$row.${col}`;
  const standard = entity.columns.facts.get(col)?.column.default;
  if (typeof standard === 'string') return `'${standard.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return standard === undefined ? null : typeof standard === 'boolean' ? Number(standard) : standard;
};

type Mode = 'create' | 'update';

/** Arguments that write columns; those that the path fixes, and what only the service writes, are left out. In updates `row` is bound. */
export const addSets = (inputs: Inputs, subject: Subject, mode: Mode, fixed: ReadonlySet<string>): Sets => {
  const { entity } = subject;
  const out: Sets = { set: {}, steps: [] };
  const written = writtenFields(subject);
  for (const body of written.fields) {
    const fact = entity.columns.facts.get(body.col);
    const isKey = body.col === entity.columns.keyCol;
    if (!fact || body.field.readOnly || fixed.has(body.col) || out.set[body.col] !== undefined) continue;
    if (isKey && mode === 'update') continue;
    const { column } = fact;
    const origin = fieldOrigin(body, written.in, subject);
    // Another thing under the name of a reference names no row.
    const plain = isKey || isPlain(viewAt(subject, origin), column, body.field.type);
    if (!plain && column.fk !== undefined) continue;
    const arg: Arg = { type: plain ? column.type : 'json', role: 'set', col: body.col };
    if (mode === 'create' && body.field.required) arg.required = true;
    if (column.fk && plain) arg.ref = column.fk;
    if (body.field.description) arg.description = body.field.description.slice(0, 200);
    const name = addInput(inputs, body.name, arg, origin);
    if (plain) {
      out.set[body.col] = `$args.${name}`;
      continue;
    }
    const as = `made_${name}`.slice(0, 60);
    const params = [`$args.${name}`, instead(subject, mode, body.col), '$now'];
    out.steps.push({ sql: { query: convertedQuery(column), params, as, one: true } });
    out.set[body.col] = `$${as}.v`;
  }
  return out;
};
