/** Dates as unix seconds in UTC. A `date` is midnight UTC of its day. */

export const DAY = 86_400;
export const HOUR = 3_600;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const LONG_MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `2024-03-05T10:00:00Z` */
export const isoInstant = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
/** `2024-03-05` */
export const isoDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
/** `05 Mar 2024` */
export const wordDate = (seconds: number): string => {
  const [year, month, day] = isoDate(seconds).split('-') as [string, string, string];
  return `${day} ${MONTHS[Number(month) - 1]} ${year}`;
};
/** `5 March 2024` */
export const longDate = (seconds: number): string => {
  const [year, month, day] = isoDate(seconds).split('-') as [string, string, string];
  return `${Number(day)} ${LONG_MONTHS[Number(month) - 1]} ${year}`;
};
/** Unix seconds of an ISO date or instant; undefined when it is neither. */
export const parseIso = (text: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(text)) return undefined;
  const zoned =
    text.length > 10 && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text.replace(' ', 'T')}Z` : text.replace(' ', 'T');
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
};
export const startOfDay = (seconds: number): number => Math.floor(seconds / DAY) * DAY;
/** 0 is Sunday. */
export const weekday = (seconds: number): number => (Math.floor(seconds / DAY) + 4) % 7;
