/** One answer in the forms that people and agents give it in. Each is right. */
import type { AnswerSpec } from '../artifacts/check.js';
import { isoDate, longDate, parseIso } from '../kit/calendar.js';
import { minorDigits } from '../world/surface/money.js';
import { capital } from './words/grammar.js';

const SIGNS: Record<string, string> = { EUR: '€', USD: '$', GBP: '£', INR: '₹', JPY: '¥' };

/** 128450 EUR: `1284.5`, `1284.50 EUR`, `1,284.50`, `1.284,50 €` */
const amounts = (minor: number, currency: string): string[] => {
  const digits = minorDigits(currency);
  const plain = (minor / 10 ** digits).toFixed(digits);
  const [whole = '', part] = plain.split('.');
  const grouped = (by: string): string => whole.replace(/\B(?=(\d{3})+(?!\d))/g, by);
  const sign = SIGNS[currency];
  return [
    String(Number(plain)),
    `${plain} ${currency}`,
    part ? `${grouped(',')}.${part}` : grouped(','),
    ...(part && sign === '€' ? [`${grouped('.')},${part} €`] : []),
    ...(sign ? [`**${sign}${part ? `${grouped(',')}.${part}` : grouped(',')}**`] : []),
  ];
};

const dates = (iso: string): string[] => {
  const seconds = parseIso(iso);
  if (seconds === undefined) return [iso];
  const [day = '', month = '', year = ''] = longDate(seconds).split(' ');
  return [isoDate(seconds), longDate(seconds), `${month} ${day}, ${year}`, `It is on ${longDate(seconds)}.`];
};

/** The right answer in other forms: bare, in another notation, in a sentence, with the question's own words repeated. */
export const formsOf = (spec: AnswerSpec, given: string): string[] => {
  const { kind, expected, currency, asks } = spec;
  const own =
    kind === 'amount' && typeof expected === 'number'
      ? amounts(expected, currency ?? 'USD')
      : kind === 'date'
        ? dates(String(expected))
        : kind === 'number'
          ? [String(expected), `${expected}.`]
          : [String(expected), `“${given}”`, `**${given}**`];
  return [...own, `I looked it up: ${given}.`, `${capital(asks)} is ${given}.`, `${given} (${asks})`];
};
