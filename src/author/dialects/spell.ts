/** Writes canonical lower_snake names in a dialect's style, the two that no naming style covers among them. */
import { wordsOf } from '../../kit/words.js';

/** `due_date` -> `Due_Date` */
export const titled = (name: string): string =>
  wordsOf(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('_');

const CODE_ENDS: Record<string, string> = {
  id: 'NO',
  no: 'NO',
  number: 'NO',
  on: 'DT',
  at: 'TS',
  date: 'DT',
  time: 'TM',
  status: 'STSCD',
  state: 'STSCD',
  type: 'TYPCD',
  name: 'NM',
  email: 'EML',
  amount: 'AM',
  total: 'TOTAM',
  quantity: 'QTY',
  code: 'CD',
  currency: 'CURCD',
  description: 'DSC',
};

/** The first letter and the consonants after it, `size` characters at most. */
export const consonants = (word: string, size: number): string => {
  const bare = word.charAt(0) + word.slice(1).replace(/[aeiou]/g, '');
  return (bare.length >= Math.min(size, 3) ? bare : word).slice(0, size).toUpperCase();
};

/** `due_date` -> `DUEDT`, `customer_id` -> `CSTNO`: at most ten capitals. */
export const coded = (name: string): string => {
  const parts = wordsOf(name);
  const last = parts.at(-1) as string;
  const end = CODE_ENDS[last];
  if (parts.length === 1) return end ?? consonants(last, 5);
  const head = parts.slice(0, -1).map((word) => consonants(word, parts.length > 2 ? 2 : 3));
  return `${head.join('')}${end ?? consonants(last, 3)}`.slice(0, 10);
};
