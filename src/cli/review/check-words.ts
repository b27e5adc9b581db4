/** A check as a person reads it. */
import type { Check } from '../../artifacts/check.js';
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Literal } from '../../artifacts/table.js';
import { isoDate, isoInstant } from '../../kit/calendar.js';

type Services = readonly ServiceSpec[];
interface Place {
  service: string;
  table: string;
}

/** A stored value: dates as a person writes them, money marked as what it is. */
export const storedValue = (services: Services, { service, table }: Place, col: string, literal: Literal): string => {
  const type = services.find(({ id }) => id === service)?.tables[table]?.cols[col]?.type;
  if (typeof literal !== 'number') return JSON.stringify(literal);
  if (type === 'date') return isoDate(literal);
  if (type === 'datetime') return isoInstant(literal);
  return type === 'money' ? `${literal} (minor units)` : String(literal);
};

const whereOf = (services: Services, place: Place & { where: Readonly<Record<string, Literal>> }): string =>
  Object.entries(place.where)
    .map(([col, literal]) => `${col} ${storedValue(services, place, col, literal)}`)
    .join(', ') || 'anything';

type Allowed = Extract<Check, { kind: 'unchanged' }>['except'][number];

const allowed = ({ service, table, keys = [], cols, inserts, deletes }: Allowed): string => {
  const place = `${service}.${table}`;
  if (inserts !== undefined) return `${inserts} new row${inserts === 1 ? '' : 's'} in ${place}`;
  const rows = keys.length > 0 ? `${place} ${keys.join(', ')}` : place;
  if (deletes) return `that ${rows} goes`;
  return cols ? `${cols.join(', ')} of ${rows}` : rows;
};

const wordsOf = (check: Check, services: Services): string => {
  switch (check.kind) {
    case 'exists':
      return `there is a row in ${check.service}.${check.table} with ${whereOf(services, check)}`;
    case 'absent':
      return `there is no row in ${check.service}.${check.table} with ${whereOf(services, check)}`;
    case 'equals':
      return `${check.service}.${check.table} with ${whereOf(services, check)} has ${check.col} ${storedValue(services, check, check.col, check.value)}`;
    case 'not_equals':
      return `${check.service}.${check.table} with ${whereOf(services, check)} no longer has ${check.col} ${storedValue(services, check, check.col, check.value)}`;
    case 'count':
      return `${check.count} row${check.count === 1 ? '' : 's'} in ${check.service}.${check.table} with ${whereOf(services, check)}`;
    case 'unchanged':
      return check.except.length === 0
        ? 'nothing changed at all'
        : `nothing else changed than ${check.except.map(allowed).join('; ')}`;
    case 'returned':
      return `${check.key} was seen in a result of ${check.tools.join(' or ')}`;
    case 'answer':
      return 'the answer is right';
    case 'file': {
      if (check.absent) return `there is no file ${check.path}`;
      const says = check.equals ?? check.contains;
      return `the file ${check.path} ${check.equals === undefined ? 'contains' : 'is'} ${JSON.stringify(says ?? '')}`;
    }
    case 'invariant':
      return `the rule ${check.invariant} holds`;
  }
};

/** One line; says until which stage the check is asked where that ends before the task does. */
export const checkWords = (check: Check, services: Services): string =>
  check.until === undefined ? wordsOf(check, services) : `${wordsOf(check, services)} (until ${check.until})`;
