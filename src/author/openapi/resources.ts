/** Groups sightings by collection, and collections that speak of the same thing into one resource. */
import { singular, snake, wordsOf } from '../../kit/words.js';
import { type Group, hasItems, speaksOf } from './groups.js';
import { type LinkGroup, withoutLinks } from './linking.js';
import type { View } from './schema.js';
import type { ParentParam, Sighting } from './sightings.js';
import type { OperationKind } from './types.js';

export interface Resource {
  /** Singular noun, snake_case. */
  noun: string;
  /** Component name of its schema, where the document gives one. */
  schema: string | undefined;
  /** Names of all component schemas that stand for it (summary, detail). */
  aliases: Set<string>;
  /** Its own collection; the others list it from elsewhere. */
  home: string;
  /** There is one of it: at all, or for each row of `owner`. */
  single: 'part' | 'one' | undefined;
  owner: ParentParam | undefined;
  places: Set<string>;
  sightings: Sighting[];
  /** Views of its answers, the fullest kind first: get, list, create, update. */
  views: View[];
}

const ORDER: readonly OperationKind[] = ['get', 'list', 'search', 'create', 'update', 'action', 'delete'];
/** Schemas that many things share say nothing about any of them. */
const GENERIC_NOUNS = 4;
const MIN_SHARED = 3;
const OVERLAP = 0.7;

const wordOf = (sighting: Sighting): string => singular(snake(sighting.noun));

/** Answers to writes count only where reads show nothing, or when they look alike (no job, receipt or bare status). */
const alike = (view: View, seen: readonly View[]): boolean =>
  seen.length === 0 ||
  seen.some(
    (other) =>
      [...view.properties.keys()].filter((name) => other.properties.has(name)).length * 2 >= view.properties.size,
  );

const viewsOf = (sightings: readonly Sighting[]): View[] => {
  const out: View[] = [];
  for (const kind of ORDER.slice(0, 5))
    for (const sighting of sightings)
      if (
        sighting.kind === kind &&
        sighting.answer &&
        !out.includes(sighting.answer.item) &&
        ((kind !== 'create' && kind !== 'update') || alike(sighting.answer.item, out))
      )
        out.push(sighting.answer.item);
  return out;
};

const schemaOf = (sightings: readonly Sighting[]): string | undefined => {
  for (const kind of ORDER.slice(0, 5))
    for (const sighting of sightings)
      if (sighting.kind === kind && sighting.answer?.item.name) return sighting.answer.item.name;
  return undefined;
};

const propertyNames = (sightings: readonly Sighting[]): Set<string> => {
  const [view] = viewsOf(sightings);
  return new Set([...(view?.properties.keys() ?? [])].map(snake));
};

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => {
  const shared = [...a].filter((name) => b.has(name)).length;
  return shared >= MIN_SHARED && shared >= OVERLAP * Math.min(a.size, b.size);
};

const NOISE = new Set(
  'minimal full simple detailed detail summary response dto resource model entity get list item info read out base view object v1 v2 v3 v4 v5'.split(
    ' ',
  ),
);
const schemaWords = (name: string): string[] =>
  wordsOf(name)
    .map(singular)
    .filter((word) => !NOISE.has(word));

/** Two named schemas may be one thing only when one name says no more than the other: repository, full repository. */
const namesAgree = (a: Group, b: Group): boolean => {
  if (a.schema === undefined || b.schema === undefined) return true;
  const [first, second] = [schemaWords(a.schema), schemaWords(b.schema)];
  return first.every((word) => second.includes(word)) || second.every((word) => first.includes(word));
};

const groupsOf = (sightings: readonly Sighting[]): Group[] => {
  const byPlace = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const list = byPlace.get(sighting.place) ?? [];
    list.push(sighting);
    byPlace.set(sighting.place, list);
  }
  return [...byPlace].map(([place, list]) => ({
    place,
    noun: wordOf(list[0] as Sighting),
    sightings: list,
    schema: schemaOf(list),
    names: propertyNames(list),
    single: list.find((sighting) => sighting.single)?.single,
  }));
};

const homeOf = (groups: readonly Group[]): Group => {
  const worth = (group: Group): number =>
    new Set(group.sightings.map((sighting) => sighting.kind)).size * 10 +
    (hasItems(group) ? 15 : 0) -
    group.place.split('/').length;
  return [...groups].sort((a, b) => worth(b) - worth(a) || (a.place < b.place ? -1 : 1))[0] as Group;
};

const genericSchemas = (groups: readonly Group[]): Set<string> => {
  const nouns = new Map<string, Set<string>>();
  for (const { schema, noun } of groups) {
    if (schema === undefined) continue;
    const set = nouns.get(schema) ?? new Set();
    set.add(noun);
    nouns.set(schema, set);
  }
  const out = new Set<string>();
  for (const [schema, set] of nouns) {
    const words = snake(schema);
    const own = [...set].some((noun) => words.endsWith(noun) || noun.endsWith(words));
    if (set.size >= GENERIC_NOUNS && !own) out.add(schema);
  }
  return out;
};

