/** What a person writes of a task; the rest follows from the world and from running the reference. */
import { z } from 'zod';
import { Literal, Name } from '../../artifacts/table.js';
import type { Page } from './page.js';

const text = z.string().trim().min(1);

const HandCall = z.strictObject({
  tool: z.string().min(1),
  /** As an agent writes them; `${2.data.0.id}` is what call 2 showed there, `${2.data.[title=Flyer].id}` of which item. */
  args: z.record(z.string(), z.json()).default({}),
  /** By dotted path of an argument: why it has its value, where neither the brief nor an earlier result says so. */
  because: z.record(z.string(), text).default({}),
});

export const HandTask = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,79}$/, 'an id is lower-case letters, digits, - and _, and begins with a letter')
    .optional(),
  /** May be left out where the corpus has one world. */
  world: z.string().optional(),
  brief: text,
  /** Less explicit forms for simulated users; the brief itself where left out. */
  partial: text.optional(),
  vague: text.optional(),
  /** What the user can say when asked. */
  knows: z.array(text).default([]),
  persona: text.default('plain'),
  /** Whose agent it is: the work e-mail of somebody in the directory. */
  actor: z.string().min(3).optional(),
  /** Services whose tools the agent gets, besides those of the reference; the core ones where left out. */
  services: z.array(Name).optional(),
  /** Rows the brief speaks of, each told by what it says of them: exactly one row must fit. */
  about: z.array(z.strictObject({ service: Name, table: Name, where: z.record(Name, Literal) })).default([]),
  reference: z.strictObject({ calls: z.array(HandCall).min(1), says: text.optional() }),
  answer: z
    .strictObject({
      asks: text,
      kind: z.enum(['value', 'number', 'id', 'list', 'amount', 'date', 'text']).optional(),
      /** Amounts as `EUR 1284.50`, dates as `2026-02-28`. */
      expected: z.union([Literal, z.array(z.union([z.string(), z.number()])).min(1)]),
      distractors: z.array(z.union([z.string(), z.number()])).optional(),
    })
    .optional(),
  /** As certify.md has them, `id` and `footprint` left out; made from what the reference changed where there are none. */
  checks: z.array(z.record(z.string(), z.json())).min(1).optional(),
});
export type HandTask = z.infer<typeof HandTask>;

const ALLOWED = 'See docs/tasks-by-hand.md for what a task may say.';

/** The page as a task; throws `bad_task` with the line of the first thing that does not fit. */
export const handTaskOf = (page: Page): HandTask => {
  const parsed = HandTask.safeParse(page.value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
  // Of a key too many, the line of the key itself is told.
  const stray = issue?.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path;
  const where = path.length > 0 ? `${path.join('.')}: ` : '';
  throw page.refusal(stray, `${where}${issue?.message ?? 'not a task'}`, stray.at(-1) ?? page.file, ALLOWED);
};
