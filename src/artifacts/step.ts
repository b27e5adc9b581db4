/**
 * The steps of a tool program (service-ir.md). A string value is CEL, except `$name.path`, which is a path to a bound value
 * (`$args.x`, `$row`, `$p.amount`, `$now`, `$me.email`). In `set`, an entry whose path leads to an absent argument is skipped.
 */
import { z } from 'zod';
import { Literal, Name } from './table.js';

/** A path, a CEL expression, or a literal number, boolean or null. Text literals are quoted CEL: `'open'`. */
export const Value = Literal;

export const Compare = z.enum([
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'contains',
  'prefix',
  'is_null',
  'not_null',
]);
export const Condition = z.strictObject({
  col: Name,
  op: Compare,
  value: Value.optional(),
  /** Left out of the statement when the argument its path names is absent. */
  optional: z.boolean().optional(),
});

const columns = z.record(Name, Value);
/** On no row: the error, its message (may hold `{args.x}`) and the argument at fault. */
export const Refusal = z.strictObject({ error: Name, message: z.string().optional(), field: z.string().optional() });
export const Requirement = z.strictObject({ that: z.string(), ...Refusal.shape });

const GetStep = z.strictObject({
  get: z.strictObject({ table: Name, where: columns, as: Name, else: Refusal.optional() }),
});
const FindStep = z.strictObject({
  find: z.strictObject({
    table: Name,
    where: z.array(Condition).optional(),
    /** Free text over these columns, all words, case-insensitive; skipped when the argument is absent. */
    text: z.strictObject({ cols: z.array(Name).min(1), value: Value }).optional(),
    /** Fixed order, or the value of a sort argument among `allowed`; the key always breaks ties. */
    order: z.array(z.strictObject({ col: Name, desc: z.boolean().optional() })).optional(),
    sort: z.strictObject({ value: Value, allowed: z.array(Name).min(1) }).optional(),
    limit: Value.optional(),
    offset: Value.optional(),
    as: Name,
    /** Binds the number of rows without limit and offset. */
    total: Name.optional(),
  }),
});
const LetStep = z.strictObject({ let: z.record(Name, Value) });
const RequireStep = z.strictObject({ require: z.array(Requirement).min(1) });
/** Binds the full stored row. */
const InsertStep = z.strictObject({ insert: z.strictObject({ table: Name, set: columns, as: Name.optional() }) });
/** Binds the updated row of a single-row update; `where` without a match is not an error. */
const UpdateStep = z.strictObject({
  update: z.strictObject({ table: Name, where: columns, set: columns, as: Name.optional() }),
});
const DeleteStep = z.strictObject({ delete: z.strictObject({ table: Name, where: columns }) });
/** One read-only SELECT; parameters in order. */
const SqlStep = z.strictObject({
  sql: z.strictObject({ query: z.string(), params: z.array(Value).optional(), as: Name, one: z.boolean().optional() }),
});
const FileStep = z.strictObject({
  file: z.strictObject({
    do: z.enum(['read', 'write', 'move', 'list', 'delete']),
    path: Value,
    to: Value.optional(),
    content: Value.optional(),
    as: Name.optional(),
  }),
});

export type Value = z.infer<typeof Value>;
export type Compare = z.infer<typeof Compare>;
export type Condition = z.infer<typeof Condition>;
export type Refusal = z.infer<typeof Refusal>;
export type Requirement = z.infer<typeof Requirement>;
export type PlainStep =
  | z.infer<typeof GetStep>
  | z.infer<typeof FindStep>
  | z.infer<typeof LetStep>
  | z.infer<typeof RequireStep>
  | z.infer<typeof InsertStep>
  | z.infer<typeof UpdateStep>
  | z.infer<typeof DeleteStep>
  | z.infer<typeof SqlStep>
  | z.infer<typeof FileStep>;
export type EachStep = { each: { in: string; as: string; do: Step[] } };
/** `if`: the steps run only when the CEL is true; names bound inside stay inside. */
export type IfStep = { if: { that: string; do: Step[] } };
export type Step = PlainStep | EachStep | IfStep;

export const Step: z.ZodType<Step> = z.lazy(() =>
  z.union([
    GetStep,
    FindStep,
    LetStep,
    RequireStep,
    InsertStep,
    UpdateStep,
    DeleteStep,
    SqlStep,
    FileStep,
    EachStep,
    IfStep,
  ]),
);
const EachStep = z.strictObject({ each: z.strictObject({ in: z.string(), as: Name, do: z.array(Step).min(1) }) });
const IfStep = z.strictObject({ if: z.strictObject({ that: z.string(), do: z.array(Step).min(1) }) });
