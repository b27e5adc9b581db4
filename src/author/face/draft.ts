/** What stands behind one operation before it is named: a tool, where its arguments come from, and where its answer has the rows. */
import type { FaceAnswer, FaceArg } from '../../artifacts/face.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Tool } from '../../artifacts/tool.js';
import type { Entity } from '../openapi/entities.js';
import { scalarField } from '../openapi/fields.js';
import type { Sighting } from '../openapi/sightings.js';
import type { ToolContext } from '../openapi/tools.js';
import type { DocParam } from '../openapi/types.js';

export interface FaceDraft {
  tool: Tool;
  sighting: Sighting;
  args: FaceArg[];
  answer: FaceAnswer;
  /** Name where the document's own operation id is no good as one. */
  fallback: string;
  evidence: string;
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
