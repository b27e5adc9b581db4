/** Tools that list and search: what the path fixes, what the query narrows, and pages as the document has them. */
import type { Condition } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { snake } from '../../kit/words.js';
import { directionArg } from '../openapi/direction.js';
import type { Entity } from '../openapi/entities.js';
import { filterArg, idCursor, keysArg, limitArg, pageArg, pagingRole, pagingStyle, sortArg } from '../openapi/query.js';
import type { DocParam } from '../openapi/types.js';
import { isObject } from '../openapi/unwrap.js';
import { manyRows } from './answers.js';
import { type Drafted, draftOf, errorsOf, type Subject } from './draft.js';
import { addInput, type Inputs, noInputs, type Origin } from './inputs.js';
import { type Scope, scopeOf } from './scope.js';

interface Asked {
  param: DocParam;
  origin: Origin;
}

/** Parameters of the query, and the body's properties where a POST searches. */
const askedOf = ({ sighting: { op, body } }: Subject): Asked[] => [
  ...op.params
    .filter((param) => param.in === 'query')
    .map((param) => ({ param, origin: { in: 'query' as const, name: param.name } })),
  ...(op.method === 'post' && body && !body.many
    ? [...body.item.properties].map(([name, schema]) => ({
        param: {
          name,
          in: 'query' as const,
          required: false,
          schema: schema as DocParam['schema'],
          description: undefined,
        },
        origin: { in: 'body' as const, at: [...body.path, name] },
      }))
    : []),
];

const pageFor = ({ name, schema, description }: DocParam): Arg | undefined => {
  const role = pagingRole(name);
  if (role === 'cursor') return pageArg('cursor');
  if (role === 'offset') return pageArg('offset');
  return role === 'page'
    ? pageArg(pagingStyle([{ name, in: 'query', required: false, schema, description }]))
    : undefined;
};

/** Whether a list's answer holds a value of this parameter as a column; the same words as the agents' tools. */
const argOf = (
  { param }: Asked,
  subject: Subject,
  seen: { sorts: boolean; turns: boolean; pages: boolean },
): Arg | undefined => {
  const { entity, context } = subject;
  const { schemas } = context;
  const shape = schemas.view(param.schema);
  if (isObject(shape) || shape.types.has('object')) return undefined;
  const role = pagingRole(param.name);
  if (role === 'limit') return limitArg(param, schemas);
  const sort = seen.sorts ? undefined : sortArg(param, entity, schemas);
  if (sort) {
    seen.sorts = true;
    return sort;
  }
  const turn = seen.turns ? undefined : directionArg(param, schemas);
  if (turn) {
    seen.turns = true;
    return turn;
  }
  const bound = idCursor(param.name, entity);
  if (bound) return bound;
  if (role === 'query') return { type: 'text', role: 'query' };
  const page = seen.pages ? undefined : pageFor(param);
  if (page) seen.pages = true;
  return page ?? filterArg(param, entity, schemas);
};

const addNarrow = (inputs: Inputs, { entity, sighting, context }: Subject): boolean => {
  if (sighting.narrow === undefined) return true;
  const param = sighting.op.params.find((one) => one.in === 'path' && one.name === sighting.narrow);
  const arg = param && (keysArg(param, entity) ?? filterArg({ ...param, required: true }, entity, context.schemas));
  if (!param || !arg) return false;
  addInput(inputs, snake(param.name), arg, { in: 'path', name: param.name });
  return true;
};

const searched = (entity: Entity): string[] => {
  const text = [...entity.columns.facts.values()]
    .filter(({ column }) => column.type === 'text' && !column.fk && !column.enum && !column.hidden)
    .map(({ name }) => name);
  const named = text.filter((name) =>
    /(^|_)(name|title|subject|description|summary|email|number|code|label|text|body|content|sku|login|username)$/.test(
      name,
    ),
  );
  return (named.length > 0 ? named : text).slice(0, 8);
};

const whereOf = ({ held }: Scope): Condition[] =>
  Object.entries(held).map(([col, value]) => ({ col, op: 'eq' as const, value }));

/** The steps of a list, with its parents looked up first and their keys among its conditions. */
export const withScope = (tool: Tool, scope: Scope, expanded: NonNullable<Tool['steps']>): Tool => ({
  ...tool,
  steps: [
    ...scope.steps,
    ...expanded.map((step) =>
      'find' in step ? { find: { ...step.find, where: [...whereOf(scope), ...(step.find.where ?? [])] } } : step,
    ),
  ],
});

export interface ListDraft {
  /** Arguments of the path that are no columns of the row, added after the steps are written out. */
  scope: Scope;
  scopeArgs: Tool['args'];
}

export const listDraft = (subject: Subject): Drafted | { draft: Exclude<Drafted, string>; list: ListDraft } => {
  const { entity, sighting } = subject;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const scopeArgs = { ...inputs.args };
  if (!addNarrow(inputs, subject)) return 'a list narrowed by a path parameter that no column holds';
  const seen = { sorts: false, turns: false, pages: false };
  for (const asked of askedOf(subject)) {
    const arg = argOf(asked, subject, seen);
    if (arg?.role === 'query' && Object.values(inputs.args).some(({ role }) => role === 'query')) continue;
    if (arg) addInput(inputs, asked.param.name.replace(/[[\]]+/g, '_'), arg, asked.origin);
  }
  const match = searched(entity);
  const queried = match.length > 0 && Object.values(inputs.args).some(({ role }) => role === 'query');
  const shown = manyRows(subject, 'rows');
  const draft = draftOf(
    subject,
    {
      op: queried ? 'search' : 'list',
      reads: [...scope.reads, entity.name],
      writes: [],
      inputs,
      shown,
    },
    { verb: 'list', evidence: 'it answers with a list of the rows of its collection' },
  );
  const args = Object.fromEntries(Object.entries(draft.tool.args).filter(([name]) => !Object.hasOwn(scopeArgs, name)));
  const tool = { ...draft.tool, args, ...(queried ? { match } : {}), errors: errorsOf(sighting, { writes: [] }) };
  return { draft: { ...draft, tool }, list: { scope, scopeArgs } };
};
