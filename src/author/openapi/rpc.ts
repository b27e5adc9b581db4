/** Operations whose id, not whose path, says what they do to what: `pubsub.projects.topics.list`, `users.info`, `CreateVpc`. */
import { singular, snake, wordsOf } from '../../kit/words.js';
import { matchVerb } from '../lexicon/match.js';
import { isFixed } from './columns.js';
import { batchKind, segmentKind, verbNoun } from './crud-words.js';
import { isDotted, isPlumbing, type PathShape, placeOf, type Segment } from './paths.js';
import type { Places } from './places.js';
import type { Verdict } from './sightings.js';
import { tagCalls } from './tags.js';
import type { DocOperation, OperationKind } from './types.js';

/** `pubsub.projects.topics.list` over `/v1/{name}`. */
export const byDottedId = (op: DocOperation, shape: PathShape, places: Places): Verdict | undefined => {
  const pieces = (op.id ?? '').split('.');
  // `/images/{resource}/getIamPolicy` has a path that says what the id says.
  const generic = shape.segments.some(
    ({ param, text }, at) =>
      param &&
      /^(name|parent|resource)$|\.name$/.test(text) &&
      !pieces.includes(shape.segments[at - 1]?.text ?? shape.segments[at + 1]?.text ?? '/'),
  );
  const flat = shape.segments.every(
    (segment) => segment.param || /^(v\d\w*|upload|download|media)$/.test(segment.text),
  );
  if (pieces.length < 3 || (!generic && !(flat && shape.segments.some((segment) => segment.param)))) return undefined;
  const verb = pieces.at(-1) as string;
  const noun = pieces.at(-2) as string;
  const kind = verb === 'patch' ? 'update' : (segmentKind(verb) ?? 'action');
  const param = shape.segments.findLast((segment) => segment.param)?.text;
  const place = `/${pieces.slice(1, -1).join('/').toLowerCase()}`;
  const above = pieces.length > 3 ? (pieces.at(-3) as string) : '';
  const up = { param: param ?? 'parent', noun: above, place: `/${pieces.slice(1, -2).join('/').toLowerCase()}` };
  const [head = '', ...tail] = wordsOf(verb);
  if (kind === 'action' && tail.length > 0 && param !== undefined && /^(get|set)$/.test(head)) {
    const part = tail.join('_');
    if (head === 'get' ? places.answer(op) !== undefined : places.isPartRead(placeOf(shape.segments), part))
      return {
        kind: head === 'get' ? 'get' : 'update',
        place: `${place}/${part}`,
        noun: part,
        parents: [],
        keyParam: param,
        keyElsewhere: false,
        words: [],
        single: 'part',
        owner: { param, noun, place },
      };
  }
  if (kind === 'action' && op.method === 'get') return 'reads a part or a computed view of one thing';
  const atItem = shape.segments.at(-1)?.param === true && kind !== 'list' && kind !== 'create';
  return {
    kind,
    place,
    noun,
    parents: atItem || param === undefined ? [] : [up],
    keyParam: atItem ? param : undefined,
    keyElsewhere: false,
    words: [shape.verb ?? verb],
  };
};

/** `/conversations.archive`, `/getUsers`, `/createOrder`: a procedure named by its resource. */
export const byRpcName = (op: DocOperation, segments: readonly Segment[]): Verdict | undefined => {
  const last = segments.at(-1)?.text ?? '';
  const read = verbNoun(last);
  if (!read || (!last.includes('.') && read.kind === undefined)) return undefined;
  // `users.info` is one user; `getUsers` and a reader without parameters are a list.
  const isList = read.kind === 'get' && !last.includes('.') && (/s$/.test(read.noun) || op.params.length === 0);
  const kind = isList ? 'list' : read.kind;
  const place = `/${singular(snake(read.noun))}`;
  const noun = read.noun.split('_').at(-1) ?? read.noun;
  const writes = kind !== 'list' && kind !== 'search' && kind !== 'create';
  return {
    kind: kind ?? 'action',
    place,
    noun,
    parents: [],
    keyParam: undefined,
    keyElsewhere: writes,
    words: kind ? [] : [read.verb],
  };
};

/** Verbs of procedures besides the plain ones. */
const VERBS: Record<string, OperationKind> = {
  describe: 'get',
  modify: 'update',
  put: 'create',
  register: 'create',
  deregister: 'delete',
  set: 'update',
  upsert: 'create',
  allocate: 'create',
  import: 'create',
};

interface Procedure {
  kind: OperationKind | undefined;
  noun: string;
  verb: string;
}

