/** A dataset folder as Hugging Face lays it out: README.md and data/, written whole or not at all. */
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { TreadleError } from '../../errors.js';
import { close, jsonLine, opened, push } from '../sft/lines.js';
import { type Columns, cellOf, type Row, schemaOf } from './shape.js';

export const FILE_FORMATS = ['jsonl', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
export const SPLITS = ['train', 'validation'] as const;
export type Side = (typeof SPLITS)[number];

/** Rows that a Parquet file holds in one group, and memory at once. */
const GROUP = 1000;

export const fileNameOf = (split: Side, format: FileFormat): string =>
  format === 'jsonl' ? `data/${split}.jsonl` : `data/${split}-00000-of-00001.parquet`;

interface Sink {
  push(row: Row): Promise<void>;
  close(): Promise<void>;
}

const linesInto = (path: string): Sink => {
  const file = opened(path);
  return { push: (row) => push(file, `${jsonLine(row)}\n`), close: () => close(file) };
};

const parquetInto = (path: string, columns: Columns): Sink => {
  const writer = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(columns), createdBy: 'treadle' });
  const shapes = Object.entries(columns);
  let rows: Row[] = [];
  const flush = async (): Promise<void> => {
    const columnData = shapes.map(([name, shape]) => ({ name, data: rows.map((row) => cellOf(shape, row[name])) }));
    await writer.write({ columnData, rowGroupSize: GROUP });
    rows = [];
  };
  return {
    push: async (row) => {
      rows.push(row);
      if (rows.length >= GROUP) await flush();
    },
    close: async () => {
      if (rows.length > 0) await flush();
      await writer.finish();
    },
  };
};

export interface Written {
  rows: Record<Side, number>;
  bytes: Record<Side, number>;
  /** Paths in the folder, the card first. */
  files: string[];
}

export interface TablePlan {
  /** The folder; it is made. What was there before stays whole until the new files are. */
  out: string;
  columns: Columns;
  format: FileFormat;
  /** README.md, once the counts are known. */
  card: (written: Omit<Written, 'files'>) => string;
  /** Further files beside it, by path. */
  beside?: Readonly<Record<string, string>>;
}

export type Give = (split: Side, row: Row) => Promise<void>;

const cannotWrite = (out: string, cause: unknown): TreadleError =>
  new TreadleError({
    code: 'cannot_write',
    message: `The rows cannot be written (${(cause as { code?: string }).code ?? (cause as Error).message})`,
    value: out,
    next: 'Free some space or choose another folder; what was there before is unchanged.',
    fault: 'infrastructure',
    cause,
  });

/** A failed write among the errors: one of the system's, which has a code of the system's form. */
const isDisk = (thrown: unknown): boolean => /^E[A-Z0-9]+$/.test((thrown as { code?: string } | null)?.code ?? '');

/**
 * Writes the rows that `fill` gives, each to its split; a split without rows has no file, since loaders stumble over empty ones.
 * The same rows give the same bytes. Throws `cannot_write`, and what `fill` throws; an earlier export stays whole then.
 */
export const writeTable = async (
  plan: TablePlan,
  fill: (give: Give, scratch: string) => Promise<void>,
): Promise<Written> => {
  const { out, columns, format, card, beside = {} } = plan;
  const scratch = join(out, '.unfinished');
  const at = (split: Side): string => join(scratch, `${split}.${format}`);
  const rows = { train: 0, validation: 0 };
  const bytes = { train: 0, validation: 0 };
  try {
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    mkdirSync(join(out, 'data'), { recursive: true });
    const sinks = new Map(
      SPLITS.map((split) => [split, format === 'jsonl' ? linesInto(at(split)) : parquetInto(at(split), columns)]),
    );
    await fill(async (split, row) => {
      rows[split]++;
      await sinks.get(split)?.push(row);
    }, scratch);
    for (const sink of sinks.values()) await sink.close();
    for (const split of SPLITS) bytes[split] = rows[split] === 0 ? 0 : statSync(at(split)).size;
    writeFileSync(join(scratch, 'README.md'), card({ rows, bytes }));
    return { rows, bytes, files: moveInto(plan, scratch, rows, beside) };
  } catch (thrown) {
    throw !(thrown instanceof TreadleError) && isDisk(thrown) ? cannotWrite(out, thrown) : thrown;
  } finally {
    if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
  }
};

const moveInto = (
  { out, format }: TablePlan,
  scratch: string,
  rows: Record<Side, number>,
  beside: Readonly<Record<string, string>>,
): string[] => {
  const files: string[] = [];
  for (const split of SPLITS) {
    // Those of an export in the other format would be read along with these.
    for (const each of FILE_FORMATS) rmSync(join(out, fileNameOf(split, each)), { force: true });
    if (rows[split] === 0) continue;
    const path = fileNameOf(split, format);
    renameSync(join(scratch, `${split}.${format}`), join(out, path));
    files.push(path);
  }
  for (const [path, text] of Object.entries(beside)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
    files.push(path);
  }
  renameSync(join(scratch, 'README.md'), join(out, 'README.md'));
  return ['README.md', ...files];
};
