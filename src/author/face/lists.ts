/** Tools that list and search: what the path fixes, what the query narrows, and pages as the document has them. */
import type { Condition, Value } from '../../artifacts/step.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { snake } from '../../kit/words.js';
import { directionArg } from '../openapi/direction.js';
import type { Entity } from '../openapi/entities.js';
import { filterArg, idCursor, keysArg, limitArg, pageArg, pagingRole, pagingStyle, sortArg } from '../openapi/query.js';
import type { Schemas } from '../openapi/schema.js';
import type { DocParam } from '../openapi/types.js';
import { isObject } from '../openapi/unwrap.js';
import { manyRows } from './answers.js';
import { type Drafted, draftOf, errorsOf, type Subject } from './draft.js';
import { addInput, type Inputs, noInputs, type Origin } from './inputs.js';
import { type Marks, type Newest, newestOf } from './newest.js';
import { type Scope, scopeOf } from './scope.js';
import { beyond } from './wide.js';

/** Most that any page may be asked to have. */
const LARGEST = 1_000_000;

interface Asked {
  param: DocParam;
  origin: Origin;
}

/** `created[gte]`: a parameter that is an object asks by each of its properties. */
const partsOf = (param: DocParam, schemas: Schemas): Asked[] => {
  const view = schemas.view(param.schema);
  const whole: Asked = { param, origin: { in: 'query', name: param.name } };
  if (!isObject(view)) return [whole];
  return [...view.properties].map(([name, schema]) => ({
    param: { ...param, name: `${param.name}[${name}]`, schema: schema as DocParam['schema'], required: false },
    origin: { in: 'query' as const, name: param.name, at: [name] },
  }));
};

