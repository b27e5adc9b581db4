/** What values of a common property name look like, chosen once when a schema is compiled. */
import type { Rng } from '../../../kit/rng.js';
import { snake } from '../../../kit/words.js';
import { hex, madeInstant, makeFormat, token, word } from './formats.js';
import type { Scope } from './scope.js';

export type TextMaker = (r: Rng, scope: Scope) => string;

const FIRST = ['Ana', 'Ben', 'Chidi', 'Dora', 'Emil', 'Fatima', 'Grace', 'Hiro', 'Ines', 'Jonas', 'Kavya', 'Luis'];
const LAST = ['Adler', 'Brandt', 'Costa', 'Diaz', 'Eriksen', 'Fischer', 'Gomez', 'Haddad', 'Ito', 'Jansen', 'Khan'];
const CITIES = ['Lisbon', 'Oslo', 'Nairobi', 'Osaka', 'Leeds', 'Austin', 'Lyon', 'Porto'];
const COUNTRIES = ['DE', 'FR', 'GB', 'JP', 'KE', 'NO', 'PT', 'US'];
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const pick =
  (items: readonly string[]): TextMaker =>
  (r) =>
    r.pick(items);
const format =
  (name: string): TextMaker =>
  (r) =>
    makeFormat(name, r) ?? '';

/** The row's own address for `url` and `self`; one below it for `comments_url`. */
const address =
  (plain: string): TextMaker =>
  (r, scope) => {
    const stem = plain
      .replace(/_?(url|uri|href|link|self)s?$/, '')
      .replace(/^(html|api|resource|canonical|web|permalink)$/, '');
    const own = scope.own ?? `/${word(r)}/${token(6, r)}`;
    return `${scope.origin}${own}${stem === '' ? '' : `/${stem}`}`;
  };

const MAKERS: readonly (readonly [RegExp, (plain: string) => TextMaker])[] = [
  [/(^|_)(url|uri|href|link|permalink)s?$|^self$/, address],
  [/(^|_)e_?mail(_address)?s?$/, () => format('email')],
  [/(^|_)(uuid|guid)$/, () => format('uuid')],
  [/(^|_)(first|given|fore)_?name$/, () => pick(FIRST)],
  [/(^|_)(last|family|sur)_?name$/, () => pick(LAST)],
  [
    /(^|_)(full|display|contact|real|owner|author|customer|user)_?name$/,
    () => (r) => `${r.pick(FIRST)} ${r.pick(LAST)}`,
  ],
  [
    /(^|_)(user_?name|login|handle|nick_?name|screen_name)$/,
    () => (r) => `${r.pick(FIRST).toLowerCase()}${r.int(10, 99)}`,
  ],
  [/(^|_)(phone|mobile|fax|tel|telephone|phone_number|msisdn)s?$/, () => (r) => `+1555${r.int(1_000_000, 9_999_999)}`],
  [/(^|_)(city|town|locality)$/, () => pick(CITIES)],
  [/(^|_)country(_code)?$/, () => pick(COUNTRIES)],
  [/(^|_)currency(_code)?$/, () => pick(['EUR', 'GBP', 'JPY', 'USD'])],
  [/(^|_)(locale|language|lang)(_code)?$/, () => pick(['de', 'en', 'fr', 'pt'])],
  [/(^|_)(time_?zone|tz)$/, () => pick(['Europe/Lisbon', 'Europe/Oslo', 'America/Chicago', 'UTC'])],
  [
    /(^|_)(street|address|address_line_?1|line1|street_address)$/,
    () => (r) => `${r.int(1, 180)} ${capital(word(r))} Street`,
  ],
  [/(^|_)(zip|postal|post)_?(code)?$/, () => (r) => String(r.int(10_000, 99_999))],
  [/(^|_)(ip|ip_address|ipv4)$/, () => format('ipv4')],
  [/(^|_)(host|hostname|domain|fqdn)(_name)?$/, () => format('hostname')],
  [/(^|_)(sha|sha1|commit|commit_id)$/, () => (r) => hex(40, r)],
  [/(^|_)(hash|checksum|digest|md5|etag|fingerprint)$/, () => (r) => hex(32, r)],
  [
    /(^|_)(created|updated|modified|deleted|started|ended|finished|completed|expires?|closed|published)(_at|_on|_time|_date)?$|_(at|datetime|timestamp)$|^(timestamp|datetime)$/,
    () => format('date-time'),
  ],
  [/(^|_)(date|day|birthday|dob)$/, () => format('date')],
  [/(^|_)time$/, () => format('date-time')],
  [/(^|_)(amount|price|cost|fee|balance|subtotal|total)$/, () => format('decimal')],
  [/(^|_)colou?r$/, () => (r) => hex(6, r)],
  [/(^|_)(version|release)$/, () => (r) => `${r.int(1, 4)}.${r.int(0, 9)}.${r.int(0, 9)}`],
  [/(^|_)(mime|media|content)_?type$/, () => pick(['application/json', 'image/png', 'text/plain'])],
  [/(^|_)(file_?name)$/, () => (r) => `${word(r)}.txt`],
  [/(^|_)(slug|key|code|tag|label|ref)$/, () => (r) => `${word(r)}-${token(3, r)}`],
  [/(^|_)(id|ids|sid|gid|token|secret|cursor|number|no)$/, () => (r) => token(12, r)],
  [/(^|_)(name|title|subject)$/, () => (r) => `${capital(word(r))} ${word(r)}`],
];

