/** What an agent reads of a tool the lexicon made, when the document says nothing. */
import { withArticle } from '../../kit/words.js';
import type { MainRow } from './main-row.js';
import type { Scope } from './scope.js';
import { spokenStates } from './status.js';

const plain = (word: string): string => word.replaceAll('_', ' ').toLowerCase();

/** What moves besides a state, where there is none to tell. */
const changes = (row: MainRow, scope: Scope): string[] => {
  const cols = Object.keys(row.set)
    .filter((col) => !/_(at|on|by|count)$/.test(col))
    .slice(0, 3);
  const made =
    scope.inserted && scope.inserted !== scope.tableName ? [`Adds ${withArticle(plain(scope.inserted))}.`] : [];
  return [...(cols.length > 0 ? [`Changes its ${cols.map(plain).join(', ')}.`] : []), ...made];
};

/** `Void an invoice. It must be open or draft; its status becomes void.` */
export const describe = (word: string, row: MainRow, scope: Scope): string => {
  const verb = plain(word);
  const head = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${withArticle(scope.table.noun)}.`;
  const { move } = row;
  if (!move) return [head, ...changes(row, scope)].join(' ');
  const say = (values: readonly string[]): string =>
    spokenStates(values, scope.table.cols[move.col]?.enum ?? []).join(' or ');
  const to = say([move.to]);
  const target = move.partial ? `${say([move.partial])}, or ${to} when nothing is left` : to;
  const from = move.from?.length && move.from.length <= 5 ? `It must be ${say(move.from)}; its` : 'Its';
  return `${head} ${from} ${plain(move.col)} becomes ${target}.`;
};
