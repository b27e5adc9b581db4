/** What a training-row format is: a way to write a row and to read its conversation back. */
import type { Json } from '../../kit/hash.js';
import type { SftRow } from '../sft/row.js';
import type { Columns } from './columns.js';

/** What a reader gets back from a row, whatever its format: who said what, and which calls with which arguments. */
export interface ReadTurn {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
  calls: { name: string; arguments: Json }[];
}

export interface RowFormat {
  id: string;
  /** For the dataset card: what the rows look like and who reads them. */
  describes: string;
  /** Types of the written columns. */
  columns: Columns;
  write(row: SftRow): Record<string, Json>;
  /** Reads a written row; tool results that a format merges come back as separate turns. */
  read(line: Record<string, Json>): { turns: ReadTurn[]; tools: string[] };
  /** Whether the row holds what the format cannot tell from its own tags. Absent: it can say everything. */
  cannotSay?(row: SftRow): boolean;
}
