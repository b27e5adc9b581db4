/** What an operation of a face will do and why, as data that a command prints. */
import type { Face, FaceAnswer, FaceArg } from '../../artifacts/face.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Tier, Tool } from '../../artifacts/tool.js';
import { TreadleError } from '../../errors.js';
import { nearNames } from '../../kit/near.js';
import { expandTool } from '../../world/program/macros.js';
import { inWords } from './words.js';

export interface ExplainedArg {
  /** Its name in the tool. */
  name: string;
  /** `path petId`, `body address.city`. */
  from: string;
  /** What the tool does with it. */
  use: string;
  required: boolean;
}

export interface Explained {
  operation: string;
  isBound: boolean;
  tier?: Tier;
  evidence?: string;
  tool?: string;
  table?: string;
  does?: string[];
  args?: ExplainedArg[];
  answer?: FaceAnswer;
  /** Statuses of its refusals, by code. */
  errors?: Record<string, number>;
  /** Why nothing stands behind it, and what would. */
  why?: string;
  next?: string;
}

const placeOf = ({ in: place, name, at = [] }: FaceArg): string =>
  place === 'body' ? `body${at.length > 0 ? ` ${at.join('.')}` : ''}` : [place, name, ...at].join(' ');

const USES: Record<Tool['args'][string]['role'], string> = {
  key: 'names the row',
  set: 'is written',
  filter: 'narrows',
  query: 'is searched for',
  sort: 'sorts',
  limit: 'is the size of a page',
  offset: 'is where the page begins',
  page: 'is the page',
  cursor: 'is the mark of a page',
  input: 'is used by the steps',
};

const useOf = ({ role, col, ref }: Tool['args'][string]): string => {
  const into =
    role === 'set' || (role === 'input' && col !== undefined && ref === undefined) ? `is written to ${col}` : undefined;
  const of = role === 'input' && ref !== undefined ? `names the ${ref.replaceAll('_', ' ')}` : undefined;
  const by = role === 'filter' && col !== undefined ? `narrows by ${col}` : undefined;
  return into ?? of ?? by ?? USES[role];
};

const nextFor = (operation: string): string =>
  `In overrides.yaml: operations: {"${operation}": {table: TABLE, effect: VERB}}, or steps of your own; it is answered from the document's examples until then.`;

/** All operations in the order given. */
export const explainAll = (spec: ServiceSpec | undefined, face: Face, order: readonly string[]): Explained[] => {
  const bindings = new Map(face.bindings.map((one) => [one.operation, one]));
  const why = new Map(face.unbound.map((one) => [one.operation, one.why]));
  return order.map((operation): Explained => {
    const binding = bindings.get(operation);
    const tool = binding && spec?.tools[binding.tool];
    if (!binding || !tool || !spec)
      return {
        operation,
        isBound: false,
        why: why.get(operation) ?? 'no method that holds state',
        next: nextFor(operation),
      };
    const { tier, evidence, answer } = binding;
    const args = binding.args.flatMap((arg): ExplainedArg[] => {
      const [name, own] =
        Object.entries(tool.args).find(([each, { field }]) => (field ?? each) === arg.to.join('.')) ?? [];
      return name === undefined || !own
        ? []
        : [{ name, from: placeOf(arg), use: useOf(own), required: own.required === true }];
    });
    return {
      operation,
      isBound: true,
      tier,
      ...(evidence === undefined ? {} : { evidence }),
      tool: binding.tool,
      table: tool.table,
      does: inWords(spec, expandTool(spec, tool).steps),
      args,
      answer,
      ...(tool.errors ? { errors: tool.errors } : {}),
    };
  });
};

/** The one that is meant, whatever its case and spaces; by operation id too. Throws `unknown_operation` with what is near. */
export const operationMeant = (given: string, labels: readonly string[], ids: ReadonlyMap<string, string>): string => {
  const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();
  const byId = ids.get(given);
  const found = byId ?? labels.find((label) => plain(label) === plain(given));
  if (found !== undefined) return found;
  const onPath = labels.filter((label) => plain(label.slice(label.indexOf(' ') + 1)) === plain(given));
  if (onPath.length === 1 && onPath[0] !== undefined) return onPath[0];
  const near = onPath.length > 1 ? onPath : nearNames(given, labels);
  throw new TreadleError({
    code: 'unknown_operation',
    message: onPath.length > 1 ? 'Several operations have this path' : 'The document has no such operation',
    value: given,
    next: near.length > 0 ? `Near it: ${near.join(', ')}.` : 'It has no operations at all.',
    fault: 'input',
  });
};
