/** Seed hints: how many rows a table has, and what kind of value a column holds where its name does not tell. */
import { z } from 'zod';
import type { ServiceSpec } from '../../../artifacts/service.js';
import { columnsData } from '../../../world/seed/data.js';
import type { Row } from '../../../world/state/types.js';
import type { DraftTable } from '../../catalogue/archetype.js';
import type { Part } from '../ask.js';
import { HINTS } from '../prompts.js';
import { readColumnLine } from '../spec/column-line.js';
import type { ServiceWork } from '../spec/service.js';
import { nameOf } from '../text/words.js';
import type { Issue } from '../types.js';
import { entries, get, lines } from './reading.js';

const text = z.string();
const Answer = z.object({
  tables: z.array(z.object({ name: text, rows: z.number().int(), columns: z.array(text) })),
});

const LEAST_ROWS = 5;
const MOST_ROWS = 120;

/** Kinds a model may choose from: those of plain text. */
const kinds = (): string[] =>
  columnsData()
    .rules.filter(({ type }) => type.split('~')[0] === 'text')
    .map(({ id }) => id)
    .filter((id) => !['key', 'secret', 'checksum', 'foreign_key'].includes(id));

const isText = (line: string): boolean => /^text\b/.test(line);

const sample = (table: DraftTable, rows: readonly Row[]): string => {
  const cols = Object.keys(table.cols).filter((col) => isText(table.cols[col] ?? ''));
  return rows
    .slice(0, 2)
    .map((row) => cols.map((col) => `${col} = ${JSON.stringify(row[col] ?? null).slice(0, 60)}`).join('; '))
    .join(' / ');
};

/** The hinted table; undefined when nothing of the hint was sound. */
const hinted = (
  table: DraftTable,
  name: string,
  rows: unknown,
  columns: readonly string[],
  issues: Issue[],
): DraftTable => {
  const cols = { ...table.cols };
  const known = new Set(kinds());
  for (const line of columns) {
    const [raw = '', kind = ''] = line.split(/\s*[:=]\s*/);
    const col = nameOf(raw);
    const old = col ? cols[col] : undefined;
    if (!col || !old || !isText(old))
      issues.push({ at: `${name}.${raw.slice(0, 40)}`, why: 'this is no text column of the table.' });
    else if (!known.has(kind)) issues.push({ at: `${name}.${col}`, why: `there is no kind "${kind.slice(0, 40)}".` });
    else {
      const read = readColumnLine(`${col}: ${old.replace(/ seed=\S+/, '')} seed=${kind}`, name);
      if (read && 'text' in read) cols[col] = read.text;
    }
  }
  const count = Math.round(Number(rows));
  return {
    ...table,
    cols,
    ...(Number.isFinite(count) && count > 0 ? { rows: Math.min(MOST_ROWS, Math.max(LEAST_ROWS, count)) } : {}),
  };
};

export interface Hints {
  part: Part;
  tables(): Record<string, DraftTable>;
}

/** The part that hints at a service's data; `rows` is a sample of what the seeder makes without hints. */
export const hintsPart = (
  work: ServiceWork,
  spec: ServiceSpec,
  rows: Readonly<Record<string, readonly Row[]>>,
): Hints => {
  const tables: Record<string, DraftTable> = { ...work.tables };
  const read = (value: unknown): Issue[] => {
    const issues: Issue[] = [];
    for (const bag of entries(value, 'name', 'tables')) {
      const name = nameOf(get(bag, 'name', 'table'));
      if (!name || !Object.hasOwn(tables, name)) continue;
      tables[name] = hinted(
        tables[name] as DraftTable,
        name,
        get(bag, 'rows'),
        lines(get(bag, 'columns') ?? []),
        issues,
      );
    }
    return issues;
  };
  const shown = Object.entries(work.tables)
    .map(([name, table]) => `- ${name} (${rows[name]?.length ?? 0} rows): ${sample(table, rows[name] ?? [])}`)
    .join('\n');
  const prompt = `Part: data of ${work.id}\nSample rows of ${spec.id}, text columns only:\n${shown}\nKinds: ${kinds().join(', ')}\nHow many rows has each table, and which columns hold the wrong kind of text?\n${HINTS}`;
  return { part: { id: `data.${work.id}`, prompt, answer: Answer, read }, tables: () => tables };
};
