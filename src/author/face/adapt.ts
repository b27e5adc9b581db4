/** A tool made for agents put behind an operation: its arguments found again in the request, its answer in the document's form. */
import type { FaceAnswer, FaceArg } from '../../artifacts/face.js';
import type { Tool } from '../../artifacts/tool.js';
import { propertyName } from '../openapi/names.js';
import type { Drafted, Subject } from './draft.js';
import { originOf } from './origin.js';

const answerOf = ({ returns }: Tool, { entity, sighting }: Subject): FaceAnswer => {
  const path = returns?.envelope === undefined ? [] : (sighting.answer?.path ?? []).map(propertyName);
  const field = entity.columns.facts.get(entity.columns.keyCol)?.column;
  const key =
    field?.field === undefined || field.hidden || returns?.table !== undefined ? {} : { key: field.field.split('.') };
  if (returns?.row !== undefined) return { kind: 'row', path, ...key };
  if (returns?.rows !== undefined) return { kind: 'rows', path, ...key };
  return returns?.value === undefined ? { kind: 'done', path: [] } : { kind: 'value', path: [] };
};

/** Undefined args that the request does not hold are dropped; a reason where one of them is required. */
export const adapted = (tool: Tool, subject: Subject, evidence: string): Drafted => {
  const { sighting, context } = subject;
  const args: FaceArg[] = [];
  for (const [name, arg] of Object.entries(tool.args)) {
    const field = arg.field ?? name;
    const origin = originOf(sighting, field, context.schemas);
    if (origin) args.push({ to: field.split('.'), ...origin });
    else if (arg.required) return `its argument ${field} is nowhere in the request`;
  }
  const fallback = tool.id.replace('.', '_');
  return { tool, sighting, args, answer: answerOf(tool, subject), fallback, evidence };
};
