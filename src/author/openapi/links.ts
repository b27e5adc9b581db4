/** Foreign keys: objects that embed another entity, `xxx_id` columns, and the parents that nested paths name. */
import { singular, snake } from '../../kit/words.js';
import type { ColumnFact } from './columns.js';
import type { Entity } from './entities.js';
import type { ParentParam, Sighting } from './sightings.js';

const REFERENCE = /^(.+)_(id|uuid|guid|sid|uid|gid|key|number|no|code|ref|slug|name)$/;
const ANY_KEY = new Set(['id', 'uuid', 'guid', 'sid', 'uid', 'gid', 'ref']);
const PEOPLE = ['user', 'member', 'person', 'employee', 'agent', 'staff'];
const ROLES = new Set(
  'owner author creator created_by updated_by modified_by assignee assigned_to requester reviewer manager user approver submitter reporter sender recipient actor member'.split(
    ' ',
  ),
);

const typesMatch = (fact: ColumnFact, target: Entity): boolean => {
  const type = fact.column.type;
  return target.key.type === 'int' ? type === 'int' || type === 'number' : type === 'text';
};

export interface EntityIndex {
  bySchema(name: string): Entity | undefined;
  byNoun(noun: string): Entity | undefined;
  byPlace(place: string): Entity | undefined;
  /** By table name. */
  byName(name: string): Entity | undefined;
}

const depthOf = ({ resource }: Entity): number => resource.home.split('/').length;

export const indexOf = (entities: readonly Entity[]): EntityIndex => {
  const schemas = new Map<string, Entity>();
  const nouns = new Map<string, Entity>();
  const claims = new Map<string, Entity[]>();
  const places = new Map<string, Entity>();
  const names = new Map(entities.map((entity) => [entity.name, entity] as const));
  for (const entity of entities) {
    for (const alias of entity.resource.aliases) {
      const known = schemas.get(alias);
      const named = (one: Entity): boolean => snake(alias).endsWith(one.resource.noun);
      if (!known || (named(entity) && !named(known))) schemas.set(alias, entity);
    }
    const others = [entity.resource.noun, singular(snake(entity.resource.schema ?? ''))];
    for (const noun of new Set(others))
      if (noun && noun !== entity.name) claims.set(noun, [...(claims.get(noun) ?? []), entity]);
    nouns.set(entity.name, entity);
    for (const place of entity.resource.places) if (!places.has(place)) places.set(place, entity);
  }
  // A word that several tables could mean names none of them, unless one is at home at the top.
  for (const [noun, claimants] of claims) {
    const [first] = [...claimants].sort((a, b) => depthOf(a) - depthOf(b));
    const isClear =
      claimants.length === 1 || claimants.filter((one) => depthOf(one) === depthOf(first as Entity)).length === 1;
    if (first && isClear && !nouns.has(noun)) nouns.set(noun, first);
  }
  return {
    bySchema: (name) => schemas.get(name),
    byNoun: (noun) => nouns.get(noun),
    byPlace: (place) => places.get(place),
    byName: (name) => names.get(name),
  };
};

/** `billing_customer` -> the longest tail that is an entity. */
const byTail = (words: string, index: EntityIndex): Entity | undefined => {
  const parts = words.split('_');
  for (let at = 0; at < parts.length; at++) {
    const found = index.byNoun(singular(parts.slice(at).join('_')));
    if (found) return found;
  }
  return undefined;
};

const byRole = (words: string, index: EntityIndex): Entity | undefined =>
  ROLES.has(words) ? PEOPLE.map((noun) => index.byNoun(noun)).find((entity) => entity !== undefined) : undefined;

/** Words by which a row speaks of another row of its own kind. */
const KIN =
  /parent|source|origin|template|root|fork|repl|previous|next|duplicate|linked|related|child|successor|predecessor|merged|cloned|copied|master|manager|owner|referr|sibling/;

