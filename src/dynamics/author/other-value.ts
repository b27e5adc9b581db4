/** The value that somebody outside puts in place of a stored one: of the same kind, as other records have it. */
import type { Column, Table } from '../../artifacts/table.js';
import type { Rng } from '../../kit/rng.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Row } from '../../world/state/types.js';
import type { Happenings } from './happenings.js';
import { newStored } from './new-value.js';
import type { Colleague } from './people.js';
import { rowsWhere } from './rows.js';
import type { RowRef } from './shown-row.js';
import { isPerson } from './thing-words.js';

export type Kind = keyof Happenings['changed'];

export interface OtherValue {
  value: string | number;
  kind: Kind;
}

/** Set by the service itself, or what no outsider would touch. */
const FIXED = /(^|_)(id|key|currency|created_at|updated_at|version)$|^(created|updated)_/;

const isFixed = (spec: Table, col: string, column: Column): boolean =>
  col === spec.key.col ||
  column.auto !== undefined ||
  column.hidden === true ||
  FIXED.test(col) ||
  spec.machine?.col === col ||
  column.type === 'json' ||
  column.type === 'bool';

/** `stefan.petersen@x` -> `s.petersen@x` */
const otherAddress = (address: string): string | undefined => {
  const [, first, last, domain] = /^(\p{L}+)\.([\p{L}-]+)(@.+)$/u.exec(address) ?? [];
  return first && last && domain ? `${first.charAt(0)}.${last}${domain}` : undefined;
};

const taken = (session: Session, { service, table }: RowRef, col: string, value: string): boolean =>
  rowsWhere(session, service, table, { [col]: value }, 1).length > 0;

/** Posts that nobody comes to by the way. */
const HIGH = /\b(chief|managing|president|partner|owner|founder)\b/i;

/** The first name with the family name of somebody else: people marry. */
const otherName = (session: Session, ref: RowRef, col: string, value: string, random: Rng): string | undefined => {
  const [first, ...rest] = value.split(' ');
  const families = elsewhere(session, ref, col, value).flatMap((name) => String(name).split(' ').slice(1).at(-1) ?? []);
  const fitting = families.filter((family) => family !== rest.at(-1));
  const made = first && rest.length > 0 && fitting.length > 0 ? `${first} ${random.pick(fitting)}` : undefined;
  return made !== undefined && !taken(session, ref, col, made) ? made : undefined;
};

/** What other rows of the table have in the column. */
const elsewhere = (session: Session, { service, table }: RowRef, col: string, value: unknown): (string | number)[] => {
  const all = rowsWhere(session, service, table, {}, 200).map((row) => row[col]);
  return [...new Set(all)].filter(
    (other): other is string | number =>
      (typeof other === 'string' || typeof other === 'number') && other !== value && other !== '',
  );
};

/** Undefined where nobody would change it, or where nothing fits. */
export const otherValue = (
  session: Session,
  ref: RowRef,
  row: Row,
  col: string,
  people: readonly Colleague[],
  random: Rng,
): OtherValue | undefined => {
  const spec = session.world.services.get(ref.service)?.spec.tables[ref.table];
  const column = spec?.cols[col];
  const value = row[col];
  if (!spec || !column || isFixed(spec, col, column)) return undefined;
  if (typeof value === 'number') {
    if (column.fk || column.unique || value === 0) return undefined;
    const other = newStored(column.type, value, random);
    if (column.type !== 'date' && column.type !== 'datetime') return { value: other, kind: 'amount' };
    const { clock } = session;
    // What lies behind stays behind.
    if (value <= clock) return { value: other <= clock ? other : 2 * value - other, kind: 'past' };
    return { value: other, kind: 'moment' };
  }
  if (typeof value !== 'string' || value === '') return undefined;
  if (column.unique) {
    const other = /email$/.test(col) ? otherAddress(value) : undefined;
    return other && !taken(session, ref, col, other) ? { value: other, kind: 'contact' } : undefined;
  }
  if (people.some(({ email }) => email === value)) {
    const others = people.filter(({ email }) => email !== value);
    return others.length > 0 ? { value: random.pick(others).email, kind: 'person' } : undefined;
  }
  // A reference to a record of another kind is no matter of correcting.
  if (column.fk || /(_no|_number|_ref|_code)$/.test(col)) return undefined;
  if (col === spec.label || /(^|_)name$/.test(col)) {
    const named = isPerson(spec) && col === spec.label ? otherName(session, ref, col, value, random) : undefined;
    return named === undefined ? undefined : { value: named, kind: 'name' };
  }
  const others = column.enum ? column.enum.filter((one) => one !== value) : elsewhere(session, ref, col, value);
  const fitting = others.filter((one) => typeof one === 'string' && one.length <= 80 && !HIGH.test(one));
  if (fitting.length === 0) return undefined;
  return { value: random.pick(fitting), kind: /(email|phone|address|city)$/.test(col) ? 'contact' : 'other' };
};
