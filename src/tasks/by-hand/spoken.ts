/** Whether a brief says a value: in one of the ways in which people write dates, amounts, numbers and statuses. */
import type { Column } from '../../artifacts/table.js';
import { isoDate, longDate, parseIso } from '../../kit/calendar.js';
import type { Json } from '../../kit/hash.js';
import { spaced } from '../../kit/words.js';
import type { SqlValue } from '../../world/state/types.js';
import { sayMoment, sayMoney, sayValue } from '../ground/say.js';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The words as the brief has them, where it has them as words of their own: `1` is not in `SO-1`. */
export const wordsIn = (brief: string, words: string): string | undefined => {
  if (words.trim() === '') return undefined;
  const [start, end] = [/^[\p{L}\p{N}]/u.test(words), /[\p{L}\p{N}]$/u.test(words)];
  const pattern = `${start ? '(?<![\\p{L}\\p{N}])' : ''}${escaped(words)}${end ? '(?![\\p{L}\\p{N}])' : ''}`;
  const found = new RegExp(pattern, 'iu').exec(brief)?.[0];
  // The gate compares letter for letter but for case.
  return found !== undefined && brief.toLowerCase().includes(found.toLowerCase()) ? found : undefined;
};

const ofDate = (seconds: number): string[] => {
  const [day = '', month = '', year = ''] = longDate(seconds).split(' ');
  return [sayMoment(seconds), longDate(seconds), `${month} ${day}, ${year}`, isoDate(seconds), `${day} ${month}`];
};

const ofMoney = (minor: number, currency: string): string[] => {
  const said = sayMoney(minor, currency);
  const bare = said.slice(said.indexOf(' ') + 1);
  const plain = bare.replaceAll(',', '');
  return [said, `${bare} ${currency}`, bare, plain, ...(/\.00$/.test(plain) ? [plain.slice(0, -3)] : [])];
};

export interface SpokenValue {
  /** As the call writes it. */
  written: Json;
  /** As it is stored, where it can be read. */
  stored?: SqlValue | undefined;
  column?: Pick<Column, 'type' | 'enum'> | undefined;
  currency: string;
}

/** How people write it, the most telling first. */
export const sayings = ({ written, stored, column, currency }: SpokenValue): string[] => {
  const out: string[] = [];
  if (typeof written === 'string') out.push(written, spaced(written));
  if (typeof written === 'number') out.push(String(written), written.toLocaleString('en'));
  const seconds = typeof stored === 'number' ? stored : typeof written === 'string' ? parseIso(written) : undefined;
  if (column?.type === 'money' && typeof stored === 'number') out.push(...ofMoney(stored, currency));
  else if ((column?.type === 'date' || column?.type === 'datetime') && seconds !== undefined)
    out.push(...ofDate(seconds));
  else if (!column && typeof written === 'string' && seconds !== undefined) out.push(...ofDate(seconds));
  else if (column && stored !== undefined) {
    const said = sayValue(column as Column, stored, currency);
    if (said !== undefined) out.push(said);
  }
  return [...new Set(out.filter((words) => words.trim() !== ''))];
};

/** The words in which the brief says the value; undefined where it does not. */
export const spokenIn = (brief: string, value: SpokenValue): string | undefined => {
  for (const words of sayings(value)) {
    const found = wordsIn(brief, words);
    if (found !== undefined) return found;
  }
  return undefined;
};
