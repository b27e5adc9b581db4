/** A fact as the user tells it: one plain sentence that holds its words. */
import type { Column } from '../../artifacts/table.js';
import { closed, quoted } from '../words/grammar.js';
import { sayColumn, spelled } from '../words/names.js';
import { sayWhen } from '../words/rows.js';

/** Words in -s that are one thing. */
const ONE = /(ss|us|is|news|series|species|gas|lens|bias|atlas)$/;
const areOrIs = (field: string): string => {
  const head = (field.split(/ (?:of|for|in|on|at|to|with|by|from|per) /)[0] as string).split(' ').at(-1) as string;
  return /^\p{Ll}{2,}s$/u.test(head) && !ONE.test(head) ? 'are' : 'is';
};

/** What the fact is about. */
export interface About {
  col: string;
  /** The column it lies in, where there is one. */
  column: Column | undefined;
  /** The column as it is asked for, where it points to nothing: `due date`, `expected amount`. */
  field?: string;
  /** Noun of the thing that it is told of. */
  thing: string;
  /** Noun of what it points to, and whether that is somebody of the company. */
  noun?: string;
  isPerson?: boolean;
  isText?: boolean;
  /** `own`: a thing is known by it; `given`: a value to be taken; `new`: it takes the place of another. */
  as: 'own' | 'given' | 'new';
}

/** Keys that stand for what they point to: nobody says that the SKU is a tart. */
const KEY = /(^|_)(no|sku|code|number|email|username)$/;

/** What the fact is called: the role (`from location`), or the noun of what it points to where the role says no more. */
export const fieldOf = ({ col, column, field, thing, noun, isPerson }: About): string => {
  // By its label it is the thing itself.
  if (noun && noun === thing && column === undefined && !isPerson) return noun;
  const role = sayColumn(col);
  if (noun && isPerson) return role.replace(/ (number|e-mail|e-mail address|username)$/, '');
  if (noun) return KEY.test(col) || noun.includes(role) ? noun : role;
  if (field) return field;
  const isDay = column?.type === 'date' || column?.type === 'datetime';
  return isDay && !/(date|time|day|deadline|end of)/.test(role) ? `${role} date` : role;
};

const value = (words: string, { col, isText }: About): string => (isText ? quoted(words, col) : words);

/**
 * `The customer is Brinkhof Interiors.`, `The invoice is the one due on 4 April 2024.`, `The new due date is 10 May 2024.`;
 * `isFull` names the thing where its field alone would mean two: `The owner of the sales order is ...`.
 */
export const tells = (words: string, about: About, isFull = false): string => {
  const { col, column, isPerson, as, thing } = about;
  if (/_by$/.test(col)) return closed(`The ${thing} ${as === 'own' ? 'was' : 'is to be'} ${spelled(col)} ${words}`);
  if (!isPerson && as === 'own' && (column?.type === 'date' || column?.type === 'datetime')) {
    const when = sayWhen(col, words);
    if (!/^(with|of|valid|on) /.test(when)) return closed(`The ${thing} is the one ${when}`);
  }
  const field = fieldOf(about);
  if (column?.type === 'bool')
    return closed(as === 'own' ? `“${field}” is set to ${words}` : `“${words}” is the mark I mean`);
  const whose = isFull && field !== thing ? ` of the ${thing}` : '';
  return closed(`The ${as === 'new' ? 'new ' : ''}${field}${whose} ${areOrIs(field)} ${value(words, about)}`);
};
