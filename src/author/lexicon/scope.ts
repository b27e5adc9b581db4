/** What an effect's lines may speak of while a verb is compiled: the row, its table, the arguments on offer. */
import type { ColumnType, Table } from '../../artifacts/table.js';
import type { Arg } from '../../artifacts/tool.js';

export interface Scope {
  tables: Record<string, Table>;
  tableName: string;
  table: Table;
  /** Arguments by the name the entry gives them; `name` is the tool's own. */
  args: ReadonlyMap<string, Offered>;
  /** The document says which arguments there are and of which type. */
  isDocument: boolean;
  /** `left` could be computed; `amount` could. */
  left: boolean;
  amount: boolean;
  /** Type of both. */
  amountType?: ColumnType;
  /** Table of the row that an insert has bound as `new`. */
  inserted?: string;
  /** Counted names that a step has bound (`open_children`). */
  derived: ReadonlySet<string>;
  /** Arguments (by the tool's name) whose type a line has settled. */
  settled: Set<string>;
  /** Arguments (by the tool's name) that a grounded line has used. */
  used: Set<string>;
}

export interface Offered {
  name: string;
  arg: Arg;
  /** The entry's text of its default (`left`, `now`, `row.total`), where it has one. */
  fallback?: string;
}

/** A table under a name in expressions: `row` or `it`. */
export interface Named {
  table: Table;
  tableName: string;
}

/** CEL text literal. */
export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
