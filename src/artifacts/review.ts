/** Review: what a person decided about an artifact. It names the hash it saw; a changed hash voids it. */
import { z } from 'zod';
import { Hash } from './world.js';

export const Review = z.strictObject({
  treadle: z.literal('review/1'),
  subject: Hash,
  by: z.string().min(1),
  decision: z.enum(['accept', 'reject', 'comment']),
  comment: z.string(),
  at: z.string(),
});
export type Review = z.infer<typeof Review>;
