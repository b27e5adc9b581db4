/** Resources that can hold state become entities: typed, readable, keyed. Names their tables and finds what each is part of. */
import type { Table } from '../../artifacts/table.js';
import { plural, singular, snake, spaced } from '../../kit/words.js';
import { type Columns, columnsOf, isWritten } from './columns.js';
import type { FieldContext } from './fields.js';
import { type FoundKey, findKey } from './keys.js';
import type { Membership } from './memberships.js';
import { identifier, unique } from './names.js';
import { isPlumbing } from './paths.js';
import type { Relation } from './relations.js';
import { UNREAD } from './report.js';
import type { Resource } from './resources.js';
import type { Schemas } from './schema.js';

export interface Entity {
  resource: Resource;
  /** Table name. */
  name: string;
  table: Table;
  key: FoundKey;
  columns: Columns;
  /** Other words that calls name a row by. */
  aliases?: readonly string[];
  /** Column that holds the parent's key, by the parent collection's template. */
  parents: Map<string, string>;
  /** Reads of other rows through a reference of its own. */
  relations: Relation[];
  /** Rows of others that are linked to its own. */
  memberships: Membership[];
}

const MIN_COLUMNS = 2;
const READS = new Set(['get', 'list', 'search']);
const WRITES = new Set(['create', 'update']);

/** Why a resource cannot be a table; undefined when it can. */
const unfit = (resource: Resource, every: boolean): string | undefined => {
  if (!every && !resource.sightings.some(({ kind }) => READS.has(kind))) return UNREAD;
  const described =
    resource.views.length > 0 ||
    resource.sightings.some(({ op, body, kind }) => WRITES.has(kind) && (body || op.params.some(isWritten)));
  return described ? undefined : 'no schema says what this resource looks like';
};

/** Words too general to name a thing alone. */
const VAGUE = new Set(
  'item data object record result value element entry resource thing detail info content body list child attribute property field'.split(
    ' ',
  ),
);

/** The collection that a nested one hangs under. */
const parentNoun = (resource: Resource): string | undefined => {
  const parts = resource.home.split('/').filter(Boolean);
  const at = parts.lastIndexOf('{}');
  const above = at > 0 ? (parts[at - 1] as string) : '{}';
  return above === '{}' || isPlumbing(above) ? undefined : singular(snake(above));
};

/** The static segment right before a collection, which tells two of one name apart: `/paymentaudit/payouts`. */
const sectionOf = (resource: Resource): string | undefined => {
  const before = resource.home.split('/').filter(Boolean).at(-2);
  return before === undefined || before === '{}' || isPlumbing(before) ? undefined : singular(snake(before));
};

const nounOf = (resource: Resource): string => {
  const word = resource.noun;
  const above = parentNoun(resource);
  if (VAGUE.has(word) && above !== undefined && !VAGUE.has(above)) return `${above}_${word}`;
  if (word.length > 1 && !VAGUE.has(word) && !/^n?_?\d/.test(word)) return word;
  const schema = snake((resource.schema ?? '').replace(/(Response|Dto|DTO|Model|Entity|Resource|Schema|Object)$/, ''));
  return singular(schema.split('_').slice(-3).join('_')) || word;
};

export interface EntityFinding {
  entities: Entity[];
  rejected: { resource: Resource; why: string }[];
  context: FieldContext;
}

export const entitiesOf = (resources: readonly Resource[], schemas: Schemas, every = false): EntityFinding => {
  const rejected: { resource: Resource; why: string }[] = [];
  const fit: { resource: Resource; key: FoundKey }[] = [];
  for (const resource of resources) {
    const why = unfit(resource, every);
    const key = why === undefined ? findKey(resource, schemas, every) : undefined;
    if (why !== undefined) rejected.push({ resource, why });
    else if (!key) rejected.push({ resource, why: 'no property or path parameter keys its rows' });
    else fit.push({ resource, key });
  }
  const keyBySchema = new Map<string, string>();
  for (const { resource, key } of fit)
    if (!key.synthetic)
      for (const alias of resource.aliases) if (!keyBySchema.has(alias)) keyBySchema.set(alias, key.property);
  const context: FieldContext = {
    schemas,
    entityKey: (name) => keyBySchema.get(name),
    leaveEntityLists: !every,
    every,
  };

  const entities: Entity[] = [];
  const taken = new Set<string>();
  const nouns = new Map<string, number>();
  for (const { resource } of fit) nouns.set(nounOf(resource), (nouns.get(nounOf(resource)) ?? 0) + 1);
  for (const { resource, key } of fit) {
    const columns = columnsOf(resource, key, context);
    // What a tag hangs on is asked for and never shown.
    if (resource.sightings.some(({ tag }) => tag))
      for (const fact of columns.facts.values()) if (fact.from === 'body') fact.column.hidden = true;
    // A row without a property of its own still says that it is there, and what it hangs under.
    if (columns.facts.size < (key.hidden ? MIN_COLUMNS : 1)) {
      rejected.push({ resource, why: 'its schema has no properties besides the key' });
      continue;
    }
    const word = nounOf(resource);
    const above = parentNoun(resource);
    const lead = taken.has(word) || above !== undefined ? (above ?? sectionOf(resource)) : undefined;
    const clashes = (nouns.get(word) ?? 0) > 1 && lead !== undefined && !word.startsWith(lead);
    // `/admin_user` beside `/user`.
    const whole = resource.home.split('/').at(-1) ?? '';
    const isLonger = (nouns.get(word) ?? 0) > 1 && whole.endsWith(`_${word}`);
    const wanted = identifier(isLonger ? whole : clashes ? `${lead}_${word}` : word, 'thing');
    const name = unique(wanted, taken);
    // Two tables may hold things of one name: nobody says `user 2`.
    const noun = spaced(every ? wanted : name);
    const table: Table = { noun, plural: plural(noun), key: { col: columns.keyCol }, cols: {} };
    entities.push({ resource, name, table, key, columns, parents: new Map(), relations: [], memberships: [] });
  }
  return { entities, rejected, context };
};
