/** The moment at which every session of a world starts: nine to five on a working day of 2025 or 2026. */
import { DAY, HOUR, weekday } from '../../../kit/calendar.js';
import type { Rng } from '../../../kit/rng.js';

const FIRST_DAY = 1_738_540_800; // 3 February 2025
const SPAN_DAYS = 560;

/** Unix seconds. */
export const drawClock = (rng: Rng): number => {
  let day = FIRST_DAY + rng.int(0, SPAN_DAYS) * DAY;
  while (weekday(day) === 0 || weekday(day) === 6) day += DAY;
  return day + rng.int(8, 15) * HOUR + rng.int(0, 11) * 300;
};
