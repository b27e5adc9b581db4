/** One column as a model writes it (`amount: money! >=1`), read leniently into the catalogue's notation. */
import { columnsData } from '../../../world/seed/data.js';
import { nameOf } from '../text/words.js';
import type { Issue } from '../types.js';

export interface ColumnLine {
  name: string;
  /** In the notation of `readColumn`. */
  text: string;
}

const ALIASES: Record<string, string> = {
  string: 'text',
  str: 'text',
  varchar: 'text',
  char: 'text',
  email: 'text fmt=email',
  url: 'text fmt=uri',
  phone: 'text fmt=phone',
  integer: 'int',
  bigint: 'int',
  float: 'number',
  double: 'number',
  decimal: 'number',
  real: 'number',
  boolean: 'bool',
  timestamp: 'datetime',
  time: 'text len=8',
  amount: 'money',
  price: 'money',
  currency: 'money',
  enum: 'one',
  choice: 'one',
  fkey: 'fk',
  reference: 'ref',
  employee: 'emp',
  serial: 'no',
  number_no: 'no',
};
const TYPES = new Set('text int number bool date datetime money no fk ref one emp empno'.split(' '));
const RULES = (): ReadonlySet<string> => new Set(columnsData().rules.map(({ id }) => id));
const FORMATS = new Set(['email', 'uri', 'phone', 'uuid', 'hostname', 'ipv4']);

/** What is already there for every table. */
const OURS = new Set(['id', 'created_at', 'updated_at']);

const flagOf = (flag: string): string | undefined => {
  if (/^(unique|fixed|@|hidden)$/.test(flag)) return flag;
  if (/^[<>]=-?\d{1,12}(\.\d{1,4})?$/.test(flag)) return flag;
  if (/^len=\d{1,5}$/.test(flag) && Number(flag.slice(4)) > 0) return flag;
  if (/^=(-?\d{1,12}(\.\d{1,4})?|true|false|[a-z][a-z0-9_]{0,40})$/.test(flag)) return flag;
  if (flag.startsWith('fmt=') && FORMATS.has(flag.slice(4))) return flag;
  if (flag.startsWith('seed=') && RULES().has(flag.slice(5))) return flag;
  return undefined;
};

/** `a|b|c` of lower_snake values; undefined when fewer than two are left. */
export const valuesOf = (text: string): string[] | undefined => {
  const values = [...new Set(text.split(/[|,/]/).flatMap((value) => nameOf(value) ?? []))];
  return values.length >= 2 && values.length <= 12 ? values : undefined;
};

const second = (kind: string, word: string, at: string): string | Issue => {
  if (kind === 'no')
    return /^[A-Z][A-Z0-9]{0,5}-?$/.test(word)
      ? word
      : { at, why: `"${word}" is no prefix`, hint: 'Write for example: no INV-' };
  if (kind === 'one')
    return (
      valuesOf(word)?.join('|') ?? {
        at,
        why: `"${word}" is no list of values`,
        hint: 'Write for example: one low|medium|high',
      }
    );
  if (kind === 'fk') return nameOf(word) ?? { at, why: 'fk names no table', hint: 'Write for example: fk! customer' };
  const path = word.split('.').map(nameOf);
  return path.length === 3 && path.every(Boolean)
    ? path.join('.')
    : { at, why: `"${word}" is not service.table.column`, hint: 'Write for example: ref billing.customer.customer_no' };
};

/** Reads one column; the issue says what is wrong. Undefined for what is there anyway (`id`, `created_at`). */
export const readColumnLine = (line: string, table: string): ColumnLine | Issue | undefined => {
  const found = /^\s*"?([^:=]{1,80}?)"?\s*[:=]\s*(\S[\s\S]*)$/.exec(line.slice(0, 400));
  const name = nameOf(found?.[1]);
  if (!found || !name) return { at: table, why: `"${line.slice(0, 60)}" is no column`, hint: 'Write name: type flags' };
  if (OURS.has(name)) return undefined;
  const at = `${table}.${name}`;
  const words = (found[2] as string)
    .trim()
    .replace(/\((\d+)\)/, ' len=$1')
    .split(/[\s,]+/)
    .filter(Boolean);
  const first = (words.shift() ?? '').toLowerCase();
  let mark = first.endsWith('!') ? '!' : '';
  const [kind = '', ...more] = (ALIASES[first.replace(/[!?]$/, '')] ?? first.replace(/[!?]$/, '')).split(' ');
  if (!TYPES.has(kind))
    return { at, why: `there is no type "${kind.slice(0, 40)}"`, hint: `Types: ${[...TYPES].join(', ')}` };
  const parts: string[] = [];
  if (kind === 'no' || kind === 'one' || kind === 'fk' || kind === 'ref') {
    const word = words.shift() ?? '';
    if (word.endsWith('!')) mark = '!';
    const read = second(kind, word.replace(/[!?]$/, ''), at);
    if (typeof read !== 'string') return read;
    parts.push(read);
  }
  for (const flag of [...more, ...words]) {
    if (/^(required|not|null|notnull|nn|!)$/i.test(flag)) {
      if (/^(required|notnull|nn|!)$/i.test(flag) || words.includes('not')) mark = '!';
    } else if (!/^(optional|nullable|\?)$/i.test(flag)) {
      const kept = flagOf(flag);
      if (kept === undefined)
        return {
          at,
          why: `there is no flag "${flag.slice(0, 40)}"`,
          hint: 'Flags: =v >=n <=n unique @ len=n fmt=email',
        };
      parts.push(kept);
    }
  }
  return { name, text: [`${kind}${kind === 'no' ? '' : mark}`, ...parts].join(' ') };
};
