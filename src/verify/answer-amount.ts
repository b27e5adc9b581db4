/** Amounts of money in an answer: digits, separators of any country, and the currency beside them. Minor units throughout. */
import { minorDigits } from '../world/surface/money.js';
import { type FoundNumber, numbersIn } from './answer-number.js';

/** Signs and words for money, each with the currencies it may mean; `*DOLLAR` and the like mean every code that ends so. */
const MARKS: [RegExp, string][] = [
  [/^(?:€|euros?)$/, 'EUR'],
  [/^(?:us\$|usd\$)$/, 'USD'],
  [/^(?:a\$|au\$)$/, 'AUD'],
  [/^(?:c\$|ca\$)$/, 'CAD'],
  [/^(?:nz\$)$/, 'NZD'],
  [/^(?:s\$)$/, 'SGD'],
  [/^(?:hk\$)$/, 'HKD'],
  [/^(?:mx\$)$/, 'MXN'],
  [/^(?:r\$|reais|real)$/, 'BRL'],
  [/^(?:\$|dollars?)$/, 'USD CAD AUD NZD SGD HKD TWD MXN CLP COP ARS UYU JMD TTD BSD BBD BZD FJD NAD LRD XCD'],
  [/^(?:£|pounds?)$/, 'GBP EGP LBP SYP GIP FKP SHP'],
  [/^(?:¥|yen)$/, 'JPY CNY'],
  [/^(?:yuan|renminbi|rmb)$/, 'CNY'],
  [/^(?:₹)$/, 'INR'],
  [/^(?:rs\.?|rupees?)$/, 'INR PKR LKR NPR MUR SCR'],
  [/^(?:₩|won)$/, 'KRW'],
  [/^(?:zł|zl|zloty|zlotys|złotych)$/, 'PLN'],
  [/^(?:kr\.?|krona|kronor|krone|kroner)$/, 'SEK NOK DKK ISK'],
  [/^(?:fr\.?|francs?|sfr\.?)$/, 'CHF XAF XOF XPF'],
  [/^(?:₽|rubles?|roubles?)$/, 'RUB'],
  [/^(?:₺|lira)$/, 'TRY'],
  [/^(?:₪|shekels?)$/, 'ILS'],
  [/^(?:฿|baht)$/, 'THB'],
  [/^(?:₫|dong)$/, 'VND'],
  [/^(?:₱)$/, 'PHP'],
  [/^(?:pesos?)$/, 'MXN PHP CLP COP ARS UYU DOP CUP'],
  [/^(?:rand)$/, 'ZAR'],
  [/^(?:kč|kc|koruna?)$/, 'CZK'],
  [/^(?:ft|forint)$/, 'HUF'],
  [/^(?:lei|leu)$/, 'RON MDL'],
  [/^(?:dirhams?)$/, 'AED MAD'],
];
const CODES = new Set(Intl.supportedValuesOf('currency'));
const SIGN = '(?:[A-Z]{1,3}\\$|[€$£¥₹₩₽₺₪฿₫₱]|R\\$|[Rr]s\\.?|[Kk]r\\.?|[Ss]?[Ff]r\\.?)';
const BEFORE = new RegExp(`(?:\\b([A-Za-z]{3})|(${SIGN}))\\s?-?\\s?$`);
const AFTER = /^\s?(?:([A-Za-z]{3})(?![A-Za-z])|([€$£¥₹₩₽₺₪฿₫₱]|\p{L}+\.?))/u;

const currenciesOf = (mark: string | undefined): string[] => {
  if (mark === undefined) return [];
  if (/^[A-Za-z]{3}$/.test(mark) && CODES.has(mark.toUpperCase())) return [mark.toUpperCase()];
  const known = MARKS.find(([pattern]) => pattern.test(mark.toLowerCase()));
  return known ? known[1].split(' ') : [];
};

/** Minor units of digits as written, for a currency with `places` digits after the point; undefined when they hold more than that. */
export const minorOf = (digits: string, places: number): number | undefined => {
  const text = digits.replace(/[' ]/g, '');
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  let [whole, fraction] = last < 0 ? [text, ''] : [text.slice(0, last), text.slice(last + 1)];
  const sign = text.charAt(last);
  const isOnly = last >= 0 && text.indexOf(sign) === last;
  const bothKinds = text.includes('.') && text.includes(',');
  const groupLike = fraction.length === 3 && /^(?:[1-9]\d{0,2})(?:[.,]\d{2,3})*$/.test(whole);
  // A single mark before three digits groups thousands, unless the currency itself has three places and the mark is a point.
  if (last >= 0 && !bothKinds && groupLike && (!isOnly || places !== 3 || sign === ','))
    [whole, fraction] = [whole + fraction, ''];
  const cut = fraction.replace(/0+$/, '');
  if (cut.length > places) return undefined;
  return Number(whole.replace(/[.,]/g, '') + cut.padEnd(places, '0'));
};

export interface FoundAmount extends FoundNumber {
  minor: number | undefined;
  /** Currencies the mark beside it may mean; empty without a mark. */
  currencies: string[];
  /** A plain number that counts something else: `3 invoices`, `19 %`. */
  counts: boolean;
}

const CONNECTING =
  /^(?:or|and|but|to|is|are|was|if|in|as|for|on|at|by|of|from|with|which|that|maybe|perhaps|total|incl\w*|excl\w*|gross|net|due)$/i;

/** All amounts of a tidied text, read for `currency`. */
export const amountsIn = (text: string, currency: string | undefined): FoundAmount[] => {
  const places = minorDigits(currency);
  return numbersIn(text).map((number) => {
    const before = BEFORE.exec(text.slice(Math.max(0, number.start - 8), number.start));
    const after = AFTER.exec(text.slice(number.end, number.end + 16));
    const ahead = currenciesOf(before?.[1] ?? before?.[2]);
    const currencies = ahead.length > 0 ? ahead : currenciesOf(after?.[1] ?? after?.[2]);
    const minor = minorOf(number.digits, places);
    const decimals = places > 0 && new RegExp(`[.,]\\d{${places}}$`).test(number.digits);
    const follows = /^\s?(\p{L}+)/u.exec(text.slice(number.end, number.end + 24))?.[1];
    return {
      ...number,
      minor: minor === undefined ? undefined : number.negative ? -minor : minor,
      currencies,
      counts:
        currencies.length === 0 &&
        (number.percent || number.aside || (!decimals && follows !== undefined && !CONNECTING.test(follows))),
    };
  });
};
