/** The faces of services that were packed for agents: the same tools, behind the operations of the document that they were made of. */
import type { Binding, Face, FaceAnswer, FaceArg } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { ColumnType } from '../../artifacts/table.js';
import type { Returns, Tool } from '../../artifacts/tool.js';
import { sha256 } from '../../kit/hash.js';
import { expandTool } from '../../world/program/macros.js';
import type { Understood } from '../openapi/author.js';
import { propertyName } from '../openapi/names.js';
import { NO_PLACE } from '../openapi/report.js';
import type { View } from '../openapi/schema.js';
import type { Understanding } from '../openapi/understand.js';
import { showsRow } from './answers.js';
import type { Subject } from './draft.js';
import { originOf } from './origin.js';
import { viewAt } from './sets.js';

const ONE_OF_MANY = /^(one row a call|fields in place of a JSON Patch)/;

/** What each operation is about, by its label. */
const subjectsOf = ({ understanding, context }: Understood): Map<string, Subject> => {
  const out = new Map<string, Subject>();
  for (const entity of understanding.entities) {
    const all = [
      ...entity.resource.sightings,
      ...entity.relations.map(({ sighting }) => sighting),
      ...entity.memberships.flatMap(({ group }) => group.sightings),
    ];
    for (const sighting of all)
      if (!out.has(sighting.op.label)) out.set(sighting.op.label, { entity, sighting, context });
  }
  return out;
};

/** Agents may see a row bare that the document wraps. */
const isBare = (returns: Returns, subject: Subject): boolean => {
  const { answer } = subject.sighting;
  if (returns.envelope !== undefined || !answer || answer.many || answer.path.length === 0) return false;
  return returns.table !== undefined || showsRow(subject);
};

const answerOf = (returns: Returns, subject: Subject): FaceAnswer => {
  const { entity, sighting } = subject;
  if (returns.row === undefined && returns.rows === undefined)
    return { kind: returns.value === undefined ? 'done' : 'value', path: [] };
  const bare = returns.row !== undefined && isBare(returns, subject);
  const path = returns.envelope === undefined && !bare ? [] : (sighting.answer?.path ?? []).map(propertyName);
  const column = entity.columns.facts.get(entity.columns.keyCol)?.column;
  const isOwn = returns.table === undefined || returns.table === entity.name;
  const hasKey = isOwn && column?.field !== undefined && !column.hidden;
  return {
    kind: returns.row === undefined ? 'rows' : 'row',
    path,
    ...(hasKey ? { key: (column.field as string).split('.') } : {}),
    ...(bare ? { bare } : {}),
  };
};

/** Agents name rows by keys as they are stored, which may be text where the document has numbers, or the other way. */
const asTool = (type: ColumnType | 'list', { types }: View): Pick<FaceArg, 'as'> => {
  const isNumber = types.has('integer') || types.has('number');
  if (type === 'text' && isNumber && !types.has('string')) return { as: 'text' };
  return (type === 'int' || type === 'number') && types.has('string') && !isNumber ? { as: 'number' } : {};
};

const argsOf = (tool: Tool, subject: Subject): FaceArg[] | string => {
  const { sighting, context } = subject;
  const args: FaceArg[] = [];
  for (const [name, { field = name, required, type }] of Object.entries(tool.args)) {
    const origin = originOf(sighting, field, context.schemas);
    const view = origin && viewAt(subject, origin);
    if (origin) args.push({ to: field.split('.'), ...origin, ...(view ? asTool(type, view) : {}) });
    else if (required) return `its argument ${field} is nowhere in the request`;
  }
  return args;
};

const bindingOf = (spec: ServiceSpec, name: string, subject: Subject): Binding | string => {
  const tool = expandTool(spec, spec.tools[name] as Tool);
  const { tier, note } = tool.provenance;
  if (note !== undefined && ONE_OF_MANY.test(note)) return `agents have it otherwise: ${note}`;
  const args = argsOf(tool, subject);
  if (typeof args === 'string') return args;
  return {
    operation: subject.sighting.op.label,
    tool: name,
    args,
    answer: answerOf(tool.returns, subject),
    tier,
    evidence: `the tool ${name} that agents have for it`,
  };
};

const whyOf = ({ why }: Understanding, label: string): string => why.get(label) ?? NO_PLACE;

/**
 * One a service, by the tools that it has now: those that corrections dropped are behind nothing. `services` are of this document; one
 * of which nothing is bound has no face.
 */
export const packedFaces = (understood: Understood, services: readonly ServiceSpec[]): Face[] => {
  const { understanding } = understood;
  const subjects = subjectsOf(understood);
  const document = sha256(JSON.stringify(understanding.document.root));
  const why = new Map<string, string>();
  const bound = new Set<string>();
  const all = services.map((spec) => {
    const bindings: Binding[] = [];
    for (const [name, { provenance }] of Object.entries(spec.tools)) {
      const subject = provenance.operation === undefined ? undefined : subjects.get(provenance.operation);
      if (!subject || bound.has(subject.sighting.op.label)) continue;
      const { label } = subject.sighting.op;
      const binding = bindingOf(spec, name, subject);
      if (typeof binding === 'string') why.set(label, binding);
      else {
        bindings.push(binding);
        bound.add(label);
      }
    }
    return { spec, bindings };
  });
  const unbound = understanding.operations
    .filter(({ label }) => !bound.has(label))
    .map(({ label }) => ({ operation: label, why: why.get(label) ?? whyOf(understanding, label) }));
  return all
    .filter(({ bindings }) => bindings.length > 0)
    .map(({ spec, bindings }) => ({ treadle: 'face/1', service: spec.id, document, bindings, unbound }));
};