const targetOf = (entity: Entity, fact: ColumnFact, index: EntityIndex): Entity | undefined => {
  const { field } = fact;
  if (field.embeds !== undefined) {
    const target = index.bySchema(field.embeds);
    return target === entity && !KIN.test(snake(field.path[0] ?? '')) ? undefined : target;
  }
  if (field.enum || fact.column.type === 'json') return undefined;
  const named = REFERENCE.exec(fact.name);
  if (named) {
    const [, words = '', suffix = ''] = named;
    if (words === 'parent') return entity;
    const found = byTail(words, index) ?? (ANY_KEY.has(suffix) ? byRole(words, index) : undefined);
    // `task.task_id` is a task's own id under another name; `forked_task_id` is another task.
    if (!found || (found === entity && !KIN.test(words))) return undefined;
    return ANY_KEY.has(suffix) || found.columns.keyCol.split('_').at(-1) === suffix ? found : undefined;
  }
  const whole = index.byNoun(fact.name);
  return whole && whole !== entity && /\b(id|identifier|uuid|key|sid)\b/i.test(field.description ?? '')
    ? whole
    : undefined;
};

/** Sets `fk` wherever a column surely names a row of another entity. */
export const linkColumns = (entities: readonly Entity[], index: EntityIndex): void => {
  for (const entity of entities)
    for (const fact of entity.columns.facts.values()) {
      if (fact.name === entity.columns.keyCol || fact.column.fk !== undefined) continue;
      const target = targetOf(entity, fact, index);
      if (!target || !typesMatch(fact, target)) continue;
      fact.column = { ...fact.column, type: target.key.type, fk: target.name };
      for (const rule of ['min', 'max', 'pattern', 'format', 'maxLength', 'enum', 'default'] as const)
        delete fact.column[rule];
    }
};

/** The key of a part is that of the row it belongs to. */
export const linkParts = (entities: readonly Entity[], index: EntityIndex): void => {
  for (const entity of entities) {
    const { single, owner } = entity.resource;
    const target = single === 'part' && owner?.place ? index.byPlace(owner.place) : undefined;
    const fact = entity.columns.facts.get(entity.columns.keyCol);
    if (!target || !fact || target === entity || target.resource.single) continue;
    entity.key = { ...entity.key, type: target.key.type };
    fact.column = { ...fact.column, type: target.key.type, fk: target.name };
  }
};

/** The nearest parent of a nested collection that is an entity. */
export const parentOf = (sighting: Sighting, index: EntityIndex): { parent: Entity; at: ParentParam } | undefined => {
  for (const at of [...sighting.parents].reverse()) {
    const parent = at.place ? (index.byPlace(at.place) ?? undefined) : undefined;
    if (parent) return { parent, at };
  }
  return undefined;
};

const columnTo = (entity: Entity, parent: Entity, at: ParentParam): string | undefined => {
  const facts = [...entity.columns.facts.values()].filter((fact) => fact.column.fk === parent.name);
  const wanted = [snake(at.param), `${singular(snake(at.noun))}_id`, `${parent.name}_id`, parent.name];
  const named = facts.find((fact) => wanted.includes(fact.name) || wanted.some((word) => fact.name.startsWith(word)));
  return (named ?? (entity.name === parent.name ? undefined : facts[0]))?.name;
};

/** Parents that a table may get besides its own place's. */
const MOST_RELATIONS = 12;

/** The same rows listed, or made, under another thing: a relation that no column of the schema holds. */
const isListing = ({ kind }: Sighting, entity: Entity): boolean =>
  (kind === 'list' || kind === 'create') && entity.parents.size < MOST_RELATIONS;

/** Gives every nested collection the column its path parameter stands for, hidden where the schema does not show it. */
export const linkParents = (entities: readonly Entity[], index: EntityIndex): void => {
  for (const entity of entities)
    for (const sighting of entity.resource.sightings) {
      const found = parentOf(sighting, index);
      if (!found || entity.parents.has(found.at.place)) continue;
      const { parent, at } = found;
      let column = columnTo(entity, parent, at);
      const elsewhere = sighting.place !== entity.resource.home;
      if (column === undefined && parent === entity && elsewhere && isListing(sighting, entity))
        column = entity.columns.add(
          `parent_${entity.name}_id`,
          { type: entity.key.type, fk: entity.name, hidden: true },
          'path',
        );
      if (column === undefined && parent !== entity && (!elsewhere || isListing(sighting, entity))) {
        const nested =
          !elsewhere &&
          entity.resource.sightings
            .filter(({ kind }) => kind === 'create')
            .every(({ place }) => place === sighting.place);
        column = entity.columns.add(
          `${parent.name}_id`,
          { type: parent.key.type, fk: parent.name, hidden: true, ...(nested ? { required: true as const } : {}) },
          'path',
        );
      }
      if (column !== undefined) entity.parents.set(at.place, column);
    }
};
