/** What stands behind one operation before it is named: a tool, where its arguments come from, and where its answer has the rows. */
import type { FaceAnswer, FaceArg } from '../../artifacts/face.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import { toolText } from '../openapi/args.js';
import type { Entity } from '../openapi/entities.js';
import { scalarField } from '../openapi/fields.js';
import type { Sighting } from '../openapi/sightings.js';
import type { ToolContext } from '../openapi/tools.js';
import type { DocParam } from '../openapi/types.js';
import type { Shown } from './answers.js';
import type { Inputs } from './inputs.js';

export interface FaceDraft {
  tool: Tool;
  sighting: Sighting;
  args: FaceArg[];
  answer: FaceAnswer;
  /** Name where the document's own operation id is no good as one. */
  fallback: string;
  evidence: string;
  /** What its table is settled by, where the tool's own arguments do not say which columns callers give. */
  settles?: Tool;
}

/** A string is the reason why nothing stands behind the operation. */
export type Drafted = FaceDraft | string;

export interface Subject {
  entity: Entity;
  sighting: Sighting;
  context: ToolContext;
}

/** Status of a request that breaks a rule of the data, as the operation documents it. */
export const invalidStatus = ({ op }: Sighting): number =>
  op.failures.includes(422) || !op.failures.includes(400) ? 422 : 400;

export const errorsOf = (sighting: Sighting, tool: Pick<Tool, 'writes' | 'steps'>): NonNullable<Tool['errors']> => ({
  invalid_argument: invalidStatus(sighting),
  not_found: 404,
  ...(tool.writes.length > 0 ? { invalid_reference: invalidStatus(sighting), conflict: 409 } : {}),
});

export const describedParam = ({ description }: DocParam): { description?: string } => {
  const text = description?.replace(/\s+/g, ' ').slice(0, 200).trim();
  return text ? { description: text } : {};
};

/** Type that a parameter's value has once it is decoded; `json` for what may be text or a number. */
export const paramType = ({ name, schema }: DocParam, { schemas }: ToolContext): ColumnType => {
  const { types } = schemas.view(schema);
  if (types.has('string') && (types.has('integer') || types.has('number'))) return 'json';
  const type = scalarField(name, schema, true, schemas)?.type;
  return types.has('string') || type === undefined || type === 'date' || type === 'datetime' || type === 'json'
    ? 'text'
    : type;
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
