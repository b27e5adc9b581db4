/** What a webhook's name says: which table, and what happened to its row. `customer.created`, `invoice_paid`, `newPet`. */
import { singular, wordsOf } from '../../../kit/words.js';

export interface Meaning {
  /** The row's table, as the name has it; empty where the name has none. */
  noun: readonly string[];
  /** Changes that it tells of; empty where the name tells of none. */
  changes: ReadonlySet<Change>;
  /** A word that may be a status, a flag or a moment of the row: `paid`. */
  word: string | undefined;
}

export type Change = 'insert' | 'update' | 'delete';

const FILLER = new Set([
  'webhook',
  'webhooks',
  'hook',
  'event',
  'events',
  'on',
  'notification',
  'notify',
  'callback',
  'was',
  'been',
  'has',
  'is',
  'got',
  'after',
  'v1',
  'v2',
]);

const INSERTS = ['created', 'create', 'new', 'added', 'add', 'opened', 'placed', 'registered', 'inserted', 'submitted'];
const UPDATES = ['updated', 'update', 'changed', 'change', 'modified', 'edited', 'edit'];
const DELETES = ['deleted', 'delete', 'removed', 'remove', 'destroyed'];
const VERBS = new Map<string, Change>([
  ...INSERTS.map((word): [string, Change] => [word, 'insert']),
  ...UPDATES.map((word): [string, Change] => [word, 'update']),
  ...DELETES.map((word): [string, Change] => [word, 'delete']),
]);

/** A past participle: it may be a status. */
const isParticiple = (word: string): boolean =>
  /(ed|en)$/.test(word) ||
  ['paid', 'sent', 'sold', 'lost', 'won', 'held', 'made', 'read', 'set', 'live'].includes(word);

export const meaningOf = (name: string): Meaning => {
  const words = wordsOf(name).filter((word) => !FILLER.has(word));
  const last = words.at(-1);
  const verb = words.find((word) => VERBS.has(word));
  const participle = last !== undefined && words.length > 1 && isParticiple(last) ? last : undefined;
  const word = verb ?? participle;
  const change = word === undefined ? undefined : VERBS.get(word);
  const noun = words.filter((each) => each !== word);
  return { noun, changes: new Set(change ? [change] : []), word };
};

const isEnd = (whole: readonly string[], end: readonly string[]): boolean =>
  end.length > 0 && end.every((word, i) => whole[whole.length - end.length + i] === word);

const plain = (words: readonly string[]): string[] => wordsOf(singular(words.join('_')));

/** Higher for names that say the same, lower for each word that only one of them has; undefined for another noun. */
const likeness = (said: readonly string[], own: readonly string[]): number | undefined =>
  isEnd(said, own) || isEnd(own, said)
    ? 10 * Math.min(said.length, own.length) - Math.abs(said.length - own.length)
    : undefined;

/** Which of the tables the name's noun is: one may say more than the other (`crm.customer`, `shop_order`). */
export const tablesMeant = ({ noun }: Meaning, tables: readonly string[]): string[] => {
  const said = plain(noun);
  const scores = tables.flatMap((table) => {
    const score = likeness(said, plain([table]));
    return score === undefined ? [] : [{ table, score }];
  });
  const best = Math.max(...scores.map(({ score }) => score));
  return scores.filter(({ score }) => score === best).map(({ table }) => table);
};
