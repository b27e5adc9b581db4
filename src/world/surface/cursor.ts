/** Page marks: an opaque cursor or a page number on the surface, a row offset inside. */
import type { Surface } from '../../artifacts/surface.js';
import { badValue, shownValue } from './value.js';

/** Rows beyond this cannot be paged to. */
export const MAX_OFFSET = 1_000_000;

export const writeCursor = (offset: number): string => Buffer.from(`i:${offset}`).toString('base64url');

/** Throws `invalid_argument` for a text that no answer ever gave. */
export const readCursor = (cursor: string): number => {
  const found = /^i:(\d{1,7})$/.exec(Buffer.from(cursor.slice(0, 40), 'base64url').toString('latin1'));
  const offset = found ? Number(found[1]) : Number.NaN;
  if (offset <= MAX_OFFSET && writeCursor(offset) === cursor) return offset;
  throw badValue(`must be a cursor from an earlier answer, not ${shownValue(cursor)}`, cursor);
};

/** Number of the first page. */
export const firstPage = (paging: Surface['paging']): number => (paging === 'page1' ? 1 : 0);

export const pageOf = (paging: Surface['paging'], offset: number, size: number): number =>
  Math.floor(offset / Math.max(1, size)) + firstPage(paging);
