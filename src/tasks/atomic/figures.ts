/** Numbers, amounts and days that a person decides on: near what is there, in the same steps, and on the right side of today. */
import { DAY, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import type { Row, SqlValue } from '../../world/state/types.js';

/** Days that have happened when they are written down; all others lie ahead. */
const HAPPENED =
  /birth|hired|since|occurred|incident|received|happened|bought|spent|taken|picked_on|paid|sent|delivered|inspected_on|applied_on|measured|read_on|worked|issue_date|value_date|loss_date|invoice_date|filled|reported|_at$(?<!starts_at|ends_at|planned_at|due_at|leaves_at|scheduled_at|expires_at)/;
const BORN = /birth|^dob$/;

export const hasHappened = (col: string): boolean => HAPPENED.test(col);

/** A day (or a moment of it) for a column, on the right side of today. */
export const someDay = (col: string, type: string, clock: number, random: Rng): number => {
  const day = startOfDay(clock) + (hasHappened(col) ? -1 : 1) * random.int(2, 45) * DAY;
  return type === 'date' ? day : day + random.int(32, 70) * 900;
};

/** A donor's day carried over to today: as long before or after today as it lay from the donor's own beginning. */
export const shiftedDay = (col: string, value: number, donor: Row, clock: number): number | undefined => {
  if (BORN.test(col)) return value;
  const { created_at: begun } = donor;
  const by = typeof begun === 'number' ? startOfDay(clock) - startOfDay(begun) : undefined;
  if (by === undefined) return undefined;
  // Today's date could not be told from a stamp of the run.
  const moved = value + by;
  const day = startOfDay(moved) === startOfDay(clock) ? moved + (hasHappened(col) ? -DAY : DAY) : moved;
  return hasHappened(col) === day <= clock ? day : undefined;
};

/**
 * Another day in place of `current`: a plan moves within days and stays ahead, a record is put right by a day or two. Undefined
 * when a plan is past: nobody moves what is over.
 */
export const otherDay = (
  col: string,
  current: SqlValue | undefined,
  type: string,
  clock: number,
  random: Rng,
): number | undefined => {
  if (typeof current !== 'number') return hasHappened(col) ? undefined : someDay(col, type, clock, random);
  const step = random.int(1, 3) * DAY;
  if (BORN.test(col)) return undefined;
  if (hasHappened(col)) return current - step;
  if (current < startOfDay(clock) - 30 * DAY) return undefined;
  const day = Math.max(current, startOfDay(clock)) + random.int(1, 4) * (random.chance(0.5) ? 7 : 1) * DAY;
  return type === 'date' ? startOfDay(day) : day;
};

/** The step in which a number is kept: 1,250 goes by 50, 12,000 by 1,000, 9.75 by 0.05. */
const stepOf = (value: number): number => {
  if (!Number.isInteger(value)) return 0.25;
  const size = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value)))) - 1);
  return [size * 10, size * 5, size].find((step) => value % step === 0 && step < Math.abs(value)) ?? 1;
};

/** A number near `current`, in its own steps and within the bounds. */
export const otherNumber = (current: number, low: number, high: number, random: Rng): number | undefined => {
  const step = stepOf(current);
  const away = Math.max(1, Math.round((Math.abs(current) * random.int(10, 40)) / 100 / step)) * step;
  for (const next of random.shuffle([current + away, current - away])) {
    const value = Number(next.toFixed(2));
    if (value !== current && value >= low && value <= high && (value > 0 || current <= 0)) return value;
  }
  return undefined;
};
