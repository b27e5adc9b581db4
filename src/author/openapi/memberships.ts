/** Link tables: who is a member of what, listed, added and taken out from the side of the owner. */
import type { Step } from '../../artifacts/step.js';
import type { Table } from '../../artifacts/table.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import { plural, singular, snake, spaced } from '../../kit/words.js';
import { toolText } from './args.js';
import type { Entity } from './entities.js';
import { envelopeOf } from './envelope.js';
import { scalarField } from './fields.js';
import { type LinkGroup, namesRow } from './linking.js';
import type { EntityIndex } from './links.js';
import { identifier, propertyName } from './names.js';
import type { Schemas } from './schema.js';
import type { Sighting } from './sightings.js';

export interface Membership {
  owner: Entity;
  target: Entity;
  /** Name of the link table, its noun from the path: `team_member`. */
  table: string;
  noun: string;
  group: LinkGroup;
}

/** Most link tables of one owner. */
const MOST = 6;
const MOST_LISTED = 100;
export const OWNER = 'owner_key';
export const TARGET = 'linked_key';

/** Gives owners their memberships; sightings of those that cannot be kept come back. */
export const linkMemberships = (groups: readonly LinkGroup[], index: EntityIndex): Sighting[] => {
  const left: Sighting[] = [];
  for (const group of groups) {
    const owner = index.byPlace(group.owner.place);
    const target = index.byPlace(group.home);
    const fits = owner && target && owner !== target && !owner.resource.single && !target.resource.single;
    const table = owner && identifier(`${owner.name}_${group.noun}_link`, 'link', 60);
    const again = owner?.memberships.find((one) => one.table === table);
    if (
      !fits ||
      table === undefined ||
      (again && again.target !== target) ||
      (!again && owner.memberships.length >= MOST)
    )
      left.push(...group.sightings);
    else if (again) again.group.sightings.push(...group.sightings);
    else
      owner.memberships.push({
        owner,
        target,
        table,
        noun: group.noun,
        group: { ...group, sightings: [...group.sightings] },
      });
  }
  return left;
};

/** One row a pair; its key is never shown. */
export const linkTable = ({ owner, target, noun }: Membership): Table => ({
  noun: spaced(`${owner.name}_${noun}`),
  plural: spaced(plural(`${owner.name}_${noun}`)),
  key: { col: 'id', gen: { style: 'hex', length: 20 } },
  cols: {
    id: { type: 'text', required: true },
    [OWNER]: { type: owner.key.type, fk: owner.name, required: true },
    [TARGET]: { type: target.key.type, fk: target.name, required: true },
  },
  unique: [[OWNER, TARGET]],
});

interface Named {
  name: string;
  arg: Arg;
}

const named = (entity: Entity, wanted: string, field: string, taken: string): Named => {
  const name = identifier(wanted, 'id');
  return {
    name: name === taken ? `${name}_2` : name,
    arg: {
      type: entity.key.type,
      role: 'input',
      ref: entity.name,
      required: true,
      field,
      description: `Names the ${entity.table.noun}.`,
    },
  };
};

/** Where the call names the other row: in its path, or in a body field, of which a list takes one row a call. */
const targetArg = (
  { target, noun }: Membership,
  { keyParam, body }: Sighting,
  taken: string,
  schemas: Schemas,
): { found: Named; many: boolean } | undefined => {
  if (keyParam !== undefined)
    return { found: named(target, snake(keyParam), propertyName(keyParam), taken), many: false };
  const nouns = [
    noun,
    target.resource.noun,
    ...[noun, target.resource.noun].map((one) => one.split('_').at(-1) as string),
  ];
  for (const [name, raw] of body?.item.properties ?? []) {
    const view = schemas.view(raw);
    const many = view.types.has('array');
    const field = scalarField(name, many ? view.items : raw, true, schemas);
    if (
      !namesRow(name, nouns) ||
      !field ||
      field.type === 'json' ||
      schemas.view(many ? view.items : raw).properties.size > 0
    )
      continue;
    const one = many ? singular(propertyName(name)).replace(/(id)s$/i, '$1') : propertyName(name);
    return { found: named(target, snake(one), one, taken), many };
  }
  return undefined;
};

const there = (entity: Entity, { name }: Named, as: string): Step => ({
  get: {
    table: entity.name,
    where: { [entity.columns.keyCol]: `$args.${name}` },
    as,
    else: { error: 'not_found', message: `There is no ${entity.table.noun} {args.${name}}.`, field: name },
  },
});

