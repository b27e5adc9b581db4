/** Names of tables and columns as a person says them. */
import type { Table } from '../../artifacts/table.js';
import { plural, wordsOf } from '../../kit/words.js';
import { wording } from './lexicon.js';

/** What a service adds to a name and a person leaves out: `customer_id`, `created_at`, `is_billable`, `owner_email`. */
const TECHNICAL = /_(id|ids|at|on|cents|email)$|^(is|has)_/;

/** Words of a name, each as it is written: `hs_code` -> `HS code`. */
export const spelled = (name: string): string => {
  const known = wording().spelled;
  return wordsOf(name)
    .map((word) => (Object.hasOwn(known, word) ? known[word] : word))
    .join(' ');
};

/** `due_on` -> `due date`, `salary_min` -> `minimum salary`, `contract_no` -> `contract number`, `customer_id` -> `customer`. */
export const sayColumn = (name: string): string => {
  const { columns, endings } = wording();
  if (Object.hasOwn(columns, name)) return columns[name] as string;
  for (const { ends, says } of endings) {
    if (name.length > ends.length && name.endsWith(ends))
      return says.replace('{}', spelled(name.slice(0, -ends.length)));
  }
  return spelled(name.replace(TECHNICAL, '') || name);
};

const MONEY_NOUN =
  /(amount|total|price|value|cost|fee|balance|salary|rate|rent|deposit|limit|budget|charge|premium|tax|discount|subtotal|net|gross|pay|bonus|due|sum|reserve|instalment|principal|outstanding|refund|expected|counted|cash|revenue|estimate)/;

const DATED = /\b(date|time|day|until|since|from|birth|arrival|deadline|expiry|end of)\b/;

/** What somebody is to a thing, by the column that holds who: `shot_firer_no` -> `shot firer`. */
export const roleOf = (col: string): string => sayColumn(col).replace(/ (number|username)$/, '');

/** What somebody did, by the column that holds who: `taken_by` -> `took`. */
export const didOf = (col: string): string =>
  spelled(col.replace(/_by$/, ''))
    .split(' ')
    .map((word) => wording().past[word] ?? word)
    .join(' ');

/** A column as it is asked for: `due date`, `amount asked`, `date of issue`. */
export const sayField = (table: Table, col: string): string => {
  const words = sayColumn(col);
  const type = table.cols[col]?.type;
  if (type === 'money' && !MONEY_NOUN.test(words)) return `${words} amount`;
  return (type === 'date' || type === 'datetime') && !DATED.test(words) ? `${words} date` : words;
};

/** `the due date`, `the status`, `the amount due` */
export const sayAsked = (table: Table, col: string): string => `the ${sayField(table, col)}`;

/** The noun as a person says it: `kb article` -> `knowledge base article`, `sla policy` -> `SLA policy`. */
export const nounOf = (table: Table): string => {
  const { nouns, spelled: known } = wording();
  const noun = table.noun.toLowerCase().replaceAll('_', ' ');
  // Only what is written in capitals: a noun's own `no` or `min` stays.
  const inCapitals = (word: string): string => (known[word]?.toLowerCase() === word ? (known[word] as string) : word);
  return nouns[noun] ?? noun.replace(/[a-z]+/g, inCapitals);
};

/** The table's things in the plural. */
export const sayMany = (table: Table): string => {
  const noun = nounOf(table);
  const given = table.noun.toLowerCase() === noun ? table.plural?.toLowerCase() : undefined;
  return wording().plurals[noun] ?? given ?? plural(noun);
};
