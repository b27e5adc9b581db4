/** Which stored values a person would say. */
import type { SqlValue } from '../../world/state/types.js';
import { sayColumn, spelled } from './names.js';

/** Looks like a key of some other system: nobody would say it. */
export const KEYLIKE =
  /^([a-z]{2,6}[_-])?(?=[0-9a-z]*[0-9])(?=[0-9a-z]*[a-z])[0-9a-z]{6,}$|^[a-z]{2,6}_[0-9a-z]+$|^[0-9a-f]{8}-[0-9a-f]{4}-/i;

/** Values made up for a column that nothing is known about: `Prefs voting C8`, `Test clock Atlanta depot`. */
const isFiller = (col: string, value: string): boolean => {
  const name = `${spelled(col).toLowerCase()} `;
  // `Hall C` and `Barn 2` are what such places are called.
  return value.toLowerCase().startsWith(name) && !(/^[a-z]+$/.test(col) && value.length <= name.length + 2);
};

/** A mark kept as a number: `closed 0` says nothing aloud. */
const isMark = (col: string, value: number): boolean =>
  (value === 0 || value === 1) && /^(is|has)_|(ed|able|ible)$/.test(col);

const ADDRESSED = /e?mail|address|user|login|contact|owner|recipient|sender|author|_by$|^to$|^from$|^cc$/;

/** Whether a person would say this value of this column. */
export const isSayable = (col: string, value: SqlValue | undefined): value is string | number =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(typeof value === 'number' && isMark(col, value)) &&
  !(
    typeof value === 'string' &&
    (KEYLIKE.test(value) ||
      isFiller(col, value) ||
      /^[a-z]+(_[a-z]+)+$/.test(value) ||
      (value.includes('@') && !ADDRESSED.test(col)))
  );

/** A longer column name comes from several levels down (`mandate data customer acceptance accepted date`): nobody says it. */
const MOST_WORDS = 4;
export const isSpeakable = (name: string): boolean => sayColumn(name).split(' ').length <= MOST_WORDS;