/** Of texts that have no format, pattern or example. */
export const textMaker = (name: string): TextMaker => {
  const plain = snake(name);
  const found = MAKERS.find(([pattern]) => pattern.test(plain));
  if (found) return found[1](plain);
  return (r) => `${word(r)} ${word(r)}`;
};

/** Names whose texts tell things apart; an example of one is a pattern, not a value for every row. */
export const isIdentifier = (name: string): boolean =>
  /(^|_)(id|uuid|guid|sid|gid|token|key|hash|sha|etag|cursor|secret|number|fingerprint)$/.test(snake(name));

export const isAddress = (name: string): boolean => /(^|_)(url|uri|href|link|permalink)$|^self$/.test(snake(name));

/** `cus_Nffr4` -> `cus_Qab7x`: letters stay letters, digits digits, and what stands before the last `_` or `-` stays. */
export const alike = (example: string, r: Rng): string => {
  const fixed = /^[A-Za-z]{1,12}[_-]/.exec(example)?.[0].length ?? (/^[A-Z]{2}(?=[0-9a-f]{32}$)/.test(example) ? 2 : 0);
  const hexed = /^[0-9a-f-]+$/.test(example.slice(fixed));
  return (
    example.slice(0, fixed) +
    example.slice(fixed).replace(/[A-Za-z0-9]/g, (char) => {
      if (hexed) return hex(1, r);
      if (/\d/.test(char)) return String(r.int(0, 9));
      const letter = String.fromCharCode(97 + r.int(0, 25));
      return /[A-Z]/.test(char) ? letter.toUpperCase() : letter;
    })
  );
};

/** A usual number for the name; undefined where any will do. */
export const numberMaker = (name: string): ((r: Rng) => number) | undefined => {
  const plain = snake(name);
  if (
    /(^|_)(created|updated|modified|expires?|start|end|timestamp|time|date)(_at|_on|_time|_date)?$|_(at|on)$/.test(
      plain,
    )
  )
    return madeInstant;
  if (/(^|_)(count|total|size|offset|used|unread|errors?|retries|deleted|failed)$|^num_/.test(plain)) return () => 0;
  if (/^(lat|latitude)$/.test(plain)) return (r) => Math.round((r.unit() * 100 - 40) * 1e4) / 1e4;
  if (/^(lng|lon|long|longitude)$/.test(plain)) return (r) => Math.round((r.unit() * 300 - 150) * 1e4) / 1e4;
  if (/(^|_)year$/.test(plain)) return (r) => r.int(2019, 2025);
  if (/(^|_)(amount|price|cost|fee|balance)$/.test(plain)) return (r) => r.int(500, 50_000);
  if (/(^|_)(page|version|quantity|position|index)$/.test(plain)) return () => 1;
  if (/(^|_)(id|number)$/.test(plain)) return (r) => r.int(1_000, 999_999);
  return undefined;
};

/** What a flag of the name usually says. */
export const flagFor = (name: string): boolean =>
  /^(is_)?(ok|success|successful|active|enabled|valid|verified|public|visible|available)$/.test(snake(name));
