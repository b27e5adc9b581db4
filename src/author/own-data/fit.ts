/** A user's tables held against a draft: every row fits its table, or all that does not is told. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Row, SqlValue } from '../../world/state/types.js';
import { convert } from './convert.js';
import { type FoundTable, findColumn, findTable } from './match.js';
import { misfit, type OwnRow, type OwnRows, type OwnTable } from './types.js';

const MOST_PROBLEMS = 1_000;

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return `"${text.length > 40 ? `${text.slice(0, 40)}...` : text}"`;
};

const placeOf = ({ table, file }: OwnTable, at: number): string =>
  /\.(json|db|sqlite3?)$/i.test(file) ? `${file}, ${table}, row ${at}` : `${file}, line ${at}`;

const columnsOf = (own: OwnTable, found: FoundTable, problems: string[]): (string | undefined)[] => {
  const taken = new Map<string, string>();
  return own.columns.map((given) => {
    const read = findColumn(given, found);
    if (typeof read === 'string') {
      problems.push(`${own.file}, ${own.table}, column ${given}: ${read}`);
      return undefined;
    }
    const other = taken.get(read.col);
    if (other !== undefined) problems.push(`${own.file}, ${own.table}: ${other} and ${given} are both ${read.col}`);
    taken.set(read.col, given);
    return read.col;
  });
};

const rowsOf = (own: OwnTable, found: FoundTable, currency: string, problems: string[]): OwnRow[] => {
  const cols = columnsOf(own, found, problems);
  const { table, spec } = found;
  const unique = cols.filter((col) => col !== undefined && (col === table.key.col || table.cols[col]?.unique));
  const seen = new Map(unique.map((col) => [col as string, new Map<unknown, number>()]));
  return own.rows.map(({ at, cells }) => {
    const values: Row = {};
    cells.forEach((cell, i) => {
      const col = cols[i];
      const column = col === undefined ? undefined : table.cols[col];
      if (col === undefined || !column || problems.length > MOST_PROBLEMS || cell === undefined || cell === null)
        return;
      const where = `${placeOf(own, at)}, column ${own.columns[i]}`;
      // What a reference names is looked up later, among the rows there are.
      const plain = column.fk === undefined ? column : { ...column, type: 'text' as const };
      const read = convert(cell, plain, { money: spec.surface.money, currency: spec.surface.currency ?? currency });
      if ('why' in read) {
        problems.push(`${where}: ${shown(cell)} ${read.why}`);
        return;
      }
      const before = seen.get(col)?.get(read.value);
      if (before !== undefined) problems.push(`${where}: ${shown(cell)} stands on ${before} already`);
      seen.get(col)?.set(read.value, at);
      values[col] = read.value;
    });
    return { at: placeOf(own, at), values };
  });
};

/** References of rows that were given: by key, else by the label of one row, among the rows given for that table. */
const settleReferences = (out: OwnRows, specs: readonly ServiceSpec[], problems: string[]): void => {
  for (const spec of specs)
    for (const [name, rows] of Object.entries(out[spec.id] ?? {}))
      for (const [col, { fk }] of Object.entries(spec.tables[name]?.cols ?? {})) {
        const target = fk === undefined ? undefined : spec.tables[fk];
        if (fk === undefined || !target || !rows.some(({ values }) => values[col] !== undefined)) continue;
        const there = out[spec.id]?.[fk] ?? [];
        const byKey = new Map<string, SqlValue>();
        const byLabel = new Map<string, number>();
        there.forEach(({ values }, i) => {
          const key = values[target.key.col];
          if (key !== undefined) byKey.set(String(key), key);
          const label = target.label === undefined ? undefined : values[target.label];
          // Two of one name are nobody's.
          if (label !== undefined) byLabel.set(String(label), byLabel.has(String(label)) ? -1 : i);
        });
        for (const row of rows) {
          const { at, values } = row;
          const given = values[col];
          if (given === undefined) continue;
          const key = byKey.get(String(given));
          const nth = byLabel.get(String(given)) ?? -1;
          if (key !== undefined) values[col] = key;
          else if (nth >= 0) {
            delete values[col];
            row.refs = { ...row.refs, [col]: nth };
          } else
            problems.push(
              `${at}, column ${col}: there is no ${target.noun} ${shown(given)}${there.length === 0 ? `; give the ${target.plural ?? `${target.noun} rows`} too` : ''}`,
            );
        }
      }
};

/**
 * Rows by service and table, with canonical values. `currency` is the company's. Throws `data_does_not_fit` with every table, column,
 * row and cell that does not fit; nothing is dropped silently.
 */
export const fitOwnRows = (tables: readonly OwnTable[], specs: readonly ServiceSpec[], currency: string): OwnRows => {
  const problems: string[] = [];
  const out: OwnRows = {};
  for (const own of tables) {
    const found = findTable(own.table, specs);
    if (typeof found === 'string') {
      problems.push(`${own.file}: ${found}`);
      continue;
    }
    const service = out[found.spec.id] ?? {};
    out[found.spec.id] = service;
    if (service[found.name]) problems.push(`${own.file}: ${found.spec.id}.${found.name} was given already`);
    else service[found.name] = rowsOf(own, found, currency, problems);
  }
  if (problems.length === 0) settleReferences(out, specs, problems);
  if (problems.length > 0)
    throw misfit(
      problems,
      'Correct the rows, name a table with --data table=FILE, or correct the table in overrides.yaml.',
    );
  return out;
};
