/** Revision: a component's new version, its parent, and the evidence that asked for it (evolve.md). */
import { z } from 'zod';
import { Hash } from './world.js';

export const Revision = z.strictObject({
  treadle: z.literal('revision/1'),
  component: z.enum(['service', 'world', 'task', 'verifier', 'user']),
  parent: Hash,
  child: Hash,
  cause: z.string().min(1),
  evidence: z.array(Hash),
});
export type Revision = z.infer<typeof Revision>;
