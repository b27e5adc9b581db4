/** Another value of the same kind, as somebody who changes their mind would name it. */
import { isoDate } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import { freeText } from '../../tasks/atomic/texts.js';

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
  const text = freeText(name, [], value, random);
  return text === '' || text === value ? undefined : text;
};

/** As the state stores it. */
export const newStored = (type: string, value: number, random: Rng): number =>
  type === 'date' || type === 'datetime' ? value + DAY * random.int(2, 9) : nearNumber(value, random);
