/** Nested places that only link rows of two resources: members of a team, labels of an issue, repositories of a secret. */
import { isNode } from '../../document/node.js';
import { singular, snake, wordsOf } from '../../kit/words.js';
import { type Group, hasItems, speaksOf } from './groups.js';
import type { ParentParam, Sighting } from './sightings.js';
import type { OperationKind } from './types.js';

export interface LinkGroup {
  place: string;
  noun: string;
  /** Whose rows are linked. */
  owner: ParentParam;
  /** Place where the linked rows are at home. */
  home: string;
  sightings: Sighting[];
}

const READ = new Set<OperationKind>(['get', 'list', 'search', 'action']);
const TAKES_OUT =
  /^(remove|unassign|detach|unlink|disassociate|dissociate|leave|unfollow|unsubscribe|unstar|revoke|kick)$/;
const KEY_WORDS = /_?(ids?|login|username|name|key|slug|uuid|guid|sid|gid|ref|email)$/;
const MOST_FIELDS = 2;

/** `user_ids`, `userId`, `id`, `assignees`: a body field that names rows of the noun. */
export const namesRow = (name: string, nouns: readonly string[]): boolean => {
  const one = singular(snake(name));
  const bare = one.replace(KEY_WORDS, '');
  return bare === '' || nouns.includes(bare) || nouns.includes(one);
};

/** Adds a link and nothing else: no body, or one that names the other row. */
const adds = ({ kind, keyParam, op, body }: Sighting, nouns: readonly string[]): boolean => {
  if (keyParam !== undefined)
    return (
      kind === 'update' &&
      op.method !== 'patch' &&
      (op.body === undefined || (body !== undefined && body.item.required.size === 0 && !op.body.required))
    );
  if (kind !== 'create' || !body || body.many || body.path.length > 0) return false;
  const names = [...body.item.properties.keys()];
  return names.length > 0 && names.length <= MOST_FIELDS && names.some((name) => namesRow(name, nouns));
};

const removes = ({ kind, keyParam }: Sighting): boolean => kind === 'delete' && keyParam !== undefined;

/** A text or a number says something of a row of its own: only a list names rows that are there. */
const isScalar = (raw: unknown): boolean =>
  isNode(raw) && typeof raw.type === 'string' && /^(string|integer|number|boolean)$/.test(raw.type);

/** Adds, replaces or takes out all that a list in its body names, or clears them. */
const setsMany = ({ kind, keyParam, op, body }: Sighting): boolean =>
  keyParam === undefined &&
  (kind === 'delete' ||
    ((kind === 'create' || kind === 'update') &&
      op.body !== undefined &&
      (body === undefined ||
        (body.item.properties.size <= MOST_FIELDS &&
          (body.item.properties.size === 0 || ![...body.item.properties.values()].every(isScalar))))));

/** Shows the other resource's own rows, or only whether the link is there. */
const shows = (sighting: Sighting, home: Group): boolean =>
  sighting.kind === 'list' || sighting.kind === 'search'
    ? sighting.answer?.many === true && sighting.answer.item.name === home.schema
    : sighting.keyParam !== undefined &&
      (sighting.op.answer === undefined || sighting.answer?.item.name === home.schema);

const nounsOf = (group: Group, home: Group): string[] => [
  ...new Set([group.noun, home.noun, ...[group.noun, home.noun].map((noun) => noun.split('_').at(-1) as string)]),
];

/** Groups that are nothing but links, each with the place where what it links is at home. */
const linkOf = (
  group: Group,
  home: Group,
  byPlace: ReadonlyMap<string, Group>,
  every: boolean,
): LinkGroup | undefined => {
  const owner = group.sightings.flatMap(({ parents }) => parents.filter(({ place }) => place !== '').slice(-1))[0];
  const above = owner && byPlace.get(owner.place);
  if (!owner || !above || above === home || !hasItems(above) || above.single) return undefined;
  const nouns = nounsOf(group, home);
  const reads = group.sightings.filter(({ kind }) => READ.has(kind) && kind !== 'action');
  const writes = group.sightings.filter(({ kind }) => !READ.has(kind));
  if (
    !reads.every((one) => shows(one, home)) ||
    !writes.every((one) => adds(one, nouns) || removes(one) || (every && setsMany(one)))
  )
    return undefined;
  const isPlain = writes.some((one) => adds(one, nouns) || (every && setsMany(one))) || home.sightings.some(removes);
  const isSaid = writes.some(({ op }) => wordsOf(op.id ?? '').some((word) => TAKES_OUT.test(word)));
  if (reads.length === 0 || writes.length === 0 || !(isPlain || isSaid)) return undefined;
  return { place: group.place, noun: group.noun, owner, home: home.place, sightings: [...reads, ...writes] };
};

interface Homes {
  schemas: Map<string, Group>;
  nouns: Map<string, Group | undefined>;
}

const homesOf = (groups: readonly Group[]): Homes => {
  const schemas = new Map<string, Group>();
  const nouns = new Map<string, Group | undefined>();
  for (const group of groups) {
    const isRead = group.sightings.some(({ kind, answer }) => kind === 'get' && answer !== undefined);
    if (!isRead || group.schema === undefined || group.single || !hasItems(group)) continue;
    if (speaksOf(group) && !schemas.has(group.schema)) schemas.set(group.schema, group);
    nouns.set(group.noun, nouns.has(group.noun) ? undefined : group);
  }
  return { schemas, nouns };
};

/**
 * `DELETE /teams/{t}/members/{user}` takes a user out of a team, not out of the service. Places that list, add and take out rows
 * of another resource are memberships; where that is not plain, what a nested place writes is left out as a link.
 */
export const withoutLinks = (
  groups: readonly Group[],
  every = false,
): { groups: Group[]; links: Sighting[]; memberships: LinkGroup[] } => {
  const { schemas, nouns } = homesOf(groups);
  const byPlace = new Map(groups.map((group) => [group.place, group] as const));
  const links: Sighting[] = [];
  const memberships: LinkGroup[] = [];
  const left = groups.map((group) => {
    if (!group.place.includes('{}') || group.single) return group;
    const home = group.schema === undefined ? nouns.get(group.noun) : schemas.get(group.schema);
    if (!home || home === group) return group;
    const membership = linkOf(group, home, byPlace, every);
    if (membership) {
      memberships.push(membership);
      return { ...group, sightings: group.sightings.filter(({ kind }) => kind === 'action') };
    }
    const own = group.sightings.some(({ kind, body }) => kind === 'get' || (kind === 'create' && body !== undefined));
    if (own || group.schema === undefined) return group;
    links.push(...group.sightings.filter(({ kind }) => !READ.has(kind)));
    return { ...group, sightings: group.sightings.filter(({ kind }) => READ.has(kind)) };
  });
  return { groups: left, links, memberships };
};
