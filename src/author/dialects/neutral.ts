/** The surface a canonical service carries before a dialect dresses it: plain, flat, and easy to read in a diff. */
import type { Surface } from '../../artifacts/surface.js';

/** Snake names, ISO dates, decimal money, `{data, total}` lists paged by offset; for currency `currency` (ISO 4217). */
export const neutralSurface = (currency: string): Surface => ({
  dialect: 'neutral',
  fields: 'snake',
  args: 'snake',
  enums: 'asis',
  date: 'iso',
  datetime: 'iso',
  money: 'decimal',
  currency,
  row: '$fields',
  one: '$row',
  many: { data: '$rows', total: '$total', more: '$more' },
  done: { done: true },
  paging: 'offset',
  error: { error: { code: '$code', message: '$message', field: '$field' } },
});
