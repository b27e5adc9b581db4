/** Review: what a person decided about an artifact. It names the hash it saw; a changed hash voids it. */
import { z } from 'zod';
import { Name } from './table.js';
import { Hash } from './world.js';

export const Review = z.strictObject({
  treadle: z.literal('review/1'),
  subject: Hash,
  /** The subject's id, by which a void review is told. */
  name: z.string().min(1),
  /** The world of a task. */
  world: Name.optional(),
  by: z.string().min(1),
  decision: z.enum(['accept', 'reject', 'comment']),
  /** A rejection has its reason here. */
  comment: z.string(),
  /** When, as an ISO instant: the clock on the wall, since a person decided. */
  at: z.string(),
});
export type Review = z.infer<typeof Review>;
