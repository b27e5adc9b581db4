/** A test's own rows and corrections, from files or as they are. */
import { readFileSync } from 'node:fs';
import { type Overrides, readOverrides } from '../../author/overrides/read.js';
import { readOwnTables, tableOfRows } from '../../author/own-data/read.js';
import type { OwnTable } from '../../author/own-data/types.js';
import { TreadleError } from '../../errors.js';
import type { WorldOptions } from './types.js';

const tablesOf = async (data: NonNullable<WorldOptions['data']>): Promise<OwnTable[]> => {
  const files = typeof data === 'string' ? [data] : Array.isArray(data) ? data : undefined;
  if (files) return (await Promise.all(files.map((file: string) => readOwnTables(file)))).flat();
  // Through JSON, as if they had been read: dates become text, what is undefined is left out.
  const rows = JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  return Object.entries(rows).map(([table, list]) => {
    if (Array.isArray(list)) return tableOfRows(list, table, 'data');
    throw new TreadleError({
      code: 'bad_data',
      message: `${table} is no list of rows`,
      value: list,
      next: 'Give {table: [{column: value}]}.',
    });
  });
};

const overridesIn = (file: string): Overrides => {
  try {
    return readOverrides(readFileSync(file, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof TreadleError) throw thrown;
    throw new TreadleError({
      code: 'missing_file',
      message: 'The file of corrections cannot be read',
      value: file,
      next: 'Check the path.',
      cause: thrown,
    });
  }
};

/** Throws `bad_data`, `data_does_not_fit`, `missing_file` and `bad_overrides`. */
export const ownOf = async ({
  data,
  overrides,
}: WorldOptions): Promise<{ tables?: OwnTable[]; overrides?: Overrides }> => ({
  ...(data === undefined ? {} : { tables: await tablesOf(data) }),
  ...(overrides === undefined ? {} : { overrides: overridesIn(overrides) }),
});
