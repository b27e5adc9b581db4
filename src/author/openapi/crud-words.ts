/** Words in paths and operation ids that plainly mean create, read, update, delete or search. */
import { wordsOf } from '../../kit/words.js';
import type { OperationKind } from './types.js';

const WORDS: readonly (readonly [OperationKind, string])[] = [
  ['list', 'list all index browse listall getall'],
  ['search', 'search find query lookup filter searches'],
  ['get', 'get show detail details info view read fetch retrieve describe'],
  ['create', 'create add new insert post make upsert'],
  ['update', 'update edit modify save patch replace put change'],
  ['delete', 'delete remove destroy del'],
];
const BY_WORD = new Map(WORDS.flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const)));

/** The kind a whole segment means: `search`, `findByStatus`, `list`; undefined for a noun or another verb. */
export const segmentKind = (segment: string): OperationKind | undefined => {
  const words = wordsOf(segment);
  const [first = '', second] = words;
  const kind = BY_WORD.get(first);
  if (words.length === 1) return kind;
  if (second === 'all') return kind === 'get' ? 'list' : kind;
  return second === 'by' ? (kind === 'get' ? 'search' : kind) : undefined;
};

const MANY = /^(bulk|batch|mass|many|multiple)$/;
const METHOD_KINDS: Record<string, OperationKind> = {
  post: 'create',
  put: 'update',
  patch: 'update',
  delete: 'delete',
};

/** `batchUpdate`, `bulk-delete`, `POST /bulk`: what is done to many rows at once; undefined for another word, and for reads. */
export const batchKind = (text: string, method: string): OperationKind | undefined => {
  const words = wordsOf(text);
  const rest = words.filter((word) => !MANY.test(word));
  if (rest.length === words.length || rest.length > 1) return undefined;
  const kind = rest[0] === undefined ? METHOD_KINDS[method] : BY_WORD.get(rest[0]);
  return kind === 'create' || kind === 'update' || kind === 'delete' ? kind : undefined;
};

export interface VerbNoun {
  kind: OperationKind | undefined;
  verb: string;
  noun: string;
}

/** `createUser` -> create, user; `conversations.list` -> list, conversations; `getPetsByOwner` -> get, pets. */
export const verbNoun = (name: string): VerbNoun | undefined => {
  const dotted = name.split('.').filter(Boolean);
  const last = dotted.at(-1);
  if (dotted.length >= 2 && last !== undefined) {
    const [verb = ''] = wordsOf(last);
    return {
      kind: BY_WORD.get(wordsOf(last).length === 1 ? verb : ''),
      verb: last,
      noun: dotted.slice(0, -1).join('_'),
    };
  }
  const words = wordsOf(name);
  const [verb = '', ...rest] = words;
  const by = rest.indexOf('by');
  const noun = (by > 0 ? rest.slice(0, by) : rest).join('_');
  return noun ? { kind: BY_WORD.get(verb), verb, noun } : undefined;
};

/** Kind by the first or last word of an operation id, for the cases its path leaves open. */
export const idKind = (id: string | undefined): OperationKind | undefined => {
  const words = wordsOf(id ?? '');
  return BY_WORD.get(words[0] ?? '') ?? BY_WORD.get(words.at(-1) ?? '');
};
