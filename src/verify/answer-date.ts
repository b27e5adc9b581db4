/** Dates in an answer, in the forms people and services write; a form that can mean two days means neither. */
import { DAY, parseIso, startOfDay } from '../kit/calendar.js';
import type { Span } from './answer-text.js';

export interface FoundDate extends Span {
  /** Unix seconds of midnight UTC; undefined when the form is ambiguous. */
  day: number | undefined;
  /** Unix seconds, where a time of day was given too. */
  instant?: number;
  /** Both readings of an ambiguous form. */
  either?: [number, number];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const DAYS = '(\\d{1,2})(?:st|nd|rd|th)?';

/** Midnight UTC of a calendar day; undefined when there is no such day. */
const dayOf = (year: number, month: number, day: number): number | undefined => {
  const seconds = parseIso(
    `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
  );
  if (seconds === undefined) return undefined;
  // Date.parse turns 30 February into 1 March: the day of the month tells.
  return Number(new Date(seconds * 1000).toISOString().slice(8, 10)) === day ? seconds : undefined;
};
const monthOf = (word: string): number => MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1;

const either = (a: number, b: number, year: number): Omit<FoundDate, keyof Span> | undefined => {
  const [dayFirst, monthFirst] = [dayOf(year, b, a), dayOf(year, a, b)];
  if (dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst) {
    const day = dayFirst ?? monthFirst;
    return day === undefined ? undefined : { day };
  }
  return { day: undefined, either: [dayFirst, monthFirst] };
};
const certain = (day: number | undefined): Omit<FoundDate, keyof Span> | undefined =>
  day === undefined ? undefined : { day };

type Form = [RegExp, (match: RegExpMatchArray) => Omit<FoundDate, keyof Span> | undefined];
const n = (match: RegExpMatchArray, group: number): number => Number(match[group]);

const FORMS: Form[] = [
  [
    /(?<![\w-])\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}| ?UTC)?(?![\w])/gi,
    (match) => {
      const instant = parseIso(
        match[0]
          .replace(/ ?UTC$/i, 'Z')
          .replace('t', 'T')
          .replace('z', 'Z'),
      );
      return instant === undefined ? undefined : { day: startOfDay(instant), instant };
    },
  ],
  [/(?<![\w-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?![\w]|[-/]\d)/g, (m) => certain(dayOf(n(m, 1), n(m, 2), n(m, 3)))],
  [
    new RegExp(`(?<![\\w])${DAYS}(?:\\s+of)?[\\s-]+${MONTH}\\.?,?[\\s-]+(\\d{4})(?!\\w)`, 'giu'),
    (m) => certain(dayOf(n(m, 3), monthOf(m[2] as string), n(m, 1))),
  ],
  [
    new RegExp(`(?<![\\w])${MONTH}\\.?\\s+${DAYS}(?:,|\\s)\\s*(\\d{4})(?!\\w)`, 'giu'),
    (m) => certain(dayOf(n(m, 3), monthOf(m[1] as string), n(m, 2))),
  ],
  // Dots between the parts are written day first everywhere.
  [/(?<![\w.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\w|\.\d)/g, (m) => certain(dayOf(n(m, 3), n(m, 2), n(m, 1)))],
  [/(?<![\w/-])(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\w|[/-]\d)/g, (m) => either(n(m, 1), n(m, 3), n(m, 4))],
  [/(?<![\w.,-])((?:19|20)\d{2})(\d{2})(\d{2})(?![\w]|[.,]\d)/g, (m) => certain(dayOf(n(m, 1), n(m, 2), n(m, 3)))],
];

/** All dates of a tidied text, in order; a span counts once. */
export const datesIn = (text: string): FoundDate[] => {
  const found: FoundDate[] = [];
  for (const [pattern, read] of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (found.some((other) => other.start < span.end && span.start < other.end)) continue;
      const date = read(match);
      if (date) found.push({ ...span, ...date });
    }
  }
  return found.sort((a, b) => a.start - b.start);
};

/** The date a specification means: ISO text, a worded date, or unix seconds. */
export const expectedDate = (value: string | number): { day: number; instant?: number } | undefined => {
  if (typeof value === 'number') return value % DAY === 0 ? { day: value } : { day: startOfDay(value), instant: value };
  const [found] = datesIn(value.trim());
  if (found?.day === undefined) return undefined;
  return found.instant === undefined || found.instant % DAY === 0
    ? { day: found.day }
    : { day: found.day, instant: found.instant };
};
