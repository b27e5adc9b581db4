/** Which rule of data/columns.yaml makes a column: enum > foreign key > format > first rule by name whose type agrees > type. */
import type { Column, ColumnType } from '../../artifacts/table.js';
import { snake } from '../../kit/words.js';
import { columnsData, type RuleData } from './data.js';

export interface Rule {
  id: string;
  pattern: RegExp;
  types: ReadonlySet<string>;
  format: string | undefined;
  unique: boolean;
}

/** How the rule was chosen; `default` when no rule matched and the type decides. */
export type Choice = 'pinned' | 'enum' | 'fk' | 'format' | 'name' | 'default';

export interface Chosen {
  how: Choice;
  /** The rule that makes the value, or says what an enum or key means; undefined for `default`. */
  rule: Rule | undefined;
}

interface Compiled {
  rules: Rule[];
  byId: ReadonlyMap<string, Rule>;
}

let compiled: Compiled | undefined;

const compile = (): Compiled => {
  if (compiled) return compiled;
  const rules = columnsData().rules.map((data: RuleData) => ({
    id: data.id,
    pattern: new RegExp(data.match),
    types: new Set(data.type.split('~')),
    format: data.format,
    unique: data.unique === true,
  }));
  compiled = { rules, byId: new Map(rules.map((rule) => [rule.id, rule])) };
  return compiled;
};

/** A JSON Schema format and the rule that makes it. */
const FORMAT_RULE: Record<string, string> = {
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  url: 'url',
  'uri-reference': 'url',
  iri: 'url',
  uuid: 'external_id',
  guid: 'external_id',
  ipv4: 'network_address',
  ipv6: 'network_address',
  hostname: 'host',
  phone: 'phone',
  date: 'stamp',
  'date-time': 'stamp',
  time: 'time_of_day',
  password: 'secret',
};
const SAME_FORMAT = new Set(['date', 'date-time']);

/** Rules whose value is a point in time. */
export const TIME_RULES: ReadonlySet<string> = new Set(
  'created_at updated_at hire_date birth_date purchase_date due_at expires_at ends_at starts_at stamp'.split(' '),
);
/** Rules whose value is an amount, kept in minor units until it is stored. */
export const MONEY_RULES: ReadonlySet<string> = new Set(
  'tax_amount discount subtotal unit_price line_total paid_amount due_amount balance limit_amount salary fee total'.split(
    ' ',
  ),
);

const agrees = (rule: Rule, type: ColumnType): boolean => {
  if (type === 'money') return MONEY_RULES.has(rule.id) || rule.id === 'firm_size';
  if (type === 'date' || type === 'datetime') return rule.types.has('date') || rule.types.has('datetime');
  return rule.types.has(type);
};

/** `invoiceDueDate` on an invoice -> `due_date`; cancelled and canceled read as one. */
const normal = new Map<string, string>();
export const normalName = (name: string, noun: string): string => {
  const key = `${noun}|${name}`;
  const known = normal.get(key);
  if (known !== undefined) return known;
  if (normal.size > 20_000) normal.clear();
  const made = stripped(name, noun);
  normal.set(key, made);
  return made;
};

const stripped = (name: string, noun: string): string => {
  const plain = snake(name).replace(/canceled/g, 'cancelled');
  const own = `${snake(noun)}_`;
  return plain.startsWith(own) && plain.length > own.length ? plain.slice(own.length) : plain;
};

/** `received` as a number is how many came, not when. */
const BARE = /^(received|recorded|logged|entry|added|joined|registered|delivered|due|until|since)$/;
const counts = (rule: Rule, name: string, type: ColumnType): boolean =>
  (type === 'int' || type === 'number') && TIME_RULES.has(rule.id) && BARE.test(name);

