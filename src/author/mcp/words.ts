/** What a tool's name says: which kind of call on which noun. */
import { plural, singular, wordsOf } from '../../kit/words.js';
import { meaningOf } from '../lexicon/match.js';
import type { OperationKind } from '../openapi/types.js';

export interface NameReading {
  kind: OperationKind;
  /** Singular, lower_snake; empty where the name speaks of no thing. */
  noun: string;
  /** The noun stands in the plural. */
  many: boolean;
  /** The words that are the verb: `mark_as_paid`. */
  verb: string;
}

const PARTICLES = new Set(
  'a an the all my our new single one current given specific existing multiple many'.split(' '),
);
/** What follows tells how or where, not what. */
const BREAKS = new Set('by for from in on of with to into at via using per as'.split(' '));
const PLAIN: Record<string, OperationKind> = {};
for (const [kind, words] of [
  ['list', 'list index browse enumerate'],
  ['search', 'search find query lookup filter'],
  ['get', 'get show fetch read retrieve describe view'],
  ['create', 'create add new insert make register'],
  ['update', 'update edit modify set change patch put save'],
  ['delete', 'delete remove destroy drop erase'],
] as const)
  for (const word of words.split(' ')) PLAIN[word] ??= kind;

const kindOfVerb = (word: string): OperationKind | undefined => (Object.hasOwn(PLAIN, word) ? PLAIN[word] : undefined);

/** A word the lexicon knows as something done to `noun`. */
const isVerb = (word: string, noun: string): boolean =>
  kindOfVerb(word) !== undefined || meaningOf(word, noun)?.is === 'action';

const nounOf = (words: readonly string[]): { noun: string; many: boolean } => {
  const stop = words.findIndex((word, i) => i > 0 && BREAKS.has(word));
  const kept = (stop > 0 ? words.slice(0, stop) : [...words]).filter(
    (word) => !PARTICLES.has(word) && !BREAKS.has(word),
  );
  const text = kept.join('_');
  const one = singular(text);
  return { noun: one, many: one !== text || (text !== '' && plural(text) === text) };
};

/**
 * Reads `list_tickets`, `tickets.list`, `ticketCreate`, `mark_ticket_as_paid`, `getAllUsers`. `nouns` are those already known: they
 * tell the verb from the noun where both could be either.
 */
export const readName = (words: readonly string[], nouns: ReadonlySet<string> = new Set()): NameReading => {
  const [first = '', ...rest] = words;
  const last = words.at(-1) ?? '';
  const front = kindOfVerb(first);
  if (front !== undefined && rest.length > 0) {
    const { noun, many } = nounOf(rest);
    const all = rest[0] === 'all' || many;
    return { kind: front === 'get' && all ? 'list' : front, noun, many, verb: first };
  }
  const back = kindOfVerb(last);
  if (back !== undefined && words.length > 1) {
    const { noun, many } = nounOf(words.slice(0, -1));
    if (!isVerb(first, noun) || nouns.has(noun)) return { kind: back, noun, many, verb: last };
  }
  // The longest noun that is known, wherever it stands; the words around it are the verb.
  for (let size = words.length - 1; size > 0; size--)
    for (let at = 0; at + size <= words.length; at++) {
      const one = singular(words.slice(at, at + size).join('_'));
      if (!nouns.has(one)) continue;
      const verb = [...words.slice(0, at), ...words.slice(at + size)].join('_');
      return { kind: 'action', noun: one, many: false, verb };
    }
  const { noun, many } = nounOf(rest);
  if (rest.length === 0) return { kind: kindOfVerb(first) ?? 'action', noun: '', many: false, verb: first };
  return { kind: 'action', noun, many, verb: first };
};

/** Words of each name without what every name begins with: `jira_get_issue` and `jira_list_boards` speak of issues and boards. */
export const wordsOfNames = (names: readonly string[]): string[][] => {
  const all = names.map((name) => wordsOf(name.replace(/^.*(__|\/)/, '')));
  const firsts = new Map<string, number>();
  for (const [first = ''] of all) firsts.set(first, (firsts.get(first) ?? 0) + 1);
  const [common, times] = [...firsts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  const isPrefix = all.length >= 3 && times >= all.length * 0.8 && kindOfVerb(common) === undefined;
  if (!isPrefix || all.some((words) => words[0] === common && words.length === 1)) return all;
  const without = all.map((words) => (words[0] === common ? words.slice(1) : words));
  // `ticket_list`, `ticket_create`: what all begin with is the noun itself.
  return without.every((words) => words.length === 1) ? all : without;
};
