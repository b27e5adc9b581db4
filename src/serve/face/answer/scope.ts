/** What one answer is made in, and what a compiled schema does. */
import type { Json } from '../../../kit/hash.js';
import type { Flat, Flats } from './flat.js';

export interface Scope {
  /** Where rows without a key start. */
  seed: number;
  /** Of the row, where the answer does not show it. */
  key: Json | undefined;
  /** Path of the row with this key; undefined where the document has none. */
  pathOf(key: Json | undefined): string | undefined;
  /** Of the server as the client calls it. */
  origin: string;
  /** Path of the row that is being written, percent-encoded; undefined where the document gives it none. */
  own: string | undefined;
  /** Objects and lists around this place. */
  depth: number;
  /** Values that may still be made for this answer. */
  left: number;
  /** Everything that the schema names is wanted, not only what it requires. */
  full: boolean;
}

/** Where in an answer the rows are, from `FaceAnswer`. */
export interface Mark {
  kind: 'row' | 'rows';
  path: readonly string[];
  key: readonly string[] | undefined;
  /** The document's example of what stands at this place. */
  example: unknown;
}

/** What compiles the parts of a schema. */
export interface Shapes {
  flats: Flats;
  of(schema: unknown, name: string, mark?: Mark): Shape;
  ofFlat(flat: Flat, name: string, mark?: Mark, nest?: number): Shape;
}

export interface Shape {
  readonly flat: Flat;
  /** Whether null may stand here. */
  readonly nullable: boolean;
  /** `value` in a form that validates; a made one for undefined and for what cannot be brought to fit. Never throws. */
  fit(value: Json | undefined, place: number, scope: Scope): Json;
  /** Whether the value validates as it is. */
  accepts(value: Json): boolean;
}

/** Beyond this depth only what is required is made. */
export const DEEP = 5;
/** Beyond this one an answer is cut: whatever requires more requires itself. */
export const DEEPEST = 24;
/** Values made for one answer, at most. */
export const MOST_VALUES = 20_000;
