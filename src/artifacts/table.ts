/** Tables of a service: typed columns over SQLite, with what the seeder and the tasks need to know about them. */
import { z } from 'zod';

export const NAME = /^[a-z][a-z0-9_]{0,62}$/;
export const Name = z.string().regex(NAME, 'lower_snake, at most 63 characters');

/** JSON scalars that may stand as a default or a literal. */
export const Literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/**
 * How a column is stored: text TEXT; int INTEGER; number REAL; bool INTEGER 0/1; date INTEGER (unix seconds of midnight UTC);
 * datetime INTEGER (unix seconds); money INTEGER (minor units of the row's or the company's currency); json TEXT.
 */
export const ColumnType = z.enum(['text', 'int', 'number', 'bool', 'date', 'datetime', 'money', 'json']);

export const Column = z.strictObject({
  type: ColumnType,
  /** NOT NULL. */
  required: z.boolean().optional(),
  default: Literal.optional(),
  enum: z.array(z.string()).min(1).optional(),
  /** Table of the same service whose key this column holds. */
  fk: Name.optional(),
  /** What becomes of the row when the row it refers to is deleted; absent: that one cannot be deleted. `null` is for columns that may be empty. */
  onDelete: z.enum(['cascade', 'null']).optional(),
  unique: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  /** For initial data alone, as `pattern` and `example` are. */
  minLength: z.number().int().positive().optional(),
  maxLength: z.number().int().positive().optional(),
  pattern: z.string().optional(),
  /** A value as the document shows one; initial values are written like it. */
  example: z.string().optional(),
  /** JSON Schema format as the document declared it (email, uri, uuid ...). */
  format: z.string().optional(),
  /** Dotted path on the surface (`address.city`); absent: the name in the surface's style. */
  field: z.string().optional(),
  /** Id of a column rule (data/columns.yaml) that makes its initial data; absent: found by name. */
  seed: z.string().optional(),
  description: z.string().optional(),
  /**
   * Filled by the service itself when a row is written: `now` at insert, `touch` at every write, `me` the caller's e-mail at
   * insert, `number` the next running number (`prefix` before it) at insert.
   */
  auto: z.enum(['now', 'touch', 'me', 'number']).optional(),
  prefix: z.string().optional(),
  /** Kept in state, never shown to an agent. */
  hidden: z.boolean().optional(),
});

/** Opaque ids: a keyed permutation of a per-table counter, written in the service's own style. */
export const IdStyle = z.strictObject({
  /**
   * base62: prefix + letters and digits; digits: digits as text; integer: a JSON number; upper: capitals and digits; hex; uuid;
   * pattern: texts that meet `pattern`.
   */
  style: z.enum(['base62', 'base36', 'digits', 'integer', 'upper', 'hex', 'uuid', 'pattern']),
  prefix: z.string().max(24).optional(),
  /** Characters after the prefix (digits for integer); uuid ignores it. */
  length: z.number().int().min(3).max(32).optional(),
  /** For digits and integer: ids are the numbers from `min` to `max`, in place of a length. Given together. */
  min: z.number().int().min(0).optional(),
  max: z.number().int().min(0).optional(),
  /** For pattern, and for integer: an ECMAScript pattern that each id meets from end to end. */
  pattern: z.string().optional(),
  /** For pattern: characters of an id. */
  minLength: z.number().int().min(0).optional(),
  maxLength: z.number().int().positive().optional(),
});

/** One move of a status machine. */
export const Move = z.strictObject({ verb: Name, from: z.array(z.string()).min(1), to: z.string() });
export const Machine = z.strictObject({ col: Name, initial: z.string(), moves: z.array(Move) });

export const Table = z.strictObject({
  /** Singular noun in words, as a person says it: `purchase order`. */
  noun: z.string().min(1),
  plural: z.string().min(1).optional(),
  description: z.string().optional(),
  /** `gen` absent: the caller supplies the key. The key column is also listed in `cols`. */
  key: z.strictObject({ col: Name, gen: IdStyle.optional() }),
  cols: z.record(Name, Column),
  /** Column that names a row to a person (a name, a number, a title). */
  label: Name.optional(),
  unique: z.array(z.array(Name).min(1)).optional(),
  /** SQL CHECK expressions over the row. */
  check: z.array(z.string()).optional(),
  machine: Machine.optional(),
  /** Rows of initial data wanted; the seeder's default otherwise. */
  rows: z.number().int().min(0).optional(),
});

export type Literal = z.infer<typeof Literal>;
export type ColumnType = z.infer<typeof ColumnType>;
export type Column = z.infer<typeof Column>;
export type IdStyle = z.infer<typeof IdStyle>;
export type Machine = z.infer<typeof Machine>;
export type Table = z.infer<typeof Table>;
