/** A tool made for agents put behind an operation: its arguments found again in the request, its answer in the document's form. */
import type { FaceAnswer, FaceArg } from '../../artifacts/face.js';
import type { Tool } from '../../artifacts/tool.js';
import { propertyName } from '../openapi/names.js';
import { oneRow, showsRow } from './answers.js';
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

/** A row is answered in the document's own envelope, also where agents see it bare. */
const wrapped = (tool: Tool, subject: Subject): Tool => {
  const { returns } = tool;
  const { answer } = subject.sighting;
  if (
    returns?.row === undefined ||
    returns.envelope !== undefined ||
    !answer ||
    answer.many ||
    answer.path.length === 0
  )
    return tool;
  if (returns.table === undefined && !showsRow(subject)) return tool;
  const { envelope } = oneRow(subject, returns.row).returns;
  return envelope === undefined ? tool : { ...tool, returns: { ...returns, envelope } };
};

const MAX_DEPTH = 3;

/** Undefined args that the request does not hold are dropped; a reason where one of them is required. */
export const adapted = (given: Tool, subject: Subject, evidence: string): Drafted => {
  const whole = wrapped(given, subject);
  const { sighting, context } = subject;
  const args: FaceArg[] = [];
  const kept: Tool['args'] = {};
  for (const [name, arg] of Object.entries(whole.args)) {
    const field = arg.field ?? name;
    const origin = originOf(sighting, field, context.schemas);
    const parts = field.split('.');
    // Deeper than a surface nests, under wrappers of the body: flat, where only the face needs to find it.
    const to = parts.length > MAX_DEPTH ? [`body_${name}`] : parts;
    if (!origin && arg.required) return `its argument ${field} is nowhere in the request`;
    kept[name] = to === parts ? arg : { ...arg, field: to.join('.') };
    if (origin) args.push({ to, ...origin });
  }
  const tool = { ...whole, args: kept };
  const fallback = tool.id.replace('.', '_');
  return { tool, sighting, args, answer: answerOf(tool, subject), fallback, evidence };
};
