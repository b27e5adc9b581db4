/** Operations whose id, not whose path, says what they do to what: `pubsub.projects.topics.list`, `users.info`, `CreateVpc`. */
import { singular, snake, wordsOf } from '../../kit/words.js';
import { matchVerb } from '../lexicon/match.js';
import { batchKind, segmentKind, verbNoun } from './crud-words.js';
import { isDotted, isPlumbing, type PathShape, placeOf, type Segment } from './paths.js';
import type { Places } from './places.js';
import type { Verdict } from './sightings.js';
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

/** `/CancelTransaction`: a path that is no more than a verb and what it is done to. */
const segmentOf = (op: DocOperation, places: Places): string | undefined => {
  const { segments, verb } = places.shape(op);
  if (verb !== undefined || segments.some((segment) => segment.param)) return undefined;
  const named = segments.filter((segment) => !isPlumbing(segment.text));
  const [only] = named;
  if (named.length !== 1 || !only || isDotted(only.text) || places.hasItems(placeOf(segments))) return undefined;
  // `/createjobqueue`: the id tells the words apart.
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  if (op.id !== undefined && wordsOf(op.id).length > 1 && bare(op.id) === bare(only.text)) return op.id;
  return wordsOf(only.text).length > 1 ? only.text : undefined;
};

const nameOf = (op: DocOperation, places: Places): string | undefined =>
  places.shape(op).segments.length === 0 ? op.id : segmentOf(op, places);

const procedureOf = (op: DocOperation, places: Places): Procedure | undefined => {
  const words = procedureWords(nameOf(op, places) ?? '');
  const isBatch = words[0] === 'batch' && batchKind(words.slice(0, 2).join('_'), '') !== undefined;
  const [verb = '', ...rest] = isBatch ? words.slice(1) : words;
  if (rest.length === 0 || verb === 'batch') return undefined;
  const kind = VERBS[verb] ?? segmentKind(verb);
  if (kind === undefined && matchVerb(verb, rest.at(-1) as string) === undefined) return undefined;
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

const on = (noun: string, kind: OperationKind, words: string[]): Verdict => ({
  kind,
  place: `/${noun}`,
  noun,
  parents: [],
  keyParam: undefined,
  keyElsewhere: kind !== 'list' && kind !== 'search' && kind !== 'create',
  words,
});

const RUN = /(job|execution|task|run|session|query|import|export|scan|analysis|test|build|deployment|operation)$/;

/** `StartDetectionJob` makes the job that it starts, unless it takes the job's id. */
const makesRun = (op: DocOperation, verb: string, noun: string, places: Places): boolean => {
  if (!/^(start|run|begin|submit|request)$/.test(verb) || !RUN.test(noun)) return false;
  const tail = noun.split('_').at(-1) as string;
  const names = [...(places.body(op)?.item.properties.keys() ?? [])].map(snake);
  return !names.some(
    (name) => name === 'id' || name === `${tail}_id` || name === `${noun}_id` || name === `${noun}_arn`,
  );
};

/**
 * Reads operations without a path of their own (`/#Action=CreateVpc`, one path for all) by their ids. A noun counts as a resource
 * when something reads it; other verbs act on the longest such noun among their words.
 */
export const byIds = (ops: readonly DocOperation[], places: Places): Map<DocOperation, Verdict> => {
  const out = new Map<DocOperation, Verdict>();
  const read = ops.map((op) => ({ op, found: procedureOf(op, places) }));
  const nouns = new Set<string>();
  for (const { found } of read) if (found?.kind === 'get' || found?.kind === 'list') nouns.add(found.noun);
  for (const { op, found } of read) {
    if (!found) continue;
    const { kind, noun, verb } = found;
    const plain = kind !== undefined && kind !== 'action';
    if (plain && nouns.has(noun)) out.set(op, on(noun, kind, []));
    else if (nouns.has(noun) && makesRun(op, verb, noun, places)) out.set(op, on(noun, 'create', []));
    else {
      const about = nounIn(procedureWords(nameOf(op, places) ?? '').slice(1), nouns);
      if (about !== undefined && kind === 'update') {
        const base = on(about, 'update', []);
        out.set(op, typeof base === 'string' ? base : { ...base, aspect: noun });
      } else if (plain && kind !== 'get' && kind !== 'list' && kind !== 'search') out.set(op, on(noun, kind, []));
      else if (about !== undefined) out.set(op, on(about, 'action', [verb, op.id ?? '']));
    }
  }
  return out;
};
