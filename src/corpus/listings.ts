/** The corpus's own small files: the marker, a world's list of tasks, the counts of its traces, the index. No nouns, no addresses. */
import { z } from 'zod';
import { Hash } from '../artifacts/world.js';
import { readData, unreadable } from './files.js';

/** What may name a file: no separators, no leading dot. */
export const FileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);

export const DroppedTask = z.object({ family: z.string(), template: z.string(), reason: z.string() });

export const TaskListing = z.object({
  tasks: z.array(
    z.object({
      id: FileName,
      hash: Hash,
      family: z.string(),
      /** Older corpora have atomic ones only, without a profile. */
      kind: z.enum(['atomic', 'composed']).optional(),
      profile: z.string().optional(),
      brief: z.string(),
      /** What statistics compare: see statistics/masked.ts. Older corpora have none. */
      masked: z.string().optional(),
      chain: z.array(z.string()).optional(),
      tables: z.array(z.string()).optional(),
    }),
  ),
  dropped: z.array(DroppedTask),
  /** More tasks than were asked for: the end of the build chooses among them. */
  isToChoose: z.literal(true).optional(),
});

const count = z.number().int().min(0);

/** Rollouts kept; `unfinished` are those that say nothing of who acted, cut or by a fault: no pass rate counts them. */
const Tally = z.object({
  rollouts: count,
  unfinished: count.default(0),
  passed: count,
  /** Of the unfinished: called off, out of time or budget. */
  cut: count.optional(),
  /** Of the unfinished: by whose fault it was. */
  faults: z.record(z.string(), count).optional(),
  /** By code: whatever problem a rollout had, finished or not. */
  problems: z.record(z.string(), count).optional(),
  /** Rollouts made a second time because the infrastructure broke the first attempt. */
  retried: count.optional(),
  /** Dropped attempts kept beside the rollouts; they are none themselves. */
  negatives: count.optional(),
  /** By flag: finished rollouts that show it (verify/behaviour). Absent where none does. */
  behaviour: z.record(z.string(), count).optional(),
});

export const TraceCounts = Tally.extend({
  /** By who acted: `reference`, `scripted`, a model's name. */
  producers: z.record(z.string(), Tally).default({}),
});

export const WorldEntry = z.object({
  id: FileName,
  company: z.string(),
  country: z.string(),
  /** NAICS code; empty in indexes of before. */
  industry: z.string().default(''),
  services: z.array(z.string()),
  tools: count,
  tables: count.default(0),
  rows: count,
  invariants: count,
  certified: z.boolean(),
  tasks: count,
  dropped: count,
  ...TraceCounts.shape,
});

export const CorpusIndex = z.object({ treadle: z.literal('index/1'), worlds: z.array(WorldEntry) });

export type DroppedTask = z.infer<typeof DroppedTask>;
export type TaskListing = z.infer<typeof TaskListing>;
export type Tally = z.infer<typeof Tally>;
export type TraceCounts = z.infer<typeof TraceCounts>;
export type WorldEntry = z.infer<typeof WorldEntry>;
export type CorpusIndex = z.infer<typeof CorpusIndex>;

/** Reads a file that must fit `schema`; throws `missing_file`, `unreadable_file`. */
export const readListing = <T>(schema: z.ZodType<T>, path: string): T => {
  const parsed = schema.safeParse(readData(path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unreadable(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not what was written there'}`);
};
