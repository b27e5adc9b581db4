/** A check is data: what must hold of the final state, the calls or the answer, and what it looks at (certify.md). */
import { z } from 'zod';
import { Literal, Name } from './table.js';

/** What a check reads: its footprint decides which events touch it. `keys` absent: any row. */
export const Footprint = z.strictObject({
  service: Name,
  table: Name,
  keys: z.array(z.union([z.string(), z.number()])).optional(),
  cols: z.array(Name).optional(),
});

const match = z.record(Name, Literal);
const base = {
  id: Name,
  footprint: z.array(Footprint),
  /** Node of a composed task from whose end on the check is no longer asked: that stage changes the same thing. */
  until: Name.optional(),
};
const row = { ...base, service: Name, table: Name, where: match };

export const Check = z.discriminatedUnion('kind', [
  /** At least one row matches; rows an agent creates are matched by content, never by id. */
  z.strictObject({ kind: z.literal('exists'), ...row }),
  z.strictObject({ kind: z.literal('absent'), ...row }),
  /** The single row that `where` selects has this value in `col`; text is compared exactly, numbers by value. */
  z.strictObject({ kind: z.literal('equals'), ...row, col: Name, value: Literal }),
  z.strictObject({ kind: z.literal('not_equals'), ...row, col: Name, value: Literal }),
  /** Exactly `count` rows match. */
  z.strictObject({ kind: z.literal('count'), ...row, count: z.number().int().min(0) }),
  /**
   * The frame: against the initial state nothing changed but what `except` allows. An entry with keys allows those rows (only
   * `cols`, where given); `inserts` allows that many new rows, `deletes` that the keyed rows vanish.
   */
  z.strictObject({
    kind: z.literal('unchanged'),
    ...base,
    except: z.array(
      z.strictObject({
        ...Footprint.shape,
        inserts: z.number().int().min(0).optional(),
        deletes: z.literal(true).optional(),
      }),
    ),
  }),
  /** Some successful call of one of these tools returned a row whose key is `key`. */
  z.strictObject({
    kind: z.literal('returned'),
    ...base,
    tools: z.array(z.string()),
    key: z.union([z.string(), z.number()]),
  }),
  /** The answer meets the task's answer specification. */
  z.strictObject({ kind: z.literal('answer'), ...base }),
  z.strictObject({
    kind: z.literal('file'),
    ...base,
    path: z.string(),
    equals: z.string().optional(),
    contains: z.string().optional(),
    absent: z.literal(true).optional(),
  }),
  /** A world invariant holds in the final state. */
  z.strictObject({ kind: z.literal('invariant'), ...base, invariant: Name }),
]);

/** How an answer is read. It is the final message, or the argument of `submit_answer` where a harness offers that tool. */
export const AnswerSpec = z.strictObject({
  kind: z.enum(['value', 'number', 'id', 'list', 'amount', 'date', 'text']),
  /** What is asked, in words, for reports. */
  asks: z.string(),
  /** The right answer; a list for `list` (order is free), required facts for `text`. Amounts in minor units. */
  expected: z.union([Literal, z.array(z.union([z.string(), z.number()]))]),
  currency: z.string().optional(),
  /** Other values of the same kind a shotgun answer would list; naming one of them makes the answer wrong. */
  distractors: z.array(z.union([z.string(), z.number()])),
});

export type Footprint = z.infer<typeof Footprint>;
export type Check = z.infer<typeof Check>;
export type AnswerSpec = z.infer<typeof AnswerSpec>;
