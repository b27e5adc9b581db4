/** A row that something changed: a tool call, or an event of a scenario. */
import { z } from 'zod';
import { Name } from './table.js';

/** Rows a call touched: the evidence that attribution reads (evolve.md). */
export const Touch = z.strictObject({
  service: Name,
  table: Name,
  key: z.union([z.string(), z.number()]),
  change: z.enum(['insert', 'update', 'delete']),
  cols: z.array(Name),
});

export type Touch = z.infer<typeof Touch>;
