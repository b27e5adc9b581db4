/** Reads the tables of an image: where each one's tree starts and which columns its records hold. */
import { canonicalJson, sha256 } from '../../kit/hash.js';
import { type PageReader, TreeReader } from './btree.js';
import { type Column, columnsOf } from './columns.js';
import { decodeRecord } from './record.js';

export interface TableShape {
  name: string;
  root: number;
  columns: readonly Column[];
  /** The primary key, where it is one column. */
  key: string | undefined;
}

export interface Schema {
  /** Equal for two images exactly when statements prepared on one may run on the other. */
  key: string;
  /** Rowid tables by name. */
  tables: ReadonlyMap<string, TableShape>;
  /** Every table, rowids or not: its name in lower case to its name. */
  names: ReadonlyMap<string, string>;
  usable: number;
}

export const readSchema = (pageSize: number, page: PageReader): Schema => {
  const usable = pageSize - (page(1)?.[20] ?? 0);
  const reader = new TreeReader(page, usable);
  const rows: unknown[][] = [];
  for (const leaf of reader.pages(1).leaves) reader.cells(leaf, (cell) => rows.push(decodeRecord(cell.payload)));
  const tables = new Map<string, TableShape>();
  const names = new Map<string, string>();
  for (const [type, name, , root, sql] of rows) {
    if (type !== 'table' || typeof sql !== 'string' || Number(root) === 0) continue;
    names.set(String(name).toLowerCase(), String(name));
    const parsed = columnsOf(sql);
    if (parsed) tables.set(String(name), { name: String(name), root: Number(root), ...parsed });
  }
  return { key: sha256(canonicalJson([usable, rows])), tables, names, usable };
};
