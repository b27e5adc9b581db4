/** From rows, columns and verbs to sentences a colleague would write. */
import type { Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import { plural, withArticle, wordsOf } from '../../kit/words.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import type { Descriptor } from '../ground/descriptors.js';
import { currencyOf, nounOf, sayColumn, sayLabel, sayValue } from '../ground/say.js';

const PARTICIPLE = /_(at|on|date)$/;

/** `issued_at` -> `issued on 5 March`, `due_date` -> `due on ...`, `starts_at` -> `starting on ...` */
const datePhrase = (col: string, words: string): string => {
  const stem = wordsOf(col.replace(PARTICIPLE, '')).join(' ');
  if (/^(day|date|on|for)?$/.test(stem)) return `on ${words}`;
  if (/birth|^dob$/.test(stem)) return `born on ${words}`;
  if (/^(due|payment due)$/.test(stem)) return `due on ${words}`;
  if (/^(starts?|begins?|scheduled start|check in)$/.test(stem)) return `starting on ${words}`;
  if (/^(ends?|finish|check out)$/.test(stem)) return `ending on ${words}`;
  if (/^(expires?|expiry|valid until)$/.test(stem)) return `expiring on ${words}`;
  if (/ed$|(made|sent|begun|sold|paid|held|bought|taken)$/.test(stem) && !stem.includes(' '))
    return `${stem} on ${words}`;
  return `with the ${stem} date ${words}`.replace('date date', 'date');
};

const moneyPhrase = (col: string, words: string): string =>
  /^(total|amount|value|price|sum|net_amount|gross_amount|grand_total)$/.test(col)
    ? `over ${words}`
    : `with ${withArticle(sayColumn(col))} of ${words}`;

/** Shared keys by which a row is the other service's thing itself, not something of its own. */
const SAME_THING = /^(email|work_email|employee_no|employee_email)$/;

interface Parts {
  before: string[];
  owner: string[];
  /** `kind single`, `floor 0`: joined behind one `with`. */
  having: string[];
  after: string[];
}

/**
 * A row as a person means it: `the overdue invoice of Brinkhof Interiors due on 4 April 2024 over EUR 1,284.50`, or by its
 * label: `invoice INV-10427`.
 */
export const sayRow = (service: LoadedService, table: string, row: Row, descriptors: readonly Descriptor[]): string => {
  const spec = service.spec.tables[table] as Table;
  const noun = nounOf(spec);
  const parts: Parts = { before: [], owner: [], having: [], after: [] };
  let label: string | undefined;
  for (const { col, words, parent } of descriptors) {
    const column = spec.cols[col];
    if (!column) continue;
    if (col === spec.label) label = sayLabel(spec, row) ?? words;
    else if (parent) {
      const role = sayColumn(col);
      if (SAME_THING.test(col) && !label) {
        label = words;
        continue;
      }
      const parentNoun = parent.service.spec.tables[parent.table]?.noun.toLowerCase() ?? role;
      if (parts.owner.length === 0 && (parentNoun.includes(role) || role.includes(parentNoun)))
        parts.owner.push(`for ${parentNoun} ${words}`);
      else parts.having.push(`${role} ${words}`);
    } else if (column.type === 'date' || column.type === 'datetime') parts.after.push(datePhrase(col, words));
    else if (column.type === 'money') parts.after.push(moneyPhrase(col, words));
    else if (column.enum && /^(status|state|stage|priority|severity)$/.test(col))
      parts.before.push(col === 'status' || col === 'state' ? words : `${words}-${sayColumn(col)}`);
    else if (column.type === 'bool')
      parts.after.push(words === 'yes' ? `marked ${sayColumn(col)}` : `not marked ${sayColumn(col)}`);
    else parts.having.push(`${sayColumn(col)} ${words}`);
  }
  const head = label ? `the ${[...parts.before, noun].join(' ')} ${label}` : `the ${[...parts.before, noun].join(' ')}`;
  const having = parts.having.length > 0 ? [`with ${joined(parts.having)}`] : [];
  return [head, ...parts.owner, ...having, ...parts.after].join(' ');
};

const MONEY_NOUN =
  /(amount|total|price|value|cost|fee|balance|salary|rate|rent|deposit|limit|budget|charge|premium|tax|discount|subtotal|net|gross|pay|bonus|due|sum)/;

/** A column as it is asked for: `due date`, `amount asked`, `contract number`. */
export const sayField = (table: Table, col: string): string => {
  const words = sayColumn(col);
  const type = table.cols[col]?.type;
  if (type === 'money' && !MONEY_NOUN.test(col)) return `${words} amount`;
  const dated = type === 'date' || type === 'datetime';
  return dated && !/(date|time|day|until|since|from|birth|arrival)/.test(words) ? `${words} date` : words;
};

/** `the due date`, `the status`, `the amount due` */
export const sayAsked = (table: Table, col: string): string => `the ${sayField(table, col)}`;

/** `status to closed`, `note to “call back”`: a column and its new value. */
export const saySetting = (service: LoadedService, table: string, col: string, row: Row): string | undefined => {
  const spec = service.spec.tables[table] as Table;
  const column = spec.cols[col];
  if (!column) return undefined;
  const words = sayValue(column, row[col] ?? null, currencyOf(service.spec, spec, row));
  if (words === undefined) return undefined;
  const free = column.type === 'text' && !column.enum && /\s/.test(words);
  return free ? `“${words}”` : words;
};

const SPECIAL: Record<string, (row: string) => string> = {
  hold: (row) => `put ${row} on hold`,
  put_on_hold: (row) => `put ${row} on hold`,
  no_show: (row) => `record ${row} as a no-show`,
  transfer_owner: (row) => `transfer ${row} to its new owner`,
  deceased: (row) => `record ${row} as deceased`,
  root_cause: (row) => `record the root cause of ${row}`,
  rollback: (row) => `roll back ${row}`,
  port_out: (row) => `port out ${row}`,
  optout: (row) => `opt out ${row}`,
  opt_out: (row) => `opt out ${row}`,
  return_to_service: (row) => `return ${row} to service`,
  win: (row) => `mark ${row} as won`,
  lose: (row) => `mark ${row} as lost`,
  fail: (row) => `mark ${row} as failed`,
  pass: (row) => `mark ${row} as passed`,
  pay: (row) => `mark ${row} as paid`,
};

/** `write_off`, row -> `write off the invoice ...`; `mark_lost` -> `mark ... as lost`; `add_member` -> `add a member to ...` */
export const sayAction = (verb: string, row: string): string => {
  const special = SPECIAL[verb];
  if (special) return special(row);
  const [first = verb, ...rest] = wordsOf(verb);
  if (first === 'mark' && rest.length > 0) return `mark ${row} as ${rest.join(' ')}`;
  if (first === 'add' && rest.length > 0) return `add ${withArticle(rest.join(' '))} to ${row}`;
  if (first === 'remove' && rest.length > 0) return `remove ${withArticle(rest.join(' '))} from ${row}`;
  if (rest.length > 0 && ['off', 'in', 'out', 'up', 'down', 'on', 'back', 'over'].includes(rest[0] as string))
    return `${first} ${rest.join(' ')} ${row}`;
  if (
    ['change', 'set', 'update', 'submit', 'reset', 'clear', 'request', 'send', 'log', 'record', 'adjust'].includes(
      first,
    ) &&
    rest.length > 0
  )
    return `${first} the ${rest.join(' ')} of ${row}`;
  if (rest.length > 0) return `${first} ${rest.join(' ')} for ${row}`;
  return `${first} ${row}`;
};

/** `invoices`, the table's things in the plural. */
export const sayMany = (table: Table): string => (table.plural ?? plural(table.noun)).toLowerCase();

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const POLITE = [
  'Please {}.',
  'Could you {}?',
  'Can you {} for me?',
  'I need you to {}.',
  'Would you {}, please?',
  '{C}, please.',
  'We need to {}.',
];

/** An imperative without a final stop, made into a request in one of several tones. */
export const polite = (imperative: string, random: Rng): string => {
  const form = random.pick(POLITE);
  return capital(form.replace('{C}', capital(imperative)).replace('{}', imperative));
};

const ASKING = [
  'What is {}?',
  'Could you tell me {}?',
  'Please look up {}.',
  'I need to know {}.',
  'Can you find out {} for me?',
];

/** `the due date of invoice INV-1` made into a question. */
export const asking = (thing: string, random: Rng): string => capital(random.pick(ASKING).replace('{}', thing));

/** Items as a list in a sentence: `a, b and c`. */
export const joined = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
