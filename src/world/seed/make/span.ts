/** When what a row plans takes place: past for what is over, around now for what runs, ahead of the clock for what is to come. */
import { DAY, HOUR, startOfDay, weekday } from '../../../kit/calendar.js';
import { isBadEnd } from '../effects.js';
import { isBegun, isLiveStart, isOver, isPastStart, stepOf, takesPlace } from '../pace.js';
import { zoneOffset } from '../places.js';
import { nextWorkday, quarterHour } from '../time.js';
import type { Cell, Handle } from '../types.js';

const LONG =
  /contract|lease|policy|subscription|membership|project|loan|licen|coverage|warranty|mandate|term|period|budget|placement|deduction/;
const WEEKS = /campaign|promotion|^offer|sale|discount|season|exhibition|tender|auction|course|ad placement/;
const DAYS = /leave|reservation|stay|rental|trip|sprint|cycle|boarding|travel|hotel|on call|^booking$|window|equipment/;
const SLOT = /slot/;
/** Papers about days that have passed. */
const RECORDS = /timesheet|time entry|log$|statement|reading|manifest/;
const FREE = /^(open|free|available|vacant)$/;
/** Trades that are open on every day of the week. */
const SEVEN_DAYS = new Set(['44', '45', '48', '62', '71', '72']);

const lengthOf = ({ h, r }: Cell): number => {
  const { noun } = h.plan;
  if (LONG.test(noun)) return r.pick([90, 180, 365, 365, 730]) * DAY;
  if (WEEKS.test(noun)) return r.pick([7, 14, 14, 21, 28, 42]) * DAY;
  return DAYS.test(noun) ? r.int(1, 9) * DAY : r.pick([30, 45, 60, 60, 90, 120]) * 60;
};

/** Terms that run for months: from about the day they are entered, or ahead of the clock while they are drafts. */
const longSpan = ({ w, h, r }: Cell, length: number): { starts: number; ends: number } => {
  const { clock } = w.context;
  const status = h.meta.status ?? '';
  const over = /complet|expired|ended|finished|closed|done|returned/.test(status);
  if (over) {
    const end = Math.min(clock - DAY, h.meta.path.at(-1)?.at ?? clock - DAY);
    return { starts: end - length, ends: end };
  }
  const drafted = h.meta.path.length === 0 && h.plan.life !== undefined && !isLiveStart(status) && !isPastStart(status);
  const starts = drafted ? clock + r.int(3, 45) * DAY : (h.meta.path.at(0)?.at ?? h.meta.created) + r.int(0, 14) * DAY;
  // What is in force has not run out.
  const inForce = !isBadEnd(status) && starts + length < clock;
  return { starts, ends: inForce ? clock + r.int(10, 300) * DAY : starts + length };
};

const ahead = (clock: number, r: Cell['r'], most: number): number =>
  clock + 2 * HOUR + Math.floor(most * r.unit() ** 1.4);

/** Start of what takes place once, and its end where the row's own steps tell it. */
const shortSpan = ({ w, h, r }: Cell, length: number): { starts: number; ends?: number } => {
  const { clock } = w.context;
  const { life, noun } = h.plan;
  const { path, created, touched } = h.meta;
  const status = h.meta.status ?? '';
  const begun = path.find(({ to }) => isBegun(to));
  const over = path.find(({ to }) => isOver(to));
  if (begun && over && over !== begun) return { starts: begun.at, ends: over.at };
  if (begun && isOver(begun.to)) return { starts: begun.at };
  if (begun)
    return begun.at + length < clock ? { starts: begun.at, ends: ahead(clock, r, length) } : { starts: begun.at };
  if (over)
    return /no_show|missed/.test(over.to)
      ? { starts: over.at - 1_200 }
      : { starts: Math.min(over.at, over.at - length + DAY / 8) };
  if (!life || RECORDS.test(noun) || (isPastStart(status) && path.length === 0))
    return { starts: created - r.pick([0, 0, 0, 1, 2]) * DAY };
  if (SLOT.test(noun)) return { starts: FREE.test(status) ? ahead(clock, r, 14 * DAY) : touched + r.int(1, 12) * DAY };
  if (isBadEnd(status)) return { starts: touched + r.int(1, 14) * DAY };
  // Without a state that says it has taken place, what was agreed may lie behind or ahead.
  if (!takesPlace(life) && path.length > 0) return { starts: touched + r.int(1, 25) * DAY };
  if (!takesPlace(life) && life.open.size > 0 && isLiveStart(status)) return { starts: created + r.int(0, 2) * DAY };
  return { starts: ahead(clock, r, 30 * DAY) };
};

/** Start and end of a row, drawn once. Days are the company's own; hours lie on the quarter. */
export const span = (cell: Cell): { starts: number; ends: number } => {
  const { w, h, r } = cell;
  if (h.meta.starts !== undefined && h.meta.ends !== undefined) return { starts: h.meta.starts, ends: h.meta.ends };
  const { noun } = h.plan;
  const usual = lengthOf(cell);
  const long = LONG.test(noun);
  const drawn = long ? longSpan(cell, usual) : shortSpan(cell, usual);
  const whole = long || ((DAYS.test(noun) || WEEKS.test(noun)) && stepOf(h.plan) >= DAY);
  const offset = zoneOffset(w.context.company.timezone, drawn.starts);
  const day = (at: number): number => startOfDay(at + offset);
  let { starts } = drawn;
  const fixed = h.meta.path.some(({ to }) => isBegun(to) || isOver(to));
  if (!fixed && !SEVEN_DAYS.has(w.sector)) starts = nextWorkday(day(starts)) + ((starts + offset) % DAY) - offset;
  if (whole) starts = day(starts);
  else if (fixed || h.plan.life === undefined) starts = quarterHour(starts);
  else starts = quarterHour(day(starts) + r.int(8 * 4, 17 * 4) * 900) - offset;
  const least = whole ? DAY : 900;
  const ends = drawn.ends === undefined ? starts + usual : whole ? day(drawn.ends) : quarterHour(drawn.ends);
  h.meta.starts = starts;
  h.meta.ends = Math.max(starts + least, ends);
  // Leave is taken for working days: it ends on one, and parents take months.
  if (/leave/.test(noun) && !SEVEN_DAYS.has(w.sector)) {
    if (/parental/.test(String(h.row.kind ?? ''))) h.meta.ends = starts + r.int(30, 55) * DAY;
    while (weekday(h.meta.ends) === 0 || weekday(h.meta.ends) === 6) h.meta.ends -= DAY;
    h.meta.ends = Math.max(starts, h.meta.ends);
  }
  return { starts, ends: h.meta.ends };
};

/** The row's start as a day of the company's calendar. */
export const startDay = (w: Cell['w'], h: Handle, at: number): number =>
  startOfDay(at + (h.meta.starts === startOfDay(at) ? 0 : zoneOffset(w.context.company.timezone, at)));
