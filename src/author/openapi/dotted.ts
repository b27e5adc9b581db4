/**
 * APIs of nothing but procedures, each named after what it acts on: `/invoices.create`, `/chat.postMessage`. What a procedure does is
 * told by the words after the last dot; what it acts on, by those before it, or by what its answers show: where no call reads a
 * `chat`, and its calls write the messages that another one lists, they act on messages.
 */
import { singular, snake, wordsOf } from '../../kit/words.js';
import { segmentKind, verbNoun } from './crud-words.js';
import { isDotted, isPlumbing } from './paths.js';
import type { Places } from './places.js';
import type { Verdict } from './sightings.js';
import type { DocOperation, OperationKind } from './types.js';
import { isArray, isObject, type Unwrapped, unwrap } from './unwrap.js';

export interface DottedRead {
  verdict: Verdict;
  /** Where the answer is about another thing than the path says. */
  answer?: Unwrapped | undefined;
}

interface Call {
  op: DocOperation;
  /** `/chat`, one for all procedures of what stands before the last dot. */
  place: string;
  noun: string;
  /** As written: `postMessage`. */
  verb: string;
  kind: OperationKind | undefined;
}

const callOf = (op: DocOperation, places: Places): Call | undefined => {
  const { segments, verb } = places.shape(op);
  const last = segments.at(-1);
  if (verb !== undefined || !last || last.param || !isDotted(last.text)) return undefined;
  if (segments.slice(0, -1).some(({ param, text }) => param || !isPlumbing(text))) return undefined;
  const read = verbNoun(last.text);
  if (!read) return undefined;
  const noun = read.noun.split('_').at(-1) ?? read.noun;
  return { op, place: `/${singular(snake(read.noun))}`, noun, verb: read.verb, kind: read.kind };
};

const READS = new Set<OperationKind | undefined>(['get', 'list', 'search']);
const CREATES = /^(create|add|insert|post|make|send|publish|submit|write|upload|open|start)$/;
const SETS = /^(set|update|change|edit|modify)$/;
/** A list of fewer properties is one of errors, links or bare words. */
const MOST_TRIVIAL = 3;

/** What the only list of an answer is called, where it is no plain list of what stands before the dot. */
const listedWord = ({ op }: Call, { schemas }: Places): string | undefined => {
  const view = op.answer === undefined ? undefined : schemas.view(op.answer);
  const lists = [...(view?.properties ?? [])].filter(([, raw]) => {
    const property = schemas.view(raw);
    return isArray(property) && schemas.view(property.items).properties.size > MOST_TRIVIAL;
  });
  return lists.length === 1 ? singular(snake(lists[0]?.[0] as string)) : undefined;
};

/** Things that its words and answers speak of: `postMessage`, `{message: {...}}`. */
const spokenOf = ({ op, verb }: Call, { schemas }: Places): Set<string> => {
  const words = new Set<string>();
  const rest = wordsOf(verb).slice(1).join('_');
  if (rest !== '') words.add(singular(rest));
  const view = op.answer === undefined ? undefined : schemas.view(op.answer);
  for (const [name, raw] of view?.properties ?? []) if (isObject(schemas.view(raw))) words.add(snake(name));
  return words;
};

/** The listed thing that the calls of a place which nothing reads speak of: at least two of them, most of all. */
const standsFor = (calls: readonly Call[], listed: ReadonlySet<string>, places: Places): string | undefined => {
  if (calls.some(({ kind }) => READS.has(kind))) return undefined;
  const votes = new Map<string, number>();
  for (const call of calls)
    for (const word of spokenOf(call, places)) if (listed.has(word)) votes.set(word, (votes.get(word) ?? 0) + 1);
  const [best, second] = [...votes].sort((a, b) => b[1] - a[1]);
  return best && best[1] >= 2 && best[1] > (second?.[1] ?? 0) ? best[0] : undefined;
};

