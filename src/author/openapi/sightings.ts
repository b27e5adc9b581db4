/** What one operation does to which collection, read from its path, method, answer and id. */
import { singular, snake, wordsOf } from '../../kit/words.js';
import { matchVerb } from '../lexicon/match.js';
import { batchKind, idKind, segmentKind } from './crud-words.js';
import { byDots } from './dotted.js';
import { isDotted, isPlumbing, placeOf, type Segment } from './paths.js';
import type { Places } from './places.js';
import { partRenewed, type Renewal, renewed } from './renew.js';
import { byDottedId, byIds, byRpcName } from './rpc.js';
import type { TagCall } from './tags.js';
import type { DocOperation, OperationKind } from './types.js';
import type { Unwrapped } from './unwrap.js';

export interface ParentParam {
  /** Path parameter, as the document names it. */
  param: string;
  /** Collection segment before it; empty where there is none. */
  noun: string;
  place: string;
}

export interface Sighting {
  op: DocOperation;
  kind: OperationKind;
  /** Template of the collection: `/customers/{}/invoices`. */
  place: string;
  /** The collection's own word. */
  noun: string;
  parents: ParentParam[];
  /** Path parameter that names the row. */
  keyParam: string | undefined;
  /** The row is named by a query parameter or a body field, if at all. */
  keyElsewhere: boolean;
  /** `part`: there is one of it for each row named by `keyParam`; `one`: there is one of it. */
  single?: 'part' | 'one';
  /** For a part: the collection whose rows it belongs to. */
  owner?: ParentParam;
  /** Path parameter that narrows a list by one of the row's own columns. */
  narrow?: string;
  /** An update of one side of the row only: `/attendees/{id}/capabilities`. */
  aspect?: string;
  /** The whole call only counts the rows. */
  counts?: true;
  /** Makes keys of the part anew. */
  renews?: Renewal;
  /** Lists, adds or takes off tags of something else. */
  tag?: TagCall;
  /** For an action: what to look up in the lexicon, best first. */
  words: string[];
  answer: Unwrapped | undefined;
  body: Unwrapped | undefined;
}

/** A string is the reason why an operation cannot be placed. */
export type Verdict = Omit<Sighting, 'op' | 'answer' | 'body'> | string;

/** The last parameter of a run names the row of the collection before it; the others of the run only narrow. */
const parentsOf = (segments: readonly Segment[]): ParentParam[] =>
  segments.flatMap((segment, at) => {
    if (!segment.param) return [];
    const isLast = segments[at + 1]?.param !== true;
    let start = at;
    while (start > 0 && segments[start - 1]?.param) start--;
    const before = segments[start - 1];
    if (!isLast || !before) return [{ param: segment.text, noun: '', place: '' }];
    return [{ param: segment.text, noun: before.text, place: placeOf(segments.slice(0, start)) }];
  });

const on = (segments: readonly Segment[], kind: OperationKind, more: Partial<Sighting> = {}): Verdict => ({
  kind,
  place: placeOf(segments),
  noun: segments.findLast((segment) => !segment.param)?.text ?? '',
  parents: parentsOf(segments),
  keyParam: undefined,
  keyElsewhere: false,
  words: [],
  ...more,
});

const onItem = (segments: readonly Segment[], at: number, kind: OperationKind, words: string[] = []): Verdict => {
  // `/repos/{owner}/{repo}`: the last of the run names the row, the others narrow it.
  let start = at;
  while (start > 0 && segments[start - 1]?.param) start--;
  const collection = segments.slice(0, start);
  const run = segments.slice(start, at).map((segment) => ({ param: segment.text, noun: '', place: '' }));
  const base = on(collection, kind, { keyParam: segments[at]?.text, words });
  return typeof base === 'string' ? base : { ...base, parents: [...base.parents, ...run] };
};

/** `/tickets/query/count` counts the tickets. */
const withoutQuery = (segments: readonly Segment[]): readonly Segment[] =>
  segments.length > 1 && segmentKind(segments.at(-1)?.text ?? '') === 'search' ? segments.slice(0, -1) : segments;

