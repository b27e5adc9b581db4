/** What an agent reads of a tool the lexicon made, when the document says nothing. */
import { withArticle } from '../../kit/words.js';
import type { MainRow } from './main-row.js';
import type { Scope } from './scope.js';

const plain = (word: string): string => word.replaceAll('_', ' ').toLowerCase();

/** `Void an invoice. It must be open or draft; its status becomes void.` */
export const describe = (word: string, row: MainRow, scope: Scope): string => {
  const verb = plain(word);
  const head = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${withArticle(scope.table.noun)}.`;
  const { move } = row;
  if (!move) return head;
  const target = move.partial ? `${plain(move.partial)}, or ${plain(move.to)} when nothing is left` : plain(move.to);
  const from =
    move.from?.length && move.from.length <= 5 ? `It must be ${move.from.map(plain).join(' or ')}; its` : 'Its';
  return `${head} ${from} ${plain(move.col)} becomes ${target}.`;
};
