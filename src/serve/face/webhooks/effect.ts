/** Whether what a request did to a row is what a webhook's name tells of. */
import type { Column, Table } from '../../../artifacts/table.js';
import { snake } from '../../../kit/words.js';
import type { Row } from '../../../world/state/types.js';
import type { Change, Meaning } from './meaning.js';

/** A row that a request touched. */
export interface Effect {
  service: string;
  table: string;
  key: string | number;
  change: Change;
  cols: readonly string[];
  /** As it is after the request; as it was before, where it was deleted. */
  row: Row;
}

const IRREGULAR: Record<string, string> = {
  paid: 'pay',
  sent: 'send',
  sold: 'sell',
  lost: 'lose',
  won: 'win',
  held: 'hold',
  made: 'make',
};

/** `closed`, `closing` and `close` are one word; `canceled` and `cancelled` too. */
const stem = (word: string): string =>
  (IRREGULAR[word] ?? word)
    .replace(/ll/g, 'l')
    .replace(/(?<=.{3})(ing|ed|en|es|e|s)$/, '')
    .replace(/(.)\1$/, '$1');

export const sameWord = (one: string, other: string): boolean => {
  const [a, b] = [stem(one), stem(other)];
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 5 && long.startsWith(short);
};

const tells = (word: string, name: string, column: Column, value: unknown): boolean => {
  const plain = snake(name);
  if (column.type === 'bool') return value === 1 && sameWord(plain.replace(/^(is|has|was)_/, ''), word);
  if (column.type === 'date' || column.type === 'datetime')
    return value !== null && sameWord(plain.replace(/_(at|on|date|time|datetime)$/, ''), word);
  return typeof value === 'string' && column.enum !== undefined && sameWord(snake(value), word);
};

/** A status, flag or moment that the request set to the word. */
const saysWord = (word: string, { cols, row, change }: Effect, { cols: columns }: Table): boolean =>
  change !== 'delete' &&
  cols.some((name) => {
    const column = columns[name];
    return column !== undefined && tells(word, name, column, row[name]);
  });

/** `action` is the last word of the request's path: `pay` of `/invoices/{id}/pay`. */
export const isTold = (
  { changes, word }: Meaning,
  effect: Effect,
  table: Table,
  action: string | undefined,
): boolean => {
  if (changes.has(effect.change)) return true;
  if (word === undefined) return changes.size === 0;
  if (saysWord(word, effect, table)) return true;
  return effect.change === 'update' && action !== undefined && sameWord(action, word);
};