const COUNT = /^(\$?count|totals?)$/i;
const ITEM_KINDS = { get: 'get', put: 'update', patch: 'update', post: 'update', delete: 'delete' } as const;
const COLLECTION_KINDS = { get: 'list', post: 'create', put: 'update', patch: 'update', delete: 'delete' } as const;

const SINGLE_KINDS = { get: 'get', put: 'update', patch: 'update', post: 'update', delete: 'delete' } as const;

/** `/users/{id}/settings`, `/account`: one thing for each row, or one at all. */
const onSingle = (op: DocOperation, segments: readonly Segment[]): Verdict => {
  const at = segments.findLastIndex((segment) => segment.param);
  const kind = SINGLE_KINDS[op.method];
  const noun = segments.at(-1)?.text ?? '';
  const base = { kind, place: placeOf(segments), noun, keyElsewhere: false, words: [] };
  if (at === -1) return { ...base, parents: [], keyParam: undefined, single: 'one' };
  const owner = parentsOf(segments).at(-1);
  return {
    ...base,
    parents: parentsOf(segments.slice(0, at)),
    keyParam: segments[at]?.text,
    single: 'part',
    ...(owner ? { owner } : {}),
  };
};

/** `microsoft.graph.hide(user='{id}')` -> hide */
const bareVerb = (text: string): string =>
  /^[a-z]\w*\.[a-z]\w*\.\w+/i.test(text) ? (text.replace(/\(.*$/, '').split('.').at(-1) ?? text) : text;

const READ_VERBS = new Set(['get', 'list', 'fetch', 'retrieve', 'show']);
const WRITE_VERBS = new Set(['set', 'update', 'modify', 'change', 'put', 'edit', 'patch', 'save']);

/**
 * `/keys/{id}/getIamPolicy`, `/rides/{id}/rating`: a procedure that reads a part of a row or sets it. A part that is read is a thing of
 * its own; one that is only set belongs to the row.
 */
const onAspect = (op: DocOperation, segments: readonly Segment[], places: Places): Verdict | undefined => {
  const last = bareVerb(segments.at(-1)?.text ?? '');
  const [verb = '', ...rest] = wordsOf(last);
  const row = segments.slice(0, -1);
  const asPart = (noun: string, kind: OperationKind): Verdict => {
    const of = parentsOf(row).at(-1);
    return {
      kind,
      // Not the place of a collection of that name.
      place: `${placeOf(row)}/${noun}~`,
      noun,
      parents: parentsOf(row).slice(0, -1),
      keyParam: row.at(-1)?.text,
      keyElsewhere: false,
      words: [],
      single: 'part',
      ...(of ? { owner: of } : {}),
    };
  };
  if (rest.length > 0 && READ_VERBS.has(verb) && places.answer(op)?.many === false)
    return asPart(rest.join('_'), 'get');
  const words = op.method === 'post' ? renewed(last) : undefined;
  const part = words && partRenewed(words, places.partsRead(placeOf(row)));
  if (words && part !== undefined) {
    const base = asPart(part, 'update');
    return typeof base === 'string' ? base : { ...base, aspect: last, renews: { words, body: places.body(op) } };
  }
  if (op.method === 'get' || op.method === 'delete' || places.body(op) === undefined) return undefined;
  if (rest.length > 0 && WRITE_VERBS.has(verb) && places.isPartRead(placeOf(row), rest.join('_')))
    return asPart(rest.join('_'), 'update');
  const sets = op.method === 'put' || op.method === 'patch' || (rest.length > 0 && WRITE_VERBS.has(verb));
  if (!sets || matchVerb(last, singular(snake(row.at(-2)?.text ?? ''))) !== undefined) return undefined;
  const base = onItem(row, row.length - 1, 'update');
  return typeof base === 'string' ? base : { ...base, aspect: last };
};

/** `POST /domains/{id}/fields-list` lists what `/domains/{id}/fields` holds. */
const listedPlace = (op: DocOperation, segments: readonly Segment[], places: Places): Segment[] | undefined => {
  const words = wordsOf(segments.at(-1)?.text ?? '');
  if (op.method !== 'post' || words.length < 2 || words.at(-1) !== 'list') return undefined;
  const of = [...segments.slice(0, -1), { text: words.slice(0, -1).join('-'), param: false }];
  const known = places.takesPost(placeOf(of)) || places.hasItems(placeOf(of));
  return known && places.answer(op)?.many === true ? of : undefined;
};

const onStatic = (op: DocOperation, segments: readonly Segment[], places: Places): Verdict => {
  const place = placeOf(segments);
  const listed = listedPlace(op, segments, places);
  if (listed !== undefined) return on(listed, 'list');
  if (places.isSingle(place)) return onSingle(op, segments);
  const last = bareVerb(segments.at(-1)?.text ?? '');
  const above = segments.slice(0, -1);
  const item = above.at(-1)?.param === true;
  const collectionAbove =
    above.length > 0 &&
    !item &&
    (places.hasItems(placeOf(above)) || places.takesPost(placeOf(above)) || places.isListed(placeOf(above)));
  const procedure = isDotted(last) && !item ? byRpcName(op, segments) : undefined;
  if (procedure !== undefined) return procedure;
  const word = segmentKind(last);
  const collection = places.hasItems(place) || (places.isListed(place) && word === undefined);
  if (collection && !(collectionAbove && word !== undefined)) {
    if (op.method === 'get' && !places.answer(op)?.many && !places.hasItems(place))
      return 'answers with one thing that has no key in the path';
    if (op.method === 'put' && !places.takesPost(place) && idKind(op.id) !== 'update') return on(segments, 'create');
    if (op.method === 'put' && idKind(op.id) === 'create') return on(segments, 'create');
    const kind = COLLECTION_KINDS[op.method];
    return on(segments, kind, { keyElsewhere: kind === 'update' || kind === 'delete' });
  }
  if (word !== undefined && above.length > 0 && !isPlumbing(above.at(-1)?.text ?? '')) {
    if (item) return onItem(segments, segments.length - 2, word === 'list' || word === 'search' ? 'get' : word);
    const kind = word === 'get' && places.answer(op)?.many ? 'list' : word;
    return on(above, kind, { keyElsewhere: kind === 'get' || kind === 'update' || kind === 'delete' });
  }
  if (item) {
    const part = onAspect(op, segments, places);
    if (part !== undefined) return part;
    if (op.method === 'delete' && !matchVerb(last, '') && !matchVerb(`un_${last}`, '')) return onSingle(op, segments);
    const words = op.method === 'delete' ? [`un_${last}`] : [last, op.id ?? ''];
    if (op.method === 'get') return 'reads a part or a computed view of one thing';
    const noun = singular(snake(last));
    // `POST /issues/{id}/comments` where nothing lists the comments.
    if (op.method === 'post' && noun !== snake(last) && places.body(op) && !matchVerb(last, noun))
      return on(segments, 'create');
    return onItem(segments, segments.length - 2, 'action', words);
  }
  if (collectionAbove) {
    if (COUNT.test(last)) return on(withoutQuery(above), 'list', { counts: true });
    if (op.method === 'get' && !places.answer(op)?.many) return 'reads a computed view of a collection';
    if (op.method === 'get') return on(segments, 'list');
    const batch = batchKind(last, op.method);
    if (batch !== undefined && op.body !== undefined) return on(above, batch, { keyElsewhere: batch !== 'create' });
    const deeper = on(above, 'action', { keyElsewhere: true, words: [last, op.id ?? ''] });
    return deeper;
  }
  if (
    op.method === 'post' &&
    (last.endsWith('s') || places.answer(op) !== undefined) &&
    idKind(last) === undefined &&
    !last.includes('.')
  )
    return on(segments, 'create');
  const named = byRpcName(op, segments);
  if (named === undefined && (op.method === 'put' || op.method === 'patch') && places.body(op) && !matchVerb(last, ''))
    return onSingle(op, segments);
  return (
    named ??
    (op.method === 'get' ? 'answers with one thing that has no key in the path' : 'a procedure, not a resource')
  );
};

/** `/activities/{type}`: the rows of a collection that agree in one column. */
const narrowed = (segments: readonly Segment[]): Verdict => {
  const at = segments.length - 1;
  let start = at;
  while (start > 0 && segments[start - 1]?.param) start--;
  return on(segments.slice(0, start), 'list', { narrow: segments[at]?.text ?? '' });
};

/** `/v1/services/{id}`: a word of plumbing that has rows of its own is a thing after all. */
const isThing = (segments: readonly Segment[], at: number, places: Places): boolean =>
  /^services?$/i.test(segments[at]?.text ?? '') && places.hasItems(placeOf(segments.slice(0, at + 1)));

/** `/servers/{id}/actions/reboot` */
const ACTIONS = /^(actions?|operations?|commands?|tasks|do)$/i;

/** `POST /cases/{id}` with the id GetCase. */
const readsByPost = (op: DocOperation, places: Places): boolean =>
  op.method === 'post' &&
  /^(get|describe|read|fetch)$/.test(wordsOf(op.id ?? '')[0] ?? '') &&
  places.answer(op)?.many === false;

const judge = (op: DocOperation, places: Places): Verdict => {
  const shape = places.shape(op);
  const dotted = byDottedId(op, shape, places);
  if (dotted !== undefined) return dotted;
  const { segments, verb } = shape;
  const at = segments.length - 1;
  const nouns = segments.filter(
    (segment, i) => !segment.param && (!isPlumbing(segment.text) || isThing(segments, i, places)),
  );
  if (segments.length === 0 || nouns.length === 0) return 'the path names no resource';
  const onParam = segments[at]?.param === true;
  if (verb !== undefined) {
    const custom = onParam ? onAspect(op, [...segments, { text: verb, param: false }], places) : undefined;
    if (custom !== undefined) return custom;
    const kind = segmentKind(verb) ?? (onParam ? undefined : batchKind(verb, '')) ?? 'action';
    if (op.method === 'get' && kind === 'action') return 'reads a part or a computed view of one thing';
    if (onParam) return onItem(segments, at, kind === 'list' || kind === 'search' ? 'action' : kind, [verb]);
    return on(segments, kind, {
      words: [verb],
      keyElsewhere: kind !== 'list' && kind !== 'search' && kind !== 'create',
    });
  }
  const acts = segments.at(-2);
  if (!onParam && acts && !acts.param && ACTIONS.test(acts.text) && segments.at(-3)?.param && op.method !== 'get')
    return onStatic(op, [...segments.slice(0, -2), segments[at] as Segment], places);
  if (!onParam) return onStatic(op, segments, places);
  const tail = segments[at - 1];
  if (tail && !tail.param && segmentKind(tail.text) && at >= 2 && !isPlumbing(segments[at - 2]?.text ?? '')) {
    // `/users/delete/{id}`, `/pets/findByTag/{tag}`
    const word = segmentKind(tail.text) as OperationKind;
    const base = onItem([...segments.slice(0, at - 1), segments[at] as Segment], at - 1, word);
    if (typeof base !== 'string' && word !== 'search' && word !== 'list' && word !== 'create') return base;
  }
  const kind =
    op.method === 'get' && places.answer(op)?.many && places.answer(op)?.path.length === 0
      ? 'list'
      : readsByPost(op, places)
        ? 'get'
        : ITEM_KINDS[op.method];
  if (kind === 'list') return narrowed(segments);
  return onItem(segments, at, kind);
};

/** Reads every operation; what cannot be placed comes back with the reason. */
export const sightingsOf = (
  operations: readonly DocOperation[],
  places: Places,
  every = false,
): { sightings: Sighting[]; unmapped: { op: DocOperation; why: string }[] } => {
  const sightings: Sighting[] = [];
  const unmapped: { op: DocOperation; why: string }[] = [];
  const nameless = byIds(operations, places);
  const dotted = byDots(operations, places, every);
  for (const op of operations) {
    const named = nameless.has(op) ? undefined : dotted.get(op);
    const verdict = nameless.get(op) ?? named?.verdict ?? judge(op, places);
    if (typeof verdict === 'string') unmapped.push({ op, why: verdict });
    else {
      const one = verdict.tag?.body;
      const body = one ? { many: true, path: [], item: one, around: [] } : places.body(op);
      const answer = named ? named.answer : places.answer(op);
      sightings.push({ ...verdict, op, answer, body: verdict.renews ? undefined : body });
    }
  }
  return { sightings, unmapped };
};
