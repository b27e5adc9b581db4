/** What an export makes of a rollout: one line or several, or the reason why there is none. */
import type { Tokens } from '../../artifacts/trace.js';
import type { Json } from '../../kit/hash.js';
import type { Exclusion } from '../sft/exclude.js';
import type { SftRow } from '../sft/row.js';
import type { Columns } from './columns.js';

export type Line = Record<string, Json>;

export type Made = { lines: Line[] } | { refused: Exclusion };

/** What a shape may need of a rollout beyond its row. */
export interface Source {
  row: SftRow;
  /** Exact ids, where the backend gave them. */
  tokens?: Tokens;
  /** Virtual time of the task, unix seconds: what a template is told when it asks for today. */
  clock: number;
}

export interface Shape {
  id: string;
  describes: string;
  columns: Columns;
  lines(source: Source): Made;
  /** Things for the card that are known once all is written. */
  notes?(): string[];
}

/** `label` beside the row, for trainers that take both kinds. */
export const labelled = (shape: Shape): Shape => ({
  ...shape,
  columns: { ...shape.columns, label: 'bool' },
  lines: (source) => {
    const made = shape.lines(source);
    if ('refused' in made) return made;
    // Lines that know better (a turn before the failed one) keep their own.
    return { lines: made.lines.map((line) => ({ ...line, label: line.label ?? source.row.metadata.label })) };
  },
});
