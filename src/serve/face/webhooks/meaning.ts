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

/** Whether the name's noun is that of a table: one may say more than the other (`crm.customer`, `shop_order`). */
export const isOfTable = ({ noun }: Meaning, table: string): boolean => {
  const words = (text: readonly string[]): string[] => wordsOf(singular(text.join('_')));
  const [said, own] = [words(noun), words([table])];
  return isEnd(said, own) || isEnd(own, said);
};
