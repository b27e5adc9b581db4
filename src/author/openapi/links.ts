/** Foreign keys: objects that embed another entity, `xxx_id` columns, and the parents that nested paths name. */
import { singular, snake } from '../../kit/words.js';
import type { ColumnFact } from './columns.js';
import type { Entity } from './entities.js';
import { wrapperWords } from './keys.js';
import type { Resource } from './resources.js';
import type { ParentParam, Sighting } from './sightings.js';

const REFERENCE = /^(.+)_(id|uuid|guid|sid|uid|gid|key|number|no|code|ref|slug|name)$/;
const ANY_KEY = new Set(['id', 'uuid', 'guid', 'sid', 'uid', 'gid', 'ref']);
const PEOPLE = ['user', 'member', 'person', 'employee', 'agent', 'staff'];
const ROLES = new Set(
  'owner author creator created_by updated_by modified_by assignee assigned_to requester reviewer manager user approver submitter reporter sender recipient actor member'.split(
    ' ',
  ),
);

/** How an example of a key is written; two keys of one kind are written alike. */
const shapeOf = (example: unknown): string | undefined => {
  if (typeof example !== 'string' || example === '' || /^string$/i.test(example)) return undefined;
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(example)) return 'uuid';
  if (/^https?:\/\//i.test(example)) return 'url';
  return /^arn:/.test(example) ? 'arn' : /^\d+$/.test(example) ? 'digits' : 'text';
};

const FORMATS = /^(uuid|guid|uri|url|email|date|date-time|ipv4|ipv6|hostname|binary|byte|password|arn)$/;

/** The column could hold such a key: its type, its format, its example and its length say nothing else. */
const typesMatch = ({ column, field }: ColumnFact, target: Entity): boolean => {
  const { type, field: own } = target.key;
  if (type === 'int' ? column.type !== 'int' && column.type !== 'number' : column.type !== 'text') return false;
  const [format, ours] = [field.format, own?.format].map((one) => (one && FORMATS.test(one) ? one : undefined));
  if (format !== undefined && format !== ours && (ours !== undefined || own === undefined || format !== 'uuid'))
    return false;
  const [shape, key] = [shapeOf(field.example), shapeOf(own?.example)];
  if (shape !== undefined && key !== undefined && shape !== key && (shape !== 'text' || key !== 'digits')) return false;
  return field.maxLength === undefined || own?.format !== 'uuid' || field.maxLength >= 32;
};

/** `/changelog/organization/{organizationId}` lists what an organization has, not organizations. */
const listsOthers = ({ sightings, noun }: Resource): boolean =>
  sightings.some(
    ({ kind, narrow }) => kind === 'list' && narrow !== undefined && snake(narrow).replace(REFERENCE, '$1') === noun,
  );

/** A row that is named from elsewhere has a key of its own that calls show. */
const isNamed = ({ resource, key }: Entity): boolean => !resource.single && !key.hidden && !listsOthers(resource);

/**
 * The column holds the target's key, not another of its identifiers: a target with an id beside its key is named by that id, and an
 * object that stands for a row shows the row's key under the key's name.
 */
const holdsKey = ({ name, field }: ColumnFact, suffix: string, { columns, key }: Entity): boolean => {
  const ends = (one: string): boolean => one === suffix || one.endsWith(`_${suffix}`);
  if (ends(columns.keyCol) || ends(snake(key.property))) return true;
  const isPart = field.path.length > 1 && snake(field.path.at(-1) as string) === suffix;
  const hasOther = [suffix, name].some((one) => columns.facts.has(one));
  return !isPart && !hasOther;
};

/** `schema` keyed by `endpoint_arn` shows endpoints of which it tells something: no `schema_id` is among them. */
const keyedByOther = ({ columns: { keyCol }, resource: { noun, schema }, name }: Entity, column: string): boolean => {
  const word = /^(.+)_(?:id|uuid|guid|sid|uid|gid|arn|key|ref)$/.exec(keyCol)?.[1];
  if (word === undefined || column === keyCol) return false;
  const own = `${noun}_${name}_${snake(schema ?? '')}`.split('_').map(singular);
  return !word.split('_').some((one) => own.includes(singular(one)));
};

const tailOf = (words: string): string => words.split('_').at(-1) as string;

/** The property or its schema is named after the table: else a schema that stands for many things says nothing of which. */
const speaksOf = (target: Entity, ...names: (string | undefined)[]): boolean =>
  names.some((name) => {
    const words = snake(name ?? '')
      .split('_')
      .map(singular);
    return words.includes(tailOf(target.resource.noun)) || words.includes(tailOf(target.name));
  });

/** `adminOverride` is no `producer_override`: both say which kind of override they are. */
const isCousin = ({ resource: { noun } }: Entity, property = ''): boolean => {
  const [own, said] = [noun, singular(snake(property))].map((words) => words.split('_'));
  if (!own || !said || own.length < 2 || said.length < 2 || own.at(-1) !== said.at(-1)) return false;
  return !said.some((word) => own.slice(0, -1).includes(word)) && !said.slice(0, -1).every((word) => WHICH.has(word));
};

export interface EntityIndex {
  bySchema(name: string): Entity | undefined;
  byNoun(noun: string): Entity | undefined;
  byPlace(place: string): Entity | undefined;
  /** By table name. */
  byName(name: string): Entity | undefined;
}

