/** Past participles: what a status is called once the verb has been done. */

import { lexicon } from './load.js';
import { folder } from './spelling.js';

/** Stressed last syllables, whose consonant doubles though the word is longer. */
const STRESSED = /((^|sub|ad|per|com|re|trans|e|o)mit|(trans|re|pre|de|con|in)fer|cur|pel|abet|(cont|pat)rol)$/;

const doubles = (word: string): boolean => {
  if (!/[^aeiou][aeiou][bdfgklmnprtz]$/.test(word) && !/^[aeiou][dbgmnpt]$/.test(word)) return false;
  const syllables = word.replace(/^(un|re)(?=[a-z]{3})/, '').match(/[aeiouy]+/g)?.length ?? 0;
  return syllables === 1 || STRESSED.test(word) || /[^e]el$/.test(word);
};

const regular = (word: string): string => {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ied`;
  if (word.endsWith('e')) return `${word}d`;
  if (word.endsWith('ed')) return word;
  return doubles(word) ? `${word}${word.at(-1)}ed` : `${word}ed`;
};

/** Past participle of a lower_snake word, in folded spelling: `mark_paid` is not one, `check_in` -> `checked_in`, `ship` -> `shipped`. */
export const participleOf = (word: string): string => {
  const lex = lexicon();
  const known = lex.participles[word];
  if (known !== undefined) return known;
  const [head = '', ...rest] = word.split('_');
  const headForm = lex.participles[head] ?? regular(head);
  return folder(lex.spelling)([headForm, ...rest]).join('_');
};
