/** Another value of the same kind, as somebody who changes their mind would name it. */
import { isoDate } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import { freeText, newTitle, PROSE } from '../../tasks/atomic/texts.js';
import { wording } from '../../tasks/words/lexicon.js';
import type { Row, SqlValue } from '../../world/state/types.js';

const DAY = 86_400;

const nearNumber = (value: number, random: Rng): number => {
  if (Number.isInteger(value) && Math.abs(value) < 20) return value + random.int(1, 4);
  const made = value * (1 + random.int(8, 60) / 100);
  return Number.isInteger(value) ? Math.round(made) : Math.round(made * 100) / 100;
};

/** A later day, in the form of the first. */
const laterDay = (text: string, random: Rng): string | undefined => {
  const seconds = Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / 1000;
  return Number.isFinite(seconds) ? `${isoDate(seconds + DAY * random.int(2, 9))}${text.slice(10)}` : undefined;
};

const nearDecimal = (text: string, random: Rng): string => {
  const digits = text.split('.')[1]?.length ?? 0;
  return (Number(text) * (1 + random.int(8, 60) / 100)).toFixed(digits);
};

/** As an agent writes it in a call; undefined where nobody would change it (ids, choices). `name`: of the argument. */
export const newArgument = (name: string, value: Json | undefined, random: Rng): Json | undefined => {
  if (typeof value === 'number') return value > 1e9 ? value + DAY * random.int(2, 9) : nearNumber(value, random);
  if (typeof value !== 'string') return undefined;
  if (/^\d{4}-\d\d-\d\d(T.*)?$/.test(value)) return laterDay(value, random);
  if (/^\d{1,9}\.\d{1,3}$/.test(value)) return nearDecimal(value, random);
  if (!/\s/.test(value)) return undefined;
  if (/(^|_)(title|subject)$/.test(name)) return newTitle(value, random);
  // Names are not free: whoever is called otherwise is somebody else.
  if (!PROSE.test(name)) return undefined;
  return otherText(name, [], value, random);
};

const NOTES = /note|comment|remark|memo|instruction/;

/** What somebody would write there instead: what other rows say in the column, or a phrase for just that kind of column. */
export const otherText = (
  col: string,
  rows: readonly Row[],
  current: SqlValue | undefined,
  random: Rng,
): string | undefined => {
  const text = freeText(col, rows, current, random);
  if (text === '' || text === current) return undefined;
  const { phrases } = wording();
  // What fits everywhere says nothing, also where made rows say it.
  const isEmpty = phrases.some(({ for: kind, says }) => kind === '' && says.includes(text));
  const isKnown = rows.some((row) => row[col] === text) || phrases.some(({ says }) => says.includes(text));
  return isKnown && (!isEmpty || NOTES.test(col)) ? text : undefined;
};

/** As the state stores it. */
export const newStored = (type: string, value: number, random: Rng): number =>
  type === 'date' || type === 'datetime' ? value + DAY * random.int(2, 9) : nearNumber(value, random);