/** `channel`, where calls name conversations so and answers wrap them in it. */
const calledBy = (resource: Resource): string[] => {
  const calls = resource.sightings.filter(({ keyElsewhere }) => keyElsewhere);
  return wrapperWords(resource).filter((word) =>
    calls.some(
      ({ op, body }) =>
        op.params.some(({ in: where, name }) => where === 'query' && snake(name) === word) ||
        [...(body?.item.properties.keys() ?? [])].some((name) => snake(name) === word),
    ),
  );
};

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
    const others = [entity.resource.noun, singular(snake(entity.resource.schema ?? '')), ...calledBy(entity.resource)];
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

/** Words that say which one of a kind a column means; before any other word the column may speak of something else. */
const WHICH = new Set(
  `parent source target destination default primary secondary main billing shipping delivery invoice payment original
  related linked current previous next prior first last latest new old from to owner owning owned created updated
  modified assigned assignee requested requesting requester approved approver sender sending receiver receiving
  recipient home own internal associated attached referenced selected preferred active root base initial final
  origin origination master child sub duplicate replacement replaced merged copied cloned template forked inviting invited
  managing manager responsible reporting creator author bill ship sold paid in on by for of with the this my your a`.split(
    /\s+/,
  ),
);

/** `billing_customer` -> customer: the longest tail that is an entity, when what is before it only says which one. */
const byTail = (words: string, index: EntityIndex): Entity | undefined => {
  const parts = words.split('_');
  for (let at = 0; at < parts.length; at++) {
    const found = index.byNoun(singular(parts.slice(at).join('_')));
    if (found) return parts.slice(0, at).every((word) => WHICH.has(word)) ? found : undefined;
  }
  return undefined;
};

/** A fleet's member is a member of that fleet alone, while any user may own a thing. */
const isWithin = ({ resource: { noun, home } }: Entity): boolean =>
  /member|agent|staff/.test(noun) && home.includes('{}/');

const byRole = (words: string, index: EntityIndex): Entity | undefined =>
  ROLES.has(words) ? PEOPLE.map((noun) => index.byNoun(noun)).find((one) => one && !isWithin(one)) : undefined;

/** Words by which a row speaks of another row of its own kind. */
const KIN =
  /parent|source|origin|template|root|fork|repl|previous|next|duplicate|linked|related|child|successor|predecessor|merged|cloned|copied|master|manager|owner|referr|sibling/;

const targetOf = (entity: Entity, fact: ColumnFact, index: EntityIndex): Entity | undefined => {
  const { field } = fact;
  if (field.embeds !== undefined) {
    const target = index.bySchema(field.embeds);
    const names = field.path.slice(0, -1);
    if (!target || !speaksOf(target, field.embeds, ...names) || isCousin(target, names.at(-1))) return undefined;
    return target === entity && !KIN.test(snake(field.path[0] ?? '')) ? undefined : target;
  }
  if (field.enum || fact.column.type === 'json') return undefined;
  const named = REFERENCE.exec(fact.name);
  if (named) {
    const [, words = '', suffix = ''] = named;
    if (words === 'parent') return entity;
    const outer = entity.resource.sightings
      .flatMap(({ parents }) => parents)
      .find(({ param }) => snake(param) === fact.name);
    if (outer?.place) return index.byPlace(outer.place);
    const found = byTail(words, index) ?? (ANY_KEY.has(suffix) ? byRole(words, index) : undefined);
    // `task.task_id` is a task's own id under another name; `forked_task_id` is another task.
    if (!found || (found === entity && !KIN.test(words))) return undefined;
    const fits = ANY_KEY.has(suffix) || found.columns.keyCol.split('_').at(-1) === suffix;
    return fits && holdsKey(fact, suffix, found) && !keyedByOther(found, fact.name) ? found : undefined;
  }
  const whole = index.byNoun(fact.name);
  const suffix = /\b(id|identifier|uuid|key|sid)\b/i.exec(field.description ?? '')?.[1]?.toLowerCase();
  if (!whole || whole === entity || suffix === undefined) return undefined;
  return holdsKey(fact, suffix === 'identifier' ? 'id' : suffix, whole) ? whole : undefined;
};

/** Sets `fk` wherever a column surely names a row of another entity. */
export const linkColumns = (entities: readonly Entity[], index: EntityIndex): void => {
  for (const entity of entities)
    for (const fact of entity.columns.facts.values()) {
      if (fact.name === entity.columns.keyCol || fact.column.fk !== undefined) continue;
      const target = targetOf(entity, fact, index);
      if (!target || !isNamed(target) || !typesMatch(fact, target)) continue;
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

/** Under a row of its own kind stand its children, not what a call makes of that very row. */
const isChild = ({ noun, answer }: Sighting, entity: Entity): boolean =>
  answer?.many === true || singular(snake(noun)) === entity.resource.noun;

/** Gives every nested collection the column its path parameter stands for, hidden where the schema does not show it. */
export const linkParents = (entities: readonly Entity[], index: EntityIndex): void => {
  for (const entity of entities)
    for (const sighting of entity.resource.sightings) {
      const found = parentOf(sighting, index);
      if (!found || entity.parents.has(found.at.place)) continue;
      const { parent, at } = found;
      let column = columnTo(entity, parent, at);
      const elsewhere = sighting.place !== entity.resource.home;
      if (
        column === undefined &&
        parent === entity &&
        elsewhere &&
        isListing(sighting, entity) &&
        isChild(sighting, entity)
      )
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