/** The words of `POST_DescribeVpcs`, `GetFunction2015_03_31`: without the method before and the date after. */
const procedureWords = (id: string): string[] =>
  wordsOf(id.replace(/^(GET|POST)_/, '').replace(/(\d{4}_?\d{2}_?\d{2}|_?V\d)$/, ''));

const bare = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

/** What the procedure's path ends with, and the parameter after it: `/osis/getPipeline/{PipelineName}`. */
const endOf = (
  segments: readonly Segment[],
): { above: Segment[]; last: Segment | undefined; key: string | undefined } => {
  const end = segments.at(-1);
  const key = end?.param === true ? end.text : undefined;
  const rest = key === undefined ? segments : segments.slice(0, -1);
  return { above: rest.slice(0, -1), last: rest.at(-1), key };
};

/** `/osis/createPipeline` with the id CreatePipeline. */
const isSaid = (op: DocOperation, text: string): boolean =>
  op.id !== undefined && wordsOf(op.id).length > 1 && bare(op.id) === bare(text);

/** Places under which there is nothing but procedures, each named by its id: `/osis`, `/subscription`. */
const rootsOf = (ops: readonly DocOperation[], places: Places): Set<string> => {
  const roots = new Map<string, boolean>();
  for (const op of ops) {
    const { segments, verb } = places.shape(op);
    const { above, last } = endOf(segments);
    const isPlain = verb === undefined && !above.some((segment) => segment.param);
    const isProcedure = isPlain && last?.param === false && isSaid(op, last.text);
    segments.forEach((_, at) => {
      const root = placeOf(segments.slice(0, at + 1));
      if (at < segments.length - 1)
        roots.set(root, (roots.get(root) ?? true) && isProcedure && root === placeOf(above));
    });
    if (!isProcedure) roots.set(placeOf(segments), false);
  }
  return new Set([...roots].flatMap(([root, pure]) => (pure ? [root] : [])));
};

/** `/CancelTransaction`: a path that is no more than a verb and what it is done to. */
const segmentOf = (op: DocOperation, places: Places, roots: ReadonlySet<string>): string | undefined => {
  const { segments, verb } = places.shape(op);
  const { above, last, key } = endOf(segments);
  if (verb !== undefined || !last || last.param || isDotted(last.text)) return undefined;
  const said = isSaid(op, last.text);
  if (key !== undefined || above.some((segment) => segment.param || !isPlumbing(segment.text)))
    return said && roots.has(placeOf(above)) ? op.id : undefined;
  if (isPlumbing(last.text) || places.hasItems(placeOf(segments))) return undefined;
  // `/createjobqueue`: the id tells the words apart.
  if (said) return op.id;
  return wordsOf(last.text).length > 1 ? last.text : undefined;
};

type Namer = (op: DocOperation) => string | undefined;

/** What an operation is called: by its path, or by its id where the path says nothing. */
const namerOf = (ops: readonly DocOperation[], places: Places): Namer => {
  const roots = rootsOf(ops, places);
  return (op) => (places.shape(op).segments.length === 0 ? op.id : segmentOf(op, places, roots));
};

const procedureOf = (op: DocOperation, places: Places, nameOf: Namer): Procedure | undefined => {
  const words = procedureWords(nameOf(op) ?? '');
  const isBatch = words[0] === 'batch' && batchKind(words.slice(0, 2).join('_'), '') !== undefined;
  const [verb = '', ...rest] = isBatch ? words.slice(1) : words;
  if (rest.length === 0 || verb === 'batch') return undefined;
  const kind = VERBS[verb] ?? segmentKind(verb);
  if (kind === undefined && !MAKES.test(verb) && matchVerb(verb, rest.at(-1) as string) === undefined) return undefined;
  const noun = rest.map((word, at) => (at === rest.length - 1 ? singular(word) : word)).join('_');
  const many = places.answer(op)?.many === true || (rest.at(-1) !== singular(rest.at(-1) as string) && kind === 'get');
  return { kind: many && kind === 'get' ? 'list' : kind, noun, verb };
};

/** Longest run of words after the verb that is a resource of its own: `StartStreamEncryption` -> stream. */
const nounIn = (words: readonly string[], nouns: ReadonlySet<string>): string | undefined => {
  for (let length = words.length; length > 0; length--)
    for (let at = 0; at + length <= words.length; at++) {
      const run = words.slice(at, at + length);
      const noun = [...run.slice(0, -1), singular(run.at(-1) as string)].join('_');
      if (nouns.has(noun)) return noun;
    }
  return undefined;
};

/** The parameter of the path, where it names a row; a list only narrows by it. */
const keyOf = (op: DocOperation, places: Places): string | undefined => endOf(places.shape(op).segments).key;

