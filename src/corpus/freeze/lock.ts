/** treadle.lock.json: what a set of rows was made of, exactly enough to make the same bytes again. */
import { z } from 'zod';
import { Detail } from '../../artifacts/disclosure.js';
import { Hash } from '../../artifacts/world.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { readBytes, unreadable, writeJson } from '../files.js';
import { FileName } from '../listings.js';
import { ScenarioSettings } from '../scenarios.js';

export const LOCK_VERSION = 'lock/1';
export const LOCK_FILE = 'treadle.lock.json';

/** How a rollout that no model made is made again: the same policy, seed and view give the same trace. */
export const Recipe = z.strictObject({
  /** Of the world that the rollout is of. */
  task: FileName,
  policy: z.enum(['reference', 'asking', 'scripted', 'stale', 'none']),
  /** The scenario of the task that it ran in. */
  scenario: FileName.optional(),
  /** What a scripted policy does wrong, as its producer's name says it. */
  plan: z.string().optional(),
  seed: z.string(),
  index: z.number().int().min(0),
  user: z.enum(['none', 'simulated']),
  detail: Detail,
  faults: z.strictObject({ rules: z.array(z.string()).min(1), seed: z.string() }).optional(),
  /** Where it ran against a limit of turns: that limit. */
  turns: z.number().int().min(1).optional(),
  /** As the run asked for it, as far as it applied. */
  reward: z
    .strictObject({ shape: z.enum(['all', 'milestones']), penalties: z.record(z.string(), z.number()) })
    .optional(),
});

const LockedTrace = z.strictObject({
  id: z.string().min(1),
  /** Of the rollout with its verdict, stages and reward. */
  hash: Hash,
  /** Absent: it cannot be made again (a model, a harness or a sampler made it), so it has to be kept. */
  again: Recipe.optional(),
});

/** A world's scenarios. Those that no model had a part in are made again from their settings. */
const LockedScenarios = z.strictObject({
  settings: ScenarioSettings,
  /** Tasks that they were made for, with their addresses. */
  tasks: z.record(FileName, Hash),
  scenarios: z.record(FileName, Hash),
});

const LockedWorld = z.strictObject({
  hash: Hash,
  snapshot: Hash,
  services: z.record(z.string(), Hash),
  tasks: z.record(FileName, Hash),
  /** Absent where none were made. */
  scenarios: LockedScenarios.optional(),
  /** In the order of the file, which rows follow. */
  traces: z.array(LockedTrace),
});

/** A path inside a folder: relative, and never out of it. */
const Inside = z
  .string()
  .refine(
    (path) => path !== '' && !path.startsWith('/') && !/(^|[\\/])\.\.([\\/]|$)/.test(path),
    'a path that stays inside',
  );

export const Command = z
  .array(z.string().max(4096))
  .min(1)
  .max(200)
  .refine(
    (args) => args[0] === 'export' && !args.some((arg) => arg === '--out' || arg.startsWith('--out=')),
    'an export and its options, without --out',
  );

const LockedExport = z.strictObject({
  /** Where it was, from the corpus's folder. */
  dir: z.string().min(1).max(4096),
  command: Command,
  /** Files that options name, such as a tokenizer's. */
  inputs: z.record(z.string(), Hash),
  files: z.record(Inside, Hash),
});

const Body = z.strictObject({
  treadle: z.literal(LOCK_VERSION),
  /** Treadle that froze it: another one may write other bytes. */
  version: z.string(),
  worlds: z.record(FileName, LockedWorld),
  /** Reviews, measured difficulty and whatever else chooses among tasks, by path in the corpus. */
  files: z.record(Inside, Hash),
  exports: z.array(LockedExport),
});

export const Lock = Body.extend({
  /** Of all the rest: a lockfile that was edited is none. */
  address: Hash,
});

export type Recipe = z.infer<typeof Recipe>;
export type LockedTrace = z.infer<typeof LockedTrace>;
export type LockedScenarios = z.infer<typeof LockedScenarios>;
export type LockedWorld = z.infer<typeof LockedWorld>;
export type LockedExport = z.infer<typeof LockedExport>;
export type LockBody = z.infer<typeof Body>;
export type Lock = z.infer<typeof Lock>;

export const sealed = (body: LockBody): Lock => ({ ...body, address: addressOf(body) });

export const writeLock = (file: string, body: LockBody): Lock => {
  const lock = sealed(body);
  writeJson(file, lock);
  return lock;
};

const AGAIN = 'Freeze the corpus again with treadle freeze.';

/** Throws `missing_file`, `unreadable_file`, `other_version`, and `changed_file` for one that was edited. */
export const readLock = (file: string): Lock => {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(readBytes(file)).toString('utf8'));
  } catch (thrown) {
    if (thrown instanceof TreadleError) throw thrown;
    throw unreadable(file, 'no JSON');
  }
  const { treadle } = (data ?? {}) as { treadle?: unknown };
  if (typeof treadle === 'string' && treadle.startsWith('lock/') && treadle !== LOCK_VERSION)
    throw new TreadleError({
      code: 'other_version',
      message: `The lockfile is not of version ${LOCK_VERSION}`,
      value: treadle.slice(0, 40),
      next: 'Use the Treadle that wrote it, or freeze the corpus again.',
    });
  const parsed = Lock.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unreadable(file, `${issue?.path.join('.') || 'lockfile'}: ${issue?.message}`);
  }
  const { address, ...body } = parsed.data;
  if (addressOf(body) !== address)
    throw new TreadleError({
      code: 'changed_file',
      message: `${file} is not what treadle freeze wrote: something in it was edited`,
      value: address.slice(0, 12),
      next: AGAIN,
    });
  return parsed.data;
};