const on = (place: string, noun: string, kind: OperationKind, words: string[] = []): Exclude<Verdict, string> => ({
  kind,
  place,
  noun,
  parents: [],
  keyParam: undefined,
  keyElsewhere: kind !== 'list' && kind !== 'search' && kind !== 'create',
  words,
});

/** `scheduleMessage` makes what another place calls a scheduled message. */
const participles = (verb: string): string[] => [`${verb}d`, `${verb}ed`];

/** Of a procedure that acts on `word` under another head. */
const onSpoken = (call: Call, word: string, byNoun: ReadonlyMap<string, Call>): Exclude<Verdict, string> => {
  const place = `/${word}`;
  const [verb = '', ...rest] = wordsOf(call.verb);
  if (rest.length === 0) return on(place, word, call.kind ?? 'action', call.kind ? [] : [call.verb]);
  const what = singular(rest.join('_'));
  const kind = CREATES.test(verb) ? 'create' : segmentKind(verb);
  const other = byNoun.get(what);
  if (other && kind) return on(other.place, other.noun, kind);
  if (what !== word) return on(place, word, 'action', [call.verb]);
  const made = participles(verb).flatMap((one) => byNoun.get(`${one}_${word}`) ?? [])[0];
  if (made) return on(made.place, made.noun, 'create');
  return kind ? on(place, word, kind) : on(place, word, 'action', [call.verb]);
};

/** Of a procedure that acts on what stands before its last dot. */
const onOwn = (call: Call, isRead: boolean, places: Places): Exclude<Verdict, string> => {
  const { place, noun, kind, verb, op } = call;
  if (kind !== undefined) return on(place, noun, kind);
  const [head = '', ...rest] = wordsOf(verb);
  // `setTopic` writes a part of the row, where its body says it.
  if (isRead && SETS.test(head) && rest.length > 0 && places.body(op)) return on(place, noun, 'update');
  return on(place, noun, 'action', [verb]);
};

const groupedBy = <T>(items: readonly T[], of: (item: T) => string): Map<string, T[]> => {
  const out = new Map<string, T[]>();
  for (const item of items) out.set(of(item), [...(out.get(of(item)) ?? []), item]);
  return out;
};

/** Reads all procedures of a document that are named so. */
export const byDots = (ops: readonly DocOperation[], places: Places, every: boolean): Map<DocOperation, DottedRead> => {
  const calls = ops.flatMap((op) => callOf(op, places) ?? []);
  const heads = groupedBy(calls, ({ place }) => place);
  const byNoun = new Map(
    [...heads.values()].flatMap((group) => {
      const call = group.find(({ kind }) => READS.has(kind));
      return call ? [[singular(snake(call.noun)), call] as const] : [];
    }),
  );
  const lists = new Map<Call, string>();
  for (const call of calls)
    if (call.op.method === 'get' && call.kind === undefined) {
      const word = listedWord(call, places);
      if (word !== undefined && word !== singular(snake(call.noun))) lists.set(call, word);
    }
  const stands = new Map<string, string>();
  for (const [place, group] of heads) {
    const word = standsFor(group, new Set(lists.values()), places);
    if (word !== undefined) stands.set(place, word);
  }
  const written = new Set(stands.values());
  const out = new Map<DocOperation, DottedRead>();
  for (const call of calls) {
    const { op, place } = call;
    const listed = lists.get(call);
    const word = stands.get(place);
    const isList = listed !== undefined && written.has(listed);
    const isRead = heads.get(place)?.some(({ kind }) => READS.has(kind)) === true;
    const verdict = isList
      ? on(`/${listed}`, listed, 'list')
      : word !== undefined
        ? onSpoken(call, word, byNoun)
        : onOwn(call, isRead, places);
    const about = isList || (word !== undefined && verdict.noun === word);
    out.set(op, {
      verdict,
      answer:
        about && op.answer !== undefined
          ? unwrap(op.answer, verdict.noun, verdict.kind === 'list', places.schemas, every)
          : places.answer(op),
    });
  }
  return out;
};