const on = (noun: string, kind: OperationKind, words: string[], key?: string): Exclude<Verdict, string> => ({
  kind,
  place: `/${noun}`,
  noun,
  parents: [],
  keyParam: kind === 'list' || kind === 'search' || kind === 'create' ? undefined : key,
  keyElsewhere: key === undefined && kind !== 'list' && kind !== 'search' && kind !== 'create',
  words,
});

/** `GetAccountConfiguration` that asks for nothing and answers with one thing: there is one of it. */
const isOnly = (op: DocOperation, kind: OperationKind | undefined, places: Places): boolean =>
  (kind === 'get' || kind === 'list') &&
  places.answer(op)?.many === false &&
  !op.params.some((param) => param.in === 'path' || (param.in === 'query' && !isFixed(param))) &&
  (op.body === undefined || places.body(op) === undefined);

const asOnly = (noun: string, kind: 'get' | 'update'): Verdict => ({
  ...on(noun, kind, []),
  keyElsewhere: false,
  single: 'one',
});

const KEYED = ['id', 'arn', 'name', 'identifier', 'ids', 'arns', 'names'];
/** What is asked for, and is not there before. */
const MAKES = /^(request|execute|open|issue|order|purchase|launch|provision|generate)$/;
const TAG_KINDS = { list: 'list', add: 'create', remove: 'delete' } as const;

const RUN = /(job|execution|task|run|session|query|import|export|scan|analysis|test|build|deployment|operation)$/;

/** `StartDetectionJob` makes the job that it starts, unless it takes the job's id. */
const makesRun = (op: DocOperation, verb: string, noun: string, places: Places): boolean => {
  const tail = noun.split('_').at(-1) as string;
  const isKey = (name: string): boolean =>
    name === 'id' || name === 'arn' || [tail, noun].some((word) => KEYED.some((end) => name === `${word}_${end}`));
  const names = [...(places.body(op)?.item.properties.keys() ?? [])].map(snake);
  if (names.some(isKey) || keyOf(op, places) !== undefined) return false;
  if (RUN.test(noun) && /^(start|run|begin|submit|request)$/.test(verb)) return true;
  // `OpenTunnel`, `RequestCertificate`: the answer says which one came of it.
  const told = places.answer(op);
  return MAKES.test(verb) && told?.many === false && [...told.item.properties.keys()].map(snake).some(isKey);
};

/**
 * Reads operations without a path of their own (`/#Action=CreateVpc`, one path for all) by their ids. A noun counts as a resource
 * when something reads it; other verbs act on the longest such noun among their words.
 */
export const byIds = (ops: readonly DocOperation[], places: Places): Map<DocOperation, Verdict> => {
  const out = new Map<DocOperation, Verdict>();
  const tags = tagCalls(ops, places);
  for (const [op, tag] of tags)
    out.set(op, { ...on('tag', TAG_KINDS[tag.role], []), place: '/tag~', keyElsewhere: false, tag });
  const nameOf = namerOf(ops, places);
  const read = ops.map((op) => ({ op, found: procedureOf(op, places, nameOf) }));
  const nouns = new Set<string>();
  for (const { found } of read) if (found?.kind === 'get' || found?.kind === 'list') nouns.add(found.noun);
  const only = new Set(read.flatMap(({ op, found }) => (found && isOnly(op, found.kind, places) ? [found.noun] : [])));
  for (const { op, found } of read)
    if (found?.kind === 'list' && places.answer(op)?.many === true) only.delete(found.noun);
  for (const { op, found } of read) {
    if (!found || tags.has(op)) continue;
    const { kind, noun, verb } = found;
    const plain = kind !== undefined && kind !== 'action';
    const key = keyOf(op, places);
    if (only.has(noun) && key === undefined && (isOnly(op, kind, places) || kind === 'update' || kind === 'create'))
      out.set(op, asOnly(noun, kind === 'update' || kind === 'create' ? 'update' : 'get'));
    else if (plain && nouns.has(noun)) out.set(op, on(noun, kind, [], key));
    else if (nouns.has(noun) && makesRun(op, verb, noun, places)) out.set(op, on(noun, 'create', []));
    else {
      const about = nounIn(procedureWords(nameOf(op) ?? '').slice(1), nouns);
      if (about !== undefined && kind === 'update') {
        out.set(op, { ...on(about, 'update', [], key), aspect: noun });
      } else if (plain && kind !== 'get' && kind !== 'list' && kind !== 'search') out.set(op, on(noun, kind, [], key));
      else if (about !== undefined) out.set(op, on(about, 'action', [verb, op.id ?? ''], key));
    }
  }
  return out;
};
