/** A tool: what an agent sees of it, what it does, and where we know it from. */
import { z } from 'zod';
import { Step, Value } from './step.js';
import { ColumnType, Literal, Name } from './table.js';

/** What the macros do with an argument: `key` names the row, `set` writes a column, `filter` narrows, the rest steer paging. */
export const ArgRole = z.enum(['key', 'set', 'filter', 'query', 'sort', 'limit', 'offset', 'page', 'cursor', 'input']);

export const Arg = z.strictObject({
  type: z.union([ColumnType, z.literal('list')]),
  role: ArgRole,
  required: z.boolean().optional(),
  description: z.string().optional(),
  /** Column the role works on; for `input`, the column whose codec (enum, date, money) the value takes. */
  col: Name.optional(),
  /** For `filter`. */
  op: z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'contains', 'prefix']).optional(),
  /** Table whose key the value is. */
  ref: Name.optional(),
  /** Scalar type of a list's items (`in` filters and id lists). */
  items: ColumnType.optional(),
  default: Literal.optional(),
  enum: z.array(z.string()).min(1).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  minLength: z.number().int().min(0).optional(),
  maxLength: z.number().int().positive().optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
  /** Dotted path on the surface (`issued.gte`), at most 3 deep; absent: the name in the surface's style. */
  field: z.string().optional(),
});

/** Trust in what a tool does: the document says it, the verb says it, we know this kind of service, or it is invented. */
export const Tier = z.enum(['spec', 'lexicon', 'catalogue', 'synthetic']);

export const Provenance = z.strictObject({
  tier: Tier,
  /** The document's operation (id or METHOD path). */
  operation: z.string().optional(),
  /** `lexicon:<verb>@<kind>` */
  effect: z.string().optional(),
  note: z.string().optional(),
});

/** What is bound in the steps and handed back. Exactly one of row, rows, value, done. */
export const Returns = z.strictObject({
  /** Name of a bound row of `table`. */
  row: Name.optional(),
  /** Name of a bound list of rows of `table`. */
  rows: Name.optional(),
  /** Named CEL values or paths, for results that are no row. */
  value: z.record(z.string(), Value).optional(),
  /** Only that it was done. */
  done: z.literal(true).optional(),
  /** Table of the row(s); the tool's own when absent. */
  table: Name.optional(),
  /** Columns shown; all visible ones when absent. */
  cols: z.array(Name).optional(),
  /** JSON template instead of the surface's; see surface.ts for the placeholders. */
  envelope: z.unknown().optional(),
});

export const Write = z.strictObject({
  table: Name,
  cols: z.array(Name).optional(),
  insert: z.literal(true).optional(),
  delete: z.literal(true).optional(),
});

export const Tool = z.strictObject({
  /** Dialect-free name: `invoice.void`. Unique in the service. */
  id: z.string().regex(/^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/),
  op: z.enum(['list', 'get', 'create', 'update', 'delete', 'search', 'action', 'code']),
  table: Name,
  description: z.string().min(1),
  args: z.record(Name, Arg),
  /** For `action` (required) and `code` (absent); a macro's steps are derived. */
  steps: z.array(Step).optional(),
  /** For list and search: text columns that `query` looks in; default order. */
  match: z.array(Name).optional(),
  order: z.array(z.strictObject({ col: Name, desc: z.boolean().optional() })).optional(),
  returns: Returns.optional(),
  /** Error codes the tool may answer with, and the HTTP status of each. */
  errors: z.record(Name, z.number().int().min(400).max(599)).optional(),
  /** Declared contract: tables read, columns written. Held against what the steps and the calls really touch. */
  reads: z.array(Name),
  writes: z.array(Write),
  /** JavaScript in place of steps (runs in QuickJS; a later step). Must declare reads and writes. */
  code: z.strictObject({ language: z.literal('javascript'), source: z.string() }).optional(),
  /** Seconds of virtual time a call takes. */
  duration: z.number().int().min(0).optional(),
  provenance: Provenance,
});

export type ArgRole = z.infer<typeof ArgRole>;
export type Arg = z.infer<typeof Arg>;
export type Tier = z.infer<typeof Tier>;
export type Provenance = z.infer<typeof Provenance>;
export type Returns = z.infer<typeof Returns>;
export type Write = z.infer<typeof Write>;
export type Tool = z.infer<typeof Tool>;
