/** Snapshot: an immutable image of a world's state. The bytes lie beside it, each under its own SHA-256. */
import { z } from 'zod';
import { Name } from './table.js';
import { Hash } from './world.js';

export const Snapshot = z.strictObject({
  treadle: z.literal('snapshot/1'),
  /** Virtual time, unix seconds. */
  clock: z.number().int(),
  /** SHA-256 of each service's SQLite image. */
  databases: z.record(Name, Hash),
  /** Workspace files: path to SHA-256. */
  files: z.record(z.string(), Hash),
});
export type Snapshot = z.infer<typeof Snapshot>;
