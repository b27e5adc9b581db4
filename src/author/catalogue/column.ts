/** The column notation of data/catalogue: one short text a column, compiled to an artifact column. */
import type { Column, Literal } from '../../artifacts/table.js';
import { TreadleError } from '../../errors.js';

/** A column of another service that this one speaks of. */
export interface Reference {
  service: string;
  table: string;
  col: string;
}

export interface DraftColumn {
  column: Column;
  /** Written by verbs only: never an argument of create or update. */
  managed: boolean;
  /** Given at creation and never changed by update. */
  fixed: boolean;
  /** Without a default, a creator must give it. */
  mandatory: boolean;
  /** Shared keys, best first; the first whose service is in the world makes a link. */
  refs: Reference[];
}

const TYPES = ['text', 'int', 'number', 'bool', 'date', 'datetime', 'money', 'json'] as const;
const HEAD = /^(text|int|number|bool|date|datetime|money|json|no|fk|ref|one|emp|empno)([!?]?)$/;

const bad = (text: string, why: string): TreadleError =>
  new TreadleError({
    code: 'bad_column',
    message: `Catalogue column cannot be read: ${why}`,
    value: text,
    next: 'The notation is explained at readColumn in src/author/catalogue/column.ts.',
  });

const literal = (word: string): Literal => {
  if (word === 'true') return true;
  if (word === 'false') return false;
  return /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;
};

const reference = (path: string, text: string): Reference => {
  const [service, table, col] = path.split('.');
  if (!service || !table || !col) throw bad(text, `${path} is not service.table.column`);
  return { service, table, col };
};

const applyFlag = (out: DraftColumn, flag: string, text: string): void => {
  const { column } = out;
  if (flag === '@') out.managed = true;
  else if (flag === 'fixed') out.fixed = true;
  else if (flag === 'unique') column.unique = true;
  else if (flag === 'hidden') {
    column.hidden = true;
    out.managed = true;
  } else if (flag.startsWith('>=')) column.min = Number(flag.slice(2));
  else if (flag.startsWith('<=')) column.max = Number(flag.slice(2));
  else if (flag.startsWith('len=')) column.maxLength = Number(flag.slice(4));
  else if (flag.startsWith('fmt=')) column.format = flag.slice(4);
  else if (flag.startsWith('seed=')) column.seed = flag.slice(5);
  else if (flag.startsWith('=')) {
    column.default = literal(flag.slice(1));
    column.required = true;
  } else throw bad(text, `unknown flag ${flag}`);
};

/**
 * Reads one column: `text!` (required), `one draft|issued` (enum, the first is the default), `one! a|b` (no default),
 * `no INV-` (running number), `fk invoice!`, `ref! crm.account.account_no/billing.customer.account_no`, `emp` and `empno`
 * (a colleague's e-mail or number), then flags: `=v`, `>=n`, `<=n`, `unique`, `@` (written by verbs only), `fixed`, `len=n`,
 * `fmt=email`, `seed=rule`, `hidden`. Throws `bad_column`.
 */
export const readColumn = (text: string): DraftColumn => {
  const [first = '', ...rest] = text.trim().split(/\s+/);
  const head = HEAD.exec(first);
  if (!head) throw bad(text, `unknown type ${first}`);
  const [, kind = '', mark = ''] = head;
  const out: DraftColumn = { column: { type: 'text' }, managed: false, fixed: false, mandatory: false, refs: [] };
  const { column } = out;
  if (mark === '!') column.required = true;
  switch (kind) {
    case 'no':
      Object.assign(column, { auto: 'number', prefix: rest.shift() ?? '', required: true, unique: true });
      out.managed = true;
      break;
    case 'fk':
      column.fk = rest.shift() ?? '';
      out.fixed = true;
      break;
    case 'ref':
      out.refs = (rest.shift() ?? '').split('/').map((path) => reference(path, text));
      break;
    case 'emp':
      out.refs = [{ service: 'directory', table: 'employee', col: 'email' }];
      column.format = 'email';
      break;
    case 'empno':
      out.refs = [{ service: 'directory', table: 'employee', col: 'employee_no' }];
      break;
    case 'one':
      column.enum = (rest.shift() ?? '').split('|');
      if (mark === '') Object.assign(column, { required: true, default: column.enum[0] });
      break;
    default:
      column.type = kind as (typeof TYPES)[number];
      if (kind === 'bool' && mark === '') Object.assign(column, { required: true, default: false });
  }
  for (const flag of rest) applyFlag(out, flag, text);
  out.mandatory = column.required === true && column.default === undefined && column.auto === undefined;
  return out;
};
