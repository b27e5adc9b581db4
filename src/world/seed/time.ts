/** Points in time as a business's records have them: working hours, more of them towards now. */
import { DAY, HOUR, startOfDay, weekday } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';

/** Moves a time to a weekday (9 in 10) and into working hours (19 in 20) of a zone `offset` seconds east of UTC; stays within [from, to]. */
export const atWork = (at: number, offset: number, from: number, to: number, r: Rng): number => {
  const moved = workHour(at, offset, r);
  return moved >= from && moved <= to ? moved : Math.max(from, Math.min(to, at));
};

const workHour = (at: number, offset: number, r: Rng): number => {
  let local = at + offset;
  const day = weekday(local);
  if ((day === 0 || day === 6) && r.chance(0.9)) local -= (day === 0 ? 2 : 1) * DAY;
  if (r.chance(0.05)) return local - offset;
  return startOfDay(local) + 8 * HOUR + r.int(0, 10 * HOUR) - offset;
};

/** A time in [from, to] that thins out backwards: half of them in the last quarter for `skew` 2. */
export const towardsNow = (from: number, to: number, r: Rng, skew = 2): number =>
  Math.floor(to - (to - from) * r.unit() ** skew);

/** Seconds to wait for a step whose usual wait is `median`: log-normal. */
export const wait = (median: number, r: Rng): number => Math.max(300, Math.floor(median * Math.exp(r.normal() * 0.8)));

/** Saturday and Sunday become Monday. */
export const nextWorkday = (at: number): number => {
  const day = weekday(at);
  return day === 6 ? at + 2 * DAY : day === 0 ? at + DAY : at;
};

/** The quarter hour below. */
export const quarterHour = (at: number): number => Math.floor(at / 900) * 900;
