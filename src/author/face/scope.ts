/** The rows that a nested path names on its way: each must be there and belong to the one before it. */
import type { Step, Value } from '../../artifacts/step.js';
import { singular, snake } from '../../kit/words.js';
import type { Entity } from '../openapi/entities.js';
import type { ParentParam } from '../openapi/sightings.js';
import { describedParam, paramType, type Subject } from './draft.js';
import { keyFrom } from './fit.js';
import { addInput, type Inputs } from './inputs.js';
import { namingColumn } from './naming.js';

export interface Scope {
  /** Look up the parents, outermost first. */
  steps: Step[];
  /** Columns of the entity's own rows that the path fixes, with their values. */
  held: Record<string, Value>;
  reads: Set<string>;
}

const isLinked = (entity: Entity, col: string, parent: Entity): boolean =>
  entity.columns.facts.get(col)?.column.fk === parent.name;

/** Column of `entity` that holds the key of the parent at `at`. */
const columnTo = (entity: Entity, parent: Entity, at: ParentParam): string | undefined => {
  const wanted = [entity.parents.get(at.place), snake(at.param), `${singular(snake(at.noun))}_id`];
  return wanted.find((name) => name !== undefined && isLinked(entity, name, parent));
};

/** The column by which rows of `entity` hang under `parent`, where nested paths say so. */
const hangsBy = (entity: Entity, parent: Entity): string | undefined =>
  [...entity.parents.values()].find((col) => col !== entity.columns.keyCol && isLinked(entity, col, parent));

/** A parameter that names no row of the document: a column of its name is filled with it at creation. */
const columnNamed = (entity: Entity, param: string): string | undefined => {
  const name = snake(param);
  const fact = entity.columns.facts.get(name);
  const isPlain = fact !== undefined && fact.column.fk === undefined && name !== entity.columns.keyCol;
  return isPlain && fact.column.type === 'text' && !fact.column.enum ? name : undefined;
};

/** Adds the arguments of all parents that the path names; one that names no row of the document is read by `create` alone. */
export const scopeOf = (inputs: Inputs, subject: Subject, use: 'read' | 'create'): Scope => {
  const { entity, sighting, context } = subject;
  const scope: Scope = { steps: [], held: {}, reads: new Set() };
  let above: { entity: Entity; value: Value } | undefined;
  for (const at of sighting.parents) {
    const param = sighting.op.params.find((one) => one.in === 'path' && one.name === at.param);
    if (!param) continue;
    const parent = at.place === '' ? undefined : context.index.byPlace(at.place);
    const origin = { in: 'path', name: at.param } as const;
    const about = { role: 'input', required: true, ...describedParam(param) } as const;
    if (!parent || parent.resource.single || parent.key.hidden) {
      const col = use === 'create' ? columnNamed(entity, at.param) : undefined;
      if (col === undefined || scope.held[col] !== undefined) continue;
      scope.held[col] = `$args.${addInput(inputs, snake(at.param), { type: 'text', col, ...about }, origin)}`;
      continue;
    }
    const col = columnTo(entity, parent, at);
    const type = paramType(param, context);
    const arg = addInput(inputs, snake(at.param), { type, ref: parent.name, ...about }, origin);
    const by = namingColumn(parent, at.param, at.noun);
    const named = keyFrom(arg, type, parent, by);
    const { keyCol } = parent.columns;
    const where: Record<string, Value> = { [by]: named.value };
    const up = above && hangsBy(parent, above.entity);
    if (above && up !== undefined) where[up] = above.value;
    const message = `There is no ${parent.table.noun} {args.${arg}}.`;
    const as = `above_${scope.reads.size + 1}`;
    const missing = { error: 'not_found', message, field: arg };
    const value = by === keyCol ? named.value : `$${as}.${keyCol}`;
    scope.steps.push(...named.steps, { get: { table: parent.name, where, as, else: missing } });
    scope.reads.add(parent.name);
    if (col !== undefined) scope.held[col] = value;
    above = { entity: parent, value };
  }
  return scope;
};