const hits = new Map<string, Rule | null>();
/** The same names come again in table after table. */
const byName = (name: string, type?: ColumnType): Rule | undefined => {
  const key = `${type ?? ''} ${name}`;
  const known = hits.get(key);
  if (known !== undefined) return known ?? undefined;
  const rule = compile().rules.find(
    (each) => each.pattern.test(name) && (type === undefined || (agrees(each, type) && !counts(each, name, type))),
  );
  if (hits.size > 20_000) hits.clear();
  hits.set(key, rule ?? null);
  return rule;
};

/** The rule with this id, if there is one. */
export const ruleById = (id: string): Rule | undefined => compile().byId.get(id);
/** The first rule whose `match` hits the name as it stands, whatever the type. */
export const ruleByName = (name: string): Rule | undefined => byName(name);

const remembered = new Map<string, Rule | null>();
const find = (name: string, noun: string, type: ColumnType): Rule | undefined => {
  const key = `${name} ${noun} ${type}`;
  const known = remembered.get(key);
  if (known !== undefined) return known ?? undefined;
  const whole = snake(name).replace(/canceled/g, 'cancelled');
  const short = normalName(name, noun);
  // `invoice_number` of an invoice is a document number, `number` alone says less: a whole name that hits wins over a stub.
  const rule =
    short === whole || /^(no|number|code|id|name)$/.test(short)
      ? (byName(whole, type) ?? byName(short, type))
      : (byName(short, type) ?? byName(whole, type));
  if (remembered.size > 20_000) remembered.clear();
  remembered.set(key, rule ?? null);
  return rule;
};

const isKey = (name: string, key: boolean): boolean => key && /^_?(id|uuid|guid|sid|gid|oid|pk)$/.test(name);

/** What an amount or a day of an uncommon name is like, before the default for its type. */
const MONEY_WORDS: [RegExp, string][] = [
  [
    /^(paid|captured|settled|recovered|collected|received|reimbursed|disbursed|earned|spent|used|deposit_paid)$/,
    'paid_amount',
  ],
  [/price|rate$|fare|tariff/, 'unit_price'],
  [/limit|reserve|cash|cap$/, 'limit_amount'],
  [/deposit|charge|instal|fee/, 'fee'],
];
const DAY_WORDS: [RegExp, string][] = [
  [/_by$/, 'due_at'],
  [/^from_|_from$|planned_for/, 'starts_at'],
  [/^to_|_until$/, 'ends_at'],
];
const likely = (words: readonly [RegExp, string][], name: string, otherwise: string): Rule | undefined =>
  ruleById(words.find(([pattern]) => pattern.test(name))?.[1] ?? otherwise);

/** Chooses the rule of a column; `noun` is the table's own, `key` says that it is the table's key. Never throws. */
export const chooseRule = (name: string, column: Column, noun: string, key = false): Chosen => {
  const pinned = column.seed ? ruleById(column.seed) : undefined;
  if (column.enum) return { how: 'enum', rule: pinned ?? find(name, noun, 'text') };
  if (column.fk) return { how: 'fk', rule: ruleById('foreign_key') };
  if (pinned) return { how: 'pinned', rule: pinned };
  if (isKey(name, key)) return { how: 'name', rule: ruleById('key') };
  const named = find(name, noun, column.type);
  const wanted = column.format ? FORMAT_RULE[column.format] : undefined;
  if (wanted) {
    const fits =
      named !== undefined &&
      (named.format === column.format ||
        named.id === wanted ||
        (SAME_FORMAT.has(column.format ?? '') && TIME_RULES.has(named.id)));
    return { how: 'format', rule: fits ? named : ruleById(wanted) };
  }
  if (named) return { how: 'name', rule: named };
  if (column.type === 'date' || column.type === 'datetime')
    return { how: 'default', rule: likely(DAY_WORDS, snake(name), 'stamp') };
  if (column.type === 'money') return { how: 'default', rule: likely(MONEY_WORDS, snake(name), 'total') };
  return { how: 'default', rule: undefined };
};