const verbFor = ({ kind, keyParam }: Sighting): 'list' | 'check' | 'add' | 'remove' => {
  if (kind === 'list' || kind === 'search') return 'list';
  if (kind === 'get') return 'check';
  return kind === 'delete' && keyParam !== undefined ? 'remove' : 'add';
};

/** The tool of one operation of a membership; a string is the reason why there is none. */
export const memberTool = (membership: Membership, sighting: Sighting, schemas: Schemas): Tool | string => {
  const { owner, target, table, noun, group } = membership;
  const at =
    sighting.parents.findLast(({ place }) => place === group.owner.place) ??
    sighting.parents.findLast(({ place }) => place !== '');
  if (!at) return 'nothing in the call names the row';
  const verb = verbFor(sighting);
  const whose = named(owner, snake(at.param.replace(/^.*\./, '')), propertyName(at.param), '');
  const other = verb === 'list' ? undefined : targetArg(membership, sighting, whose.name, schemas);
  if (verb !== 'list' && !other) return 'nothing in the call names the row';
  const which = other?.found;
  const pair = { [OWNER]: `$owned.${owner.columns.keyCol}`, [TARGET]: which ? `$args.${which.name}` : '' };
  const missing = {
    error: 'not_found',
    message: `The ${target.table.noun}${which ? ` {args.${which.name}}` : ''} is not one of them.`,
    ...(which ? { field: which.name } : {}),
  };
  const link: Step = { get: { table, where: pair, as: 'link', else: missing } };
  const row: Step = { get: { table: target.name, where: { [target.columns.keyCol]: `$link.${TARGET}` }, as: 'found' } };
  const shown = sighting.answer !== undefined && sighting.answer.item.name === target.resource.schema;
  const one = shown && !sighting.answer?.many;
  const envelope =
    sighting.answer && (verb === 'list' || one)
      ? envelopeOf(sighting.answer, verb === 'list' ? '$rows' : '$fields', schemas)
      : undefined;
  const outside = envelope === undefined ? {} : { envelope };
  const steps: Record<typeof verb, Step[]> = {
    list: [
      {
        find: {
          table,
          where: [{ col: OWNER, op: 'eq', value: pair[OWNER] as string }],
          limit: MOST_LISTED,
          as: 'links',
        },
      },
      {
        find: {
          table: target.name,
          where: [{ col: target.columns.keyCol, op: 'in', value: `links.map(link, link.${TARGET})` }],
          limit: MOST_LISTED,
          as: 'found',
          ...(JSON.stringify(envelope ?? null).includes('$total') ? { total: 'total' } : {}),
        },
      },
    ],
    check: [link, ...(one ? [row] : [])],
    add: [
      ...(which ? [there(target, which, 'found')] : []),
      {
        find: {
          table,
          where: Object.entries(pair).map(([col, value]) => ({ col, op: 'eq' as const, value })),
          limit: 1,
          as: 'links',
        },
      },
      { if: { that: 'size(links) == 0', do: [{ insert: { table, set: pair } }] } },
    ],
    remove: [link, { delete: { table, where: { id: '$link.id' } } }],
  };
  const returns: Record<typeof verb, Tool['returns']> = {
    list: { rows: 'found', table: target.name, ...outside },
    check: one ? { row: 'found', table: target.name, ...outside } : { value: { found: true } },
    add: one ? { row: 'found', table: target.name, ...outside } : { done: true },
    remove: { done: true },
  };
  const read = verb === 'list' || verb === 'add' || (verb === 'check' && one);
  return {
    id: `${owner.name}.${verb}_${identifier(noun, 'linked', 30)}`,
    op: 'action',
    table: owner.name,
    description: toolText(sighting, target),
    args: { [whose.name]: whose.arg, ...(which ? { [which.name]: which.arg } : {}) },
    steps: [there(owner, whose, 'owned'), ...steps[verb]],
    returns: returns[verb],
    errors: { invalid_argument: 422, not_found: 404 },
    reads: [...new Set([owner.name, table, ...(read ? [target.name] : [])])],
    writes: verb === 'add' ? [{ table, insert: true }] : verb === 'remove' ? [{ table, delete: true }] : [],
    provenance: {
      tier: 'spec',
      operation: sighting.op.label,
      ...(other?.many ? { note: 'one row a call, where the document takes a list' } : {}),
    },
  };
};
