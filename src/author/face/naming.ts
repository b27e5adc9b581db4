/** The column that a path parameter names a row by: the key, or another of its own where calls differ (`/teams/{team_id}`, `.../{team_slug}`). */
import type { ColumnType } from '../../artifacts/table.js';
import { singular, snake } from '../../kit/words.js';
import type { Entity } from '../openapi/entities.js';
import { commonKeyParam } from '../openapi/keys.js';
import type { Schemas } from '../openapi/schema.js';

const ID = /^(id|uuid|guid|sid|number|slug|key|name|login|username|email|code|handle|ref|reference)$/;

export const namingColumn = (entity: Entity, param: string, noun: string): string => {
  const { keyCol, facts } = entity.columns;
  if (entity.resource.single || param === commonKeyParam(entity.resource)) return keyCol;
  const wanted = snake(param.replace(/^.*\./, ''));
  const nouns = [entity.resource.noun, entity.resource.noun.split('_').at(-1) as string, singular(snake(noun))];
  const bare = nouns.flatMap((word) => (wanted.startsWith(`${word}_`) ? [wanted.slice(word.length + 1)] : []));
  for (const name of [wanted, ...bare]) {
    const fact = facts.get(name);
    if (name === keyCol) return keyCol;
    const fits = fact?.from === 'answer' && !fact.column.hidden && fact.column.fk === undefined && !fact.column.enum;
    if (fits && ID.test(name) && (fact.column.type === 'text' || fact.column.type === 'int')) return name;
  }
  return keyCol;
};

/** Text keys that paths have as numbers are made of digits. */
export const digits = (entity: Entity, schemas: Schemas): void => {
  const names = entity.resource.sightings.flatMap(({ keyParam, op }) =>
    op.params.filter((param) => param.in === 'path' && param.name === keyParam),
  );
  const isNumber = names.some(
    ({ schema, name }) =>
      schemas.view(schema).types.has('integer') && namingColumn(entity, name, '') === entity.columns.keyCol,
  );
  if (isNumber && entity.key.type === 'text') entity.key = { ...entity.key, asNumber: true };
};

/** Numbers that name rows beside their keys are given out by the service, as keys are. */
export const numbered = (entity: Entity): void => {
  const { keyCol, facts, bodies } = entity.columns;
  const written = new Set([...bodies.values()].flatMap((fields) => fields.map(({ col }) => col)));
  const fact = facts.get('id');
  if (!fact || keyCol === 'id' || written.has('id') || fact.column.type !== 'int' || fact.column.fk) return;
  fact.column = { ...fact.column, auto: 'number', required: true };
};

export const columnType = (entity: Entity, col: string): ColumnType =>
  col === entity.columns.keyCol ? entity.key.type : (entity.columns.facts.get(col)?.column.type ?? 'text');
