/** A row as a person means it: by its name or number, or by what is around it. */
import type { Table } from '../../artifacts/table.js';
import type { LoadedService } from '../../world/loaded.js';
import type { Row } from '../../world/state/types.js';
import type { Descriptor } from '../ground/descriptors.js';
import { sayLabel } from '../ground/say.js';
import { article, joined } from './grammar.js';
import { wording } from './lexicon.js';
import { nounOf, roleOf, sayColumn, sayField, spelled } from './names.js';

const STEM = /_(at|on|date)$/;
const PARTICIPLE =
  /^(\w+ )?\w*(ed|made|sent|begun|sold|paid|held|bought|taken|seen|met|built|put|read|given|won|lost)$/;

/** `issued_at` -> `issued on 5 March`, `due_date` -> `due on ...`, `starts_at` -> `starting on ...` */
export const sayWhen = (col: string, words: string, noun = ''): string => {
  const { happened } = wording();
  if (Object.hasOwn(happened, col)) return (happened[col] as string).replace('{}', words);
  const stem = spelled(col.replace(STEM, ''));
  if (/^(day|date|on|for|time|when)?$/.test(stem)) return `on ${words}`;
  if (col.endsWith('_until')) return `valid until ${words}`;
  // An inspection is not `inspected on` a day.
  if (noun !== '' && stem.slice(0, 5) === noun.slice(0, 5)) return `of ${words}`;
  if (PARTICIPLE.test(stem) && STEM.test(col)) return `${stem} on ${words}`;
  const field = sayColumn(col);
  return `with ${/(date|time|deadline)/.test(field) ? field : `${field} date`} ${words}`;
};

/** States that read well before a noun; `in use` and `left` do not. */
const ADJECTIVE =
  /^([a-z]+ed|pending|running|outstanding|missing|upcoming|waiting|open|active|inactive|draft|overdue|new|pending|paid|free|void|full|empty|vacant|frozen|broken|lost|won|live|current|available|idle|held|final|due)$/;

export const isAdjective = (words: string): boolean => ADJECTIVE.test(words);

/** Shared keys by which a row is the other service's thing itself, not something of its own. */
const SAME_THING = /^(email|work_email|employee_no|employee_email)$/;
/** Nouns of things that are the other service's person, seen from here: a leave request is not. */
const ITSELF =
  /(record|profile|account|file|user|member|employee|driver|technician|guard|worker|nurse|instructor|trainer|agent|stylist|therapist|engineer|inspector|operator|rider|crew|staff|person)$/;

interface Parts {
  before: string[];
  /** Whose it is, who sees to it, when it was: in this order behind the noun. */
  owner: string[];
  people: string[];
  /** `plan basic`, `a balance of EUR 5.00`: joined behind one `with`. */
  having: string[];
  when: string[];
}

const ofParent = (parts: Parts, col: string, words: string, noun: string): void => {
  const role = sayColumn(col);
  const known = wording().roles[role];
  if (parts.owner.length === 0 && /^(customer|client|patient|guest|member|tenant)_name$/.test(col))
    parts.owner.push(`for ${words}`);
  else if (/_by$/.test(col)) parts.people.push(`${spelled(col)} ${words}`);
  else if (known) parts.people.push(known.replace('{who}', words));
  else if (parts.owner.length === 0 && (noun.includes(role) || role.includes(noun)))
    parts.owner.push(`for ${noun} ${words}`);
  else if (noun.includes('employee')) parts.having.push(`${words} as ${roleOf(col)}`);
  else parts.having.push(`${/(^|_)(no|sku|code|number)$/.test(col) ? noun : role} ${words}`);
};

/** `a capacity of 80`, `2 beds`, `floor 1` */
const sayCount = (name: string, words: string): string => {
  if (/^(floor|level|grade|version|year|no|number)/.test(name) && !name.startsWith('number of '))
    return `${name} ${words}`;
  if (/[^s]s$/.test(name) && !name.startsWith('number of ')) return `${words} ${name}`;
  return name.startsWith('number of ') && words !== '1' ? `${words} ${name.slice(10)}` : `${article(name)} of ${words}`;
};

const ofColumn = (parts: Parts, spec: Table, { col, words }: Descriptor): void => {
  const column = spec.cols[col];
  if (!column) return;
  const name = sayColumn(col);
  // Whose it is, kept as a name: `the matter of Kramer & Söhne Bank`.
  if (/^(customer|client|patient|guest|member|tenant)_name$/.test(col)) parts.owner.push(`for ${words}`);
  else if (column.type === 'date' || column.type === 'datetime') parts.when.push(sayWhen(col, words, nounOf(spec)));
  else if (column.type === 'money') parts.having.push(`${article(sayField(spec, col))} of ${words}`);
  else if (column.type === 'bool') parts.having.push(`“${name}” set to ${words}`);
  else if (column.type === 'int' || column.type === 'number') parts.having.push(sayCount(name, words));
  else if (column.enum && /^(status|state)$/.test(col) && isAdjective(words)) parts.before.push(words);
  else if (column.enum && /^(priority|severity)$/.test(col) && !words.includes(' '))
    parts.before.push(`${words}-${name}`);
  else if (column.enum && /^(kind|type|category|grade|class)$/.test(col)) parts.owner.unshift(`of ${name} ${words}`);
  else parts.having.push(`${name} ${words}`);
};

/**
 * `the overdue invoice for customer Brinkhof Interiors due on 4 April 2024 with an amount of EUR 1,284.50`, or by its label:
 * `invoice INV-10427`.
 */
export const sayRow = (service: LoadedService, table: string, row: Row, descriptors: readonly Descriptor[]): string => {
  const spec = service.spec.tables[table] as Table;
  const parts: Parts = { before: [], owner: [], people: [], having: [], when: [] };
  let label: string | undefined;
  for (const descriptor of descriptors) {
    const { col, words, parent } = descriptor;
    if (col === spec.label) label = sayLabel(spec, row) ?? words;
    else if (parent && SAME_THING.test(col) && !label && ITSELF.test(nounOf(spec))) label = words;
    else if (parent && SAME_THING.test(col) && !label) parts.owner.unshift(`of ${words}`);
    else if (parent) {
      const target = parent.service.spec.tables[parent.table];
      ofParent(parts, col, words, target ? nounOf(target) : sayColumn(col));
    } else ofColumn(parts, spec, descriptor);
  }
  // `Table 13` says what it is.
  const isSaid = label?.toLowerCase().replace(/^“/, '').startsWith(nounOf(spec).toLowerCase()) ?? false;
  const noun = [...parts.before, ...(isSaid ? [] : [nounOf(spec)])].join(' ');
  const isCode = label !== undefined && /^\S*\d\S*$/.test(label) && parts.before.length === 0;
  const head =
    label === undefined
      ? `the ${noun}`
      : [isCode || (isSaid && noun === '') ? '' : 'the', noun, label].filter(Boolean).join(' ');
  const having = parts.having.length > 0 ? [`with ${joined(parts.having)}`] : [];
  return [head, ...parts.owner, ...parts.people, ...parts.when, ...having].join(' ');
};