/** Parameters of the query, and the body's properties where a POST searches. */
const askedOf = ({ sighting: { op, body }, context: { schemas } }: Subject): Asked[] => [
  ...op.params.filter((param) => param.in === 'query').flatMap((param) => partsOf(param, schemas)),
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

/** What the description says where the schema does not: `Limit can range between 1 and 100, and the default is 10`. */
const pageSize = (param: DocParam, schemas: Schemas): Arg => {
  const arg = limitArg(param, schemas);
  const { facts } = schemas.view(param.schema);
  const text = `${param.description ?? ''} ${facts.get('description') ?? ''}`.replace(/[`*_]/g, '').slice(0, 1_000);
  const number = (found: RegExpExecArray | null): number | undefined => {
    const value = Number(found?.[1]);
    return value >= 1 && value <= 1_000 ? value : undefined;
  };
  const most = number(
    /(?:between 1 and|max(?:imum)?(?: (?:of|is|value|page size|allowed|limit))*:?|up to|at most) (\d{1,4})\b/i.exec(
      text,
    ),
  );
  const usual = number(/defaults?(?: (?:is|to|of|value|limit|page size))*:? (\d{1,4})\b/i.exec(text));
  const max = facts.get('maximum') === undefined ? (most ?? arg.max ?? 100) : (arg.max ?? 100);
  const wanted = facts.get('default') === undefined ? usual : undefined;
  return { ...arg, max, default: Math.min(wanted ?? Number(arg.default), max) };
};

const pageFor = ({ name, schema, description }: DocParam): Arg | undefined => {
  const role = pagingRole(name);
  if (role === 'cursor') return pageArg('cursor');
  if (role === 'offset') return pageArg('offset');
  return role === 'page'
    ? pageArg(pagingStyle([{ name, in: 'query', required: false, schema, description }]))
    : undefined;
};

interface Seen {
  sorts?: DocParam;
  turns?: DocParam;
  pages?: DocParam;
}

/** Whether a list's answer holds a value of this parameter as a column; the same words as the agents' tools. */
const argOf = ({ param }: Asked, subject: Subject, seen: Seen): Arg | undefined => {
  const { entity, context } = subject;
  const { schemas } = context;
  const shape = schemas.view(param.schema);
  if (isObject(shape) || shape.types.has('object')) return undefined;
  const role = pagingRole(param.name);
  if (role === 'limit') return pageSize(param, schemas);
  const sort = seen.sorts ? undefined : sortArg(param, entity, schemas);
  if (sort) {
    seen.sorts = param;
    return sort;
  }
  const turn = seen.turns ? undefined : directionArg(param, schemas);
  if (turn) {
    seen.turns = param;
    return turn;
  }
  const bound = idCursor(param.name, entity);
  if (bound) return bound;
  if (role === 'query') return { type: 'text', role: 'query' };
  const page = seen.pages ? undefined : pageFor(param);
  if (page) seen.pages = param;
  const filter = page === undefined ? filterArg(param, entity, schemas) : undefined;
  // A number is no text of a column: compared with one it would refuse every call.
  const isNumber = shape.types.has('number') && !shape.types.has('string');
  return page ?? (filter?.type === 'text' && isNumber ? undefined : filter);
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

/** A larger page than there is gets the largest, where the document does not refuse it. */
const limitOf = (limit: Value | undefined, most: number | undefined): { limit?: Value } => {
  const name = /^\$(args\.\w+)$/.exec(String(limit))?.[1];
  if (limit === undefined) return {};
  return { limit: name === undefined || most === undefined ? limit : `${name} > ${most} ? ${most} : ${name}` };
};

/** The steps of a list, with its parents looked up first and their keys among its conditions. */
export const withScope = (tool: Tool, { scope, most }: ListDraft, expanded: NonNullable<Tool['steps']>): Tool => ({
  ...tool,
  steps: [
    ...scope.steps,
    ...expanded.map((step) =>
      'find' in step
        ? {
            find: {
              ...step.find,
              where: [...whereOf(scope), ...(step.find.where ?? [])],
              ...limitOf(step.find.limit, most),
            },
          }
        : step,
    ),
  ],
});

export interface ListDraft {
  /** Arguments of the path that are no columns of the row, added after the steps are written out. */
  scope: Scope;
  scopeArgs: Tool['args'];
  /** Largest page, where the document's schema refuses none. */
  most?: number;
  /** Where it comes newest first. */
  newest?: Newest;
  /** Arguments that are keys of rows that pages begin at. */
  marks: Marks;
  /** Arguments that take values besides those of their column. */
  wide: Map<string, string[]>;
}

export const listDraft = (subject: Subject): Drafted | { draft: Exclude<Drafted, string>; list: ListDraft } => {
  const { entity, sighting, context } = subject;
  const inputs = noInputs();
  const scope = scopeOf(inputs, subject, 'read');
  const scopeArgs = { ...inputs.args };
  if (!addNarrow(inputs, subject)) return 'a list narrowed by a path parameter that no column holds';
  const wide = new Map<string, string[]>();
  const seen: Seen = {};
  const marks: Marks = {};
  let most: number | undefined;
  for (const asked of askedOf(subject)) {
    const arg = argOf(asked, subject, seen);
    if (arg?.role === 'query' && Object.values(inputs.args).some(({ role }) => role === 'query')) continue;
    if (!arg) continue;
    const isOpen = arg.role === 'limit' && context.schemas.view(asked.param.schema).facts.get('maximum') === undefined;
    if (isOpen) most = arg.max;
    const wanted = asked.param.name.replace(/[[\]]+/g, '_');
    const name = addInput(inputs, wanted, isOpen ? { ...arg, max: LARGEST } : arg, asked.origin);
    if (arg.role === 'filter' && idCursor(asked.param.name, entity))
      marks[arg.op === 'gt' ? 'after' : 'before'] ??= name;
    const fact = arg.role === 'filter' && arg.op === 'eq' ? entity.columns.facts.get(arg.col ?? '') : undefined;
    const extra = beyond(fact?.column.enum, context.schemas.view(asked.param.schema).enum);
    if (extra.length > 0) wide.set(name, extra);
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
  const newest = newestOf(subject, { sort: seen.sorts, direction: seen.turns });
  const list: ListDraft = { scope, scopeArgs, wide, marks, ...(newest ? { newest } : {}) };
  return { draft: { ...draft, tool }, list: most === undefined ? list : { ...list, most } };
};
