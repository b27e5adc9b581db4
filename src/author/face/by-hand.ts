/** A tool for an operation whose effect a person has said: a verb on the row that its path names, or steps. */
import type { FaceArg } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Step } from '../../artifacts/step.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Arg, Returns, Tool, Write } from '../../artifacts/tool.js';
import type { HttpOperation } from '../../document/http.js';
import { snake } from '../../kit/words.js';
import { scalarField } from '../openapi/fields.js';
import { identifier, toolName, unique } from '../openapi/names.js';
import type { Schemas } from '../openapi/schema.js';
import { isArray, isObject } from '../openapi/unwrap.js';
import { addInput, type Inputs, noInputs } from './inputs.js';

const typeOf = (name: string, schema: unknown, schemas: Schemas): ColumnType => {
  const view = schemas.view(schema);
  if (isArray(view) || isObject(view)) return 'json';
  return scalarField(name, schema, false, schemas)?.type ?? 'json';
};

/** All that a request of the operation can say, each part an argument under its name in lower snake. */
export const inputsOf = (http: HttpOperation, schemas: Schemas): Inputs => {
  const inputs = noInputs();
  const add = (name: string, schema: unknown, required: boolean, origin: Omit<FaceArg, 'to'>): void => {
    const arg: Arg = { type: typeOf(name, schema, schemas), role: 'input', ...(required ? { required } : {}) };
    addInput(inputs, snake(name), arg, origin);
  };
  for (const { name, schema, required, in: place } of http.params) add(name, schema, required, { in: place, name });
  const media = http.body?.media.find(({ type }) => /json|form/i.test(type)) ?? http.body?.media[0];
  const body = media?.schema === undefined ? undefined : schemas.view(media.schema);
  for (const [name, schema] of body?.properties ?? []) add(name, schema, false, { in: 'body', at: [name] });
  if (body && isArray(body)) add('items', media?.schema, false, { in: 'body', at: [] });
  return inputs;
};

interface Touched {
  reads: Set<string>;
  writes: Write[];
}

/** Tables that steps read and write. */
const touchedBy = (steps: readonly Step[], out: Touched = { reads: new Set(), writes: [] }): Touched => {
  for (const step of steps) {
    if ('get' in step) out.reads.add(step.get.table);
    else if ('find' in step) out.reads.add(step.find.table);
    else if ('insert' in step) out.writes.push({ table: step.insert.table, insert: true });
    else if ('update' in step) {
      out.reads.add(step.update.table);
      out.writes.push({ table: step.update.table, cols: Object.keys(step.update.set) });
    } else if ('delete' in step) {
      out.reads.add(step.delete.table);
      out.writes.push({ table: step.delete.table, delete: true });
    } else if ('if' in step) touchedBy(step.if.do, out);
    else if ('each' in step) touchedBy(step.each.do, out);
  }
  return out;
};

export interface ByHand {
  http: HttpOperation;
  table: string;
  steps: readonly Step[];
  returns: Returns | undefined;
  inputs: Inputs;
}

/** The tool, under a name that the service has free. */
export const toolByHand = (
  spec: ServiceSpec,
  { http, table, steps, returns, inputs }: ByHand,
): { name: string; tool: Tool } => {
  const taken = new Set(Object.keys(spec.tools).map((name) => name.toLowerCase()));
  const ids = new Set(Object.values(spec.tools).map(({ id }) => id));
  const name = toolName(http.id, identifier(http.label, 'operation', 60), taken);
  const verb = identifier(snake(name), 'act', 40);
  const { reads, writes } = touchedBy(steps);
  const text = http.raw.summary ?? http.raw.description;
  const tool: Tool = {
    id: unique(`${table}.${verb}`, ids, 100),
    op: 'action',
    table,
    description: typeof text === 'string' && text.trim() ? text.trim().slice(0, 240) : http.label,
    args: inputs.args,
    steps: [...steps],
    returns: returns ?? { done: true },
    errors: { invalid_argument: 422, not_found: 404, invalid_reference: 422, conflict: 409, invalid_state: 409 },
    reads: [...reads],
    writes,
    provenance: { tier: 'spec', operation: http.label, note: 'said in overrides' },
  };
  return { name, tool };
};
