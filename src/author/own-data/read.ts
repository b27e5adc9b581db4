/** Files of a user's rows: JSON by table, CSV named after its table, SQLite. */
import { readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { TreadleError } from '../../errors.js';
import { Base } from '../../world/state/base.js';
import { Engine } from '../../world/state/engine.js';
import { State } from '../../world/state/state.js';
import { readCsv } from './csv.js';
import { misfit, type OwnTable } from './types.js';

const MOST_BYTES = 256 * 1024 * 1024;
const MOST_ROWS = 200_000;

const bad = (file: string, message: string, next: string): TreadleError =>
  new TreadleError({ code: 'bad_data', message: `${file}: ${message}`, value: file, next });

/** Rows as plain objects. Throws `data_does_not_fit` for what is none. */
export const tableOfRows = (rows: readonly unknown[], table: string, file: string): OwnTable => {
  const columns = new Map<string, number>();
  const problems: string[] = [];
  rows.forEach((row, i) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      problems.push(`${table}, row ${i + 1}: no object`);
    else for (const name of Object.keys(row)) if (!columns.has(name)) columns.set(name, columns.size);
  });
  if (problems.length > 0) throw misfit(problems, 'Give each row as {"column": value}.');
  const names = [...columns.keys()];
  return {
    table,
    file,
    columns: names,
    rows: rows.map((row, i) => ({
      at: i + 1,
      cells: names.map((name) =>
        Object.hasOwn(row as object, name) ? (row as Record<string, unknown>)[name] : undefined,
      ),
    })),
  };
};

const fromJson = (text: string, file: string, table: string | undefined): OwnTable[] => {
  let root: unknown;
  try {
    root = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw bad(file, `the JSON is broken: ${cause instanceof Error ? cause.message : ''}`, 'Correct it.');
  }
  const own = table ?? basename(file, extname(file));
  if (Array.isArray(root)) return [tableOfRows(root, own, file)];
  if (typeof root !== 'object' || root === null)
    throw bad(file, 'it holds no rows', 'Give {"table": [{"column": value}]}.');
  return Object.entries(root).map(([name, rows]) => {
    if (!Array.isArray(rows)) throw bad(file, `${name} is no list of rows`, 'Give {"table": [{"column": value}]}.');
    return tableOfRows(rows, name, file);
  });
};

const fromCsv = (text: string, file: string, table: string | undefined): OwnTable[] => {
  const { records, openQuote } = readCsv(text);
  if (openQuote !== undefined) throw bad(file, `the quote on line ${openQuote} is never closed`, 'Close it.');
  const [header, ...rows] = records;
  if (!header) throw bad(file, 'it is empty', 'Give a first line with the names of the columns.');
  const twice = header.cells.find((name, i) => header.cells.indexOf(name) !== i || name === '');
  if (twice !== undefined)
    throw bad(file, twice === '' ? 'a column has no name' : `two columns are called ${twice}`, 'Correct line 1.');
  const wrong = rows.filter(({ cells }) => cells.length !== header.cells.length);
  if (wrong.length > 0)
    throw misfit(
      wrong.map(
        ({ line, cells }) => `${file}, line ${line}: ${cells.length} cells under ${header.cells.length} columns`,
      ),
      'Quote cells that hold the separator.',
    );
  const own = table ?? basename(file, extname(file));
  const cellOf = (cell: string): unknown => (cell === '' ? null : cell);
  return [
    {
      table: own,
      file,
      columns: header.cells,
      rows: rows.map(({ line, cells }) => ({ at: line, cells: cells.map(cellOf) })),
    },
  ];
};

const fromSqlite = async (bytes: Uint8Array, file: string, table: string | undefined): Promise<OwnTable[]> => {
  const engine = await Engine.start();
  const state = State.open(Base.of(bytes));
  try {
    const connection = engine.connection(`own data ${file}`);
    connection.bind(state);
    const names = [...state.base.schema.names.values()].filter((name) => !/^(sqlite_|_treadle_)/i.test(name));
    const out: OwnTable[] = [];
    for (const name of names) {
      const rows = connection.prepare(`SELECT * FROM "${name.replaceAll('"', '""')}" LIMIT ${MOST_ROWS + 1}`).all();
      if (rows.length > 0) out.push(tableOfRows(rows, names.length === 1 && table ? table : name, file));
    }
    return out;
  } catch (cause) {
    if (cause instanceof TreadleError && cause.code === 'bad_image') throw cause;
    throw bad(
      file,
      `it cannot be read: ${cause instanceof Error ? cause.message.slice(0, 200) : ''}`,
      'Run PRAGMA integrity_check over it.',
    );
  } finally {
    engine.close();
    state.drop();
  }
};

/** `orders=january.csv` -> table and file; a plain path names the table by its own name. */
const split = (given: string): { table: string | undefined; path: string } => {
  const found = /^([A-Za-z_][\w.]*)=(.+)$/.exec(given);
  return found ? { table: found[1], path: found[2] as string } : { table: undefined, path: given };
};

/**
 * Reads one `--data` value. Throws `missing_file`, `bad_data` for what cannot be read, `data_does_not_fit` for rows that are none, and
 * `bad_image` for a SQLite file of a kind we do not open.
 */
export const readOwnTables = async (given: string): Promise<OwnTable[]> => {
  const { table, path } = split(given);
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info?.isFile())
    throw new TreadleError({
      code: 'missing_file',
      message: 'There is no such data file',
      value: path,
      next: 'Check the path.',
    });
  const file = basename(path);
  if (info.size > MOST_BYTES)
    throw bad(file, `it has ${info.size} bytes, the limit is ${MOST_BYTES}`, 'Give fewer rows.');
  const bytes = readFileSync(path);
  const isSqlite = bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3';
  const isJson = /\.json$/i.test(file);
  const tables = isSqlite
    ? await fromSqlite(bytes, file, table)
    : isJson
      ? fromJson(bytes.toString('utf8'), file, table)
      : fromCsv(bytes.toString('utf8'), file, table);
  const rows = tables.reduce((sum, each) => sum + each.rows.length, 0);
  if (rows === 0) throw bad(file, 'it holds no rows', 'Leave it out, or give rows.');
  if (rows > MOST_ROWS) throw bad(file, `it holds more than ${MOST_ROWS} rows`, 'Give fewer rows.');
  return tables;
};
