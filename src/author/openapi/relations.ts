/** Lists of the same rows from elsewhere, and reads that follow a reference: `/issues/{id}/repository`. */
import type { Tool } from '../../artifacts/tool.js';
import { singular, snake } from '../../kit/words.js';
import { keyArg, toolText } from './args.js';
import type { Entity } from './entities.js';
import { type EntityIndex, parentOf } from './links.js';
import { identifier } from './names.js';
import { filterArg, keysArg } from './query.js';
import { NO_COLUMN, SAME } from './report.js';
import type { Schemas } from './schema.js';
import type { Sighting } from './sightings.js';

/** A path parameter narrows by a column that is not in the schema. */
const isVague = (entity: Entity, { narrow, op }: Sighting, schemas: Schemas): boolean => {
  const param = op.params.find((one) => one.in === 'path' && one.name === narrow);
  return !param || (keysArg(param, entity) ?? filterArg(param, entity, schemas)) === undefined;
};

/** Why a list is left out: no column holds its parent or what it narrows by, or the plain list says as much. */
export const whyNoList = (
  entity: Entity,
  sighting: Sighting,
  made: readonly { tool: Tool; sighting: Sighting }[],
  index: EntityIndex,
  schemas: Schemas,
): string | undefined => {
  if (sighting.narrow !== undefined)
    return isVague(entity, sighting, schemas) ? 'a list narrowed by a path parameter that no column holds' : undefined;
  if (sighting.place === entity.resource.home)
    return made.some(({ tool, sighting: other }) => tool.op === 'list' && other.place === sighting.place)
      ? SAME
      : undefined;
  // What is no resource of the document only names the caller's own place.
  if (parentOf(sighting, index) === undefined) return made.some(({ tool }) => tool.op === 'list') ? SAME : undefined;
  const named = [...sighting.parents].reverse().find((one) => entity.parents.has(one.place));
  const col = named && entity.parents.get(named.place);
  if (col === undefined) return NO_COLUMN;
  const narrowed = made.some(
    ({ tool }) => tool.op === 'list' && Object.values(tool.args).some((arg) => arg.col === col),
  );
  return narrowed ? SAME : undefined;
};

export interface Relation {
  sighting: Sighting;
  /** Column of the row whose part is read that names the row shown. */
  col: string;
  target: Entity;
}

/** The column that holds the reference; one is added, out of sight, where the schema shows none. */
const columnFor = (source: Entity, target: Entity, noun: string): string => {
  const facts = [...source.columns.facts.values()].filter(({ column }) => column.fk === target.name);
  const word = singular(snake(noun));
  const own = facts.find(({ name }) => name === word || name.startsWith(`${word}_`)) ?? facts[0];
  if (own) return own.name;
  return source.columns.add(`${word}_id`, { type: target.key.type, fk: target.name, hidden: true }, 'path');
};

/** Most references that are followed from one table. */
const MOST = 12;

/** Finds the rows that `related` operations show; those without a place to start from come back. */
export const linkRelations = (related: readonly Sighting[], index: EntityIndex): Sighting[] => {
  const left: Sighting[] = [];
  for (const sighting of related) {
    const source = sighting.owner?.place ? index.byPlace(sighting.owner.place) : undefined;
    const target = sighting.answer?.item.name === undefined ? undefined : index.bySchema(sighting.answer.item.name);
    // The drive of a drive's list is that drive: the way back is no relation.
    const isBack = source !== undefined && source === target && sighting.noun === source.resource.noun;
    if (sighting.kind !== 'get' || !source || !target || isBack || source.resource.single || target.resource.single) {
      left.push(sighting);
      continue;
    }
    const again = source.relations.find((one) => one.target === target && one.sighting.noun === sighting.noun);
    const distinct = new Set(source.relations.map(({ col }) => col)).size;
    if (again) source.relations.push({ ...again, sighting });
    else if (distinct < MOST)
      source.relations.push({ sighting, col: columnFor(source, target, sighting.noun), target });
    else left.push(sighting);
  }
  return left;
};

/** Reads a row, then the one it refers to; undefined when the other table is in another pack. */
export const relationTool = (
  entity: Entity,
  { sighting, col, target }: Relation,
  schemas: Schemas,
): Tool | undefined => {
  const key = keyArg(entity, sighting, schemas);
  if (!key || entity.columns.facts.get(col)?.column.fk !== target.name) return undefined;
  const name = identifier(key.wanted, 'id');
  const { noun } = entity.table;
  return {
    id: `${entity.name}.get_${identifier(sighting.noun, 'related', 30)}`,
    op: 'action',
    table: entity.name,
    description: toolText(sighting, target),
    args: { [name]: key.arg },
    steps: [
      {
        get: {
          table: entity.name,
          where: { [entity.columns.keyCol]: `$args.${name}` },
          as: 'start',
          else: { error: 'not_found', message: `There is no ${noun} {args.${name}}.`, field: name },
        },
      },
      {
        get: {
          table: target.name,
          where: { [target.columns.keyCol]: `$start.${col}` },
          as: 'found',
          else: { error: 'not_found', message: `The ${noun} has no ${target.table.noun}.`, field: name },
        },
      },
    ],
    returns: { row: 'found', table: target.name },
    errors: { invalid_argument: 422, not_found: 404 },
    reads: [...new Set([entity.name, target.name])],
    writes: [],
    provenance: { tier: 'spec', operation: sighting.op.label },
  };
};