/** Merges groups: the same noun with the same or an overlapping schema; or the same schema, when one of them only lists it. */
const merged = (groups: readonly Group[]): Group[][] => {
  const generic = genericSchemas(groups);
  const clusters: Group[][] = [];
  const sorted = [...groups].sort(
    (a, b) => Number(speaksOf(b)) - Number(speaksOf(a)) || Number(hasItems(b)) - Number(hasItems(a)),
  );
  const bySchema = new Map<string, Group[]>();
  const byNoun = new Map<string, Group[][]>();
  for (const group of sorted) {
    if (group.single || group.sightings.some(({ tag }) => tag)) {
      clusters.push([group]);
      continue;
    }
    const same = (byNoun.get(group.noun) ?? []).find((cluster) =>
      cluster.some(
        (other) =>
          (group.schema !== undefined && other.schema === group.schema && !generic.has(group.schema)) ||
          (namesAgree(group, other) && overlap(group.names, other.names)) ||
          (group.names.size === 0 && other.place === group.place),
      ),
    );
    const shared =
      group.schema !== undefined && !generic.has(group.schema) && !hasItems(group)
        ? bySchema.get(group.schema)
        : undefined;
    const cluster = same ?? shared;
    if (cluster) cluster.push(group);
    else {
      const fresh = [group];
      clusters.push(fresh);
      byNoun.set(group.noun, [...(byNoun.get(group.noun) ?? []), fresh]);
      if (group.schema !== undefined && !bySchema.has(group.schema)) bySchema.set(group.schema, fresh);
    }
  }
  return withWriters(clusters);
};

const READ_KINDS = new Set<OperationKind>(['get', 'list', 'search']);
const reads = (cluster: readonly Group[]): boolean =>
  cluster.some((group) => group.sightings.some(({ kind }) => READ_KINDS.has(kind)));

/** Property names of all that a cluster's bodies write. */
const bodyNames = (cluster: readonly Group[]): Set<string> =>
  new Set(
    cluster.flatMap(({ sightings }) =>
      sightings.flatMap(({ body, kind }) =>
        body && kind !== 'action' ? [...body.item.properties.keys()].map(snake) : [],
      ),
    ),
  );

/** Bodies of that many names are no chance. */
const MIN_WRITTEN = 4;

/**
 * `POST /push/invoices` writes what `/data/invoices` shows: a place that nothing reads belongs to the one read place of its noun that
 * shows nearly all of what it writes.
 */
const withWriters = (clusters: Group[][]): Group[][] => {
  const readers = new Map<string, Group[][]>();
  const isPlain = (cluster: readonly Group[]): boolean =>
    !cluster.some(({ single, sightings }) => single || sightings.some(({ tag }) => tag));
  for (const cluster of clusters) {
    const noun = cluster[0]?.noun ?? '';
    if (reads(cluster) && isPlain(cluster)) readers.set(noun, [...(readers.get(noun) ?? []), cluster]);
  }
  return clusters.filter((cluster) => {
    if (reads(cluster) || !isPlain(cluster)) return true;
    const written = bodyNames(cluster);
    const homes = (readers.get(cluster[0]?.noun ?? '') ?? []).filter((home) =>
      home.some(({ names }) => {
        const shared = [...written].filter((name) => names.has(name)).length;
        return shared >= MIN_WRITTEN && shared >= OVERLAP * written.size;
      }),
    );
    if (homes.length !== 1) return true;
    homes[0]?.push(...cluster);
    return false;
  });
};

/** Every name its rows go by: the schemas of each collection, and all that its own operations answer with. */
const aliasesOf = (cluster: readonly Group[], home: Group): Set<string> => {
  const names = cluster.flatMap((group) => (group.schema === undefined ? [] : [group.schema]));
  const own = home.sightings.flatMap(({ kind, answer }) =>
    kind !== 'action' && answer?.item.name ? [answer.item.name] : [],
  );
  return new Set([...names, ...own]);
};

/** `/issues/{id}/repository`, `/users/me`: shows a row that is at home elsewhere, found by a relation or by who asks. */
const relations = (groups: readonly Group[]): Set<Group> => {
  const homes = new Map<string, Group>();
  const byPlace = new Map(groups.map((group) => [group.place, group] as const));
  for (const group of groups)
    if (group.schema !== undefined && !group.single && hasItems(group)) homes.set(group.schema, group);
  return new Set(
    groups.filter((group) => {
      if (!group.single) return false;
      if (group.schema !== undefined && homes.has(group.schema)) return true;
      const above = byPlace.get(group.place.slice(0, group.place.lastIndexOf('/')));
      return above !== undefined && overlap(group.names, above.names);
    }),
  );
};

const resourceOf = (cluster: readonly Group[]): Resource => {
  const home = homeOf(cluster);
  const all = [home, ...cluster.filter((group) => group !== home)].flatMap((group) => group.sightings);
  return {
    noun: home.noun || snake(home.schema ?? ''),
    schema: home.schema,
    aliases: aliasesOf(cluster, home),
    home: home.place,
    single: home.single,
    owner: home.sightings.find(({ owner }) => owner)?.owner,
    places: new Set(cluster.map((group) => group.place)),
    sightings: all,
    views: viewsOf(all),
  };
};

/** Resources in document order of their first operation, and the operations that only link rows of two of them. */
export const resourcesOf = (
  sightings: readonly Sighting[],
  every = false,
): { resources: Resource[]; links: Sighting[]; memberships: LinkGroup[]; related: Sighting[] } => {
  const order = new Map(sightings.map((sighting, at) => [sighting, at] as const));
  const first = (resource: Resource): number =>
    Math.min(...resource.sightings.map((sighting) => order.get(sighting) ?? 0));
  const { groups: rest, links, memberships } = withoutLinks(groupsOf(sightings), every);
  const all = rest.filter((group) => group.sightings.length > 0);
  const elsewhere = relations(all);
  const groups = all.filter((group) => !elsewhere.has(group));
  const related = [...elsewhere].flatMap((group) => group.sightings);
  const resources = merged(groups).map(resourceOf);
  // What hangs under a member hangs under the row that the member is.
  for (const { place, home } of memberships) resources.find(({ places }) => places.has(home))?.places.add(place);
  return { resources: resources.sort((a, b) => first(a) - first(b)), links, memberships, related };
};
