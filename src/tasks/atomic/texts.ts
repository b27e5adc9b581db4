/** Texts that a person would write into a field: names, reasons, notes, mail addresses. */
import type { Rng } from '../../kit/rng.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { wording } from '../words/lexicon.js';

/** Columns of free prose: what another row says there would do for this one as well. */
export const PROSE =
  /reason|cause|why|resolution|outcome|note|comment|remark|message|summary|description|evidence|findings?$|report$|plan$|defects|answer|question|body|problem|complaint|allergies|instructions|memo|scope|detail/;

/** Without names and figures, so that it fits any row. */
export const fitsAny = (text: string): boolean => !/\d/.test(text) && !/\s\p{Lu}/u.test(text) && !text.includes('@');

/** What other rows say in the same column, where that fits any row; else a phrase for that kind of column. */
export const freeText = (col: string, others: readonly Row[], current: SqlValue | undefined, random: Rng): string => {
  const said = [
    ...new Set(
      others
        .map((row) => row[col])
        .filter(
          (text): text is string =>
            typeof text === 'string' &&
            text.length > 3 &&
            text.length < 90 &&
            text !== current &&
            fitsAny(text) &&
            (text.includes(' ') || /reason|cause|why|allergies/.test(col)),
        ),
    ),
  ];
  if (said.length > 1) return random.pick(said);
  const kind = wording().phrases.find(({ for: pattern }) => new RegExp(pattern).test(col));
  return random.pick(kind?.says ?? ['']);
};

/** Identifiers, which nobody changes for the sake of it, and what does not change about a thing. */
export const IS_FIXED =
  /(^|_)(sku|code|serial|plate|vin|iban|eori|no|number|ref|reference|hash|token|hs_code|chip_no|username|currency|species|gender|sex|breed|nationality|birth|birth_date|birth_year|hired_on|bank_account|type|object|body|description|detail)$|(?<!full|first|last|display|family)_name$|url$|^(id|language|timezone|locale)/;

const isPersonal = (row: Row, name: string): boolean =>
  typeof row.birth_date === 'number' || /^\p{Lu}[\p{L}'’-]+( \p{Lu}[\p{L}'’-]+){1,3}$/u.test(name);

/** A person's new name keeps the first name: somebody married. `undefined` where it is no person's name or gives nothing new. */
export const newName = (row: Row, old: string, donor: string): string | undefined => {
  if (!isPersonal(row, old) || !/^\p{Lu}[\p{L}'’-]+( \p{Lu}[\p{L}'’-]+){1,3}$/u.test(donor)) return donor;
  const first = old.split(' ')[0] as string;
  const family = donor.split(' ').slice(1).join(' ');
  const name = `${first} ${family}`;
  return name === old ? undefined : name;
};

/** A title changes by what is added to it. */
export const newTitle = (old: string, random: Rng): string =>
  `${old}${random.pick([' (revised)', ' - second part', ' (urgent)', ' - follow-up', ' (final)'])}`;

/** A new address of the same person or firm: the part before the @ stays, or the domain does. */
export const newEmail = (old: string, donor: string): string | undefined => {
  const [user = '', domain = ''] = old.split('@');
  const other = donor.split('@')[1] ?? '';
  if (/^example\./.test(domain)) return /^example\./.test(other) && other !== domain ? `${user}@${other}` : undefined;
  return `${/^(office|info)$/.test(user) ? 'accounts' : 'office'}@${domain}`;
};
