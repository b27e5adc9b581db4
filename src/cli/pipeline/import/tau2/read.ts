/** Reads a folder of tau2-bench's retail domain. What is wrong with it is one TreadleError; nothing is written before all of it was read. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { exists, readBytes } from '../../../../corpus/files.js';
import { TreadleError } from '../../../../errors.js';
import { Db, Recorded, Splits, type Tau2Task, Tau2Tasks } from './shapes.js';

export interface Tau2Folder {
  db: Db;
  tasks: Tau2Task[];
  policy: string;
  /** The data's own licence, where it lies beside it: it goes where the data goes. */
  licence: string | undefined;
  /** Empty where the folder has no split_tasks.json. */
  splits: Splits;
  /** By task id; undefined where the folder has no reference-replay.jsonl. */
  recorded: ReadonlyMap<string, Recorded> | undefined;
}

/** Bytes of one file: the real ones have 3 MB. */
const LARGEST = 256 << 20;
const HINT = "Give the folder of tau2-bench's retail domain: db.json, tasks.json, policy.md.";

export const badShape = (message: string, value: string, next = HINT): TreadleError =>
  new TreadleError({ code: 'bad_shape', message, value, next });

const textOf = (dir: string, name: string): string => {
  const path = join(dir, name);
  if (!exists(path))
    throw new TreadleError({ code: 'missing_file', message: `The folder has no ${name}`, value: path, next: HINT });
  const { size } = statSync(path);
  if (size > LARGEST)
    throw new TreadleError({
      code: 'too_large',
      message: `${name} is larger than the limit of ${LARGEST >> 20} MB`,
      value: `${size >> 20} MB`,
      next: HINT,
    });
  return Buffer.from(readBytes(path)).toString('utf8');
};

const jsonOf = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const said = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
    throw new TreadleError({
      code: 'unreadable_file',
      message: `${name} is no JSON: ${said.slice(0, 160)}`,
      value: name,
      next: 'Restore the file; it may have been cut off.',
    });
  }
};

const shaped = <T>(schema: z.ZodType<T>, name: string, value: unknown): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = issue?.path.join('.') ?? '';
  throw badShape(`${name} is not as tau2-bench writes it: ${at ? `${at}: ` : ''}${issue?.message ?? ''}`, at || name);
};

const linesOf = (name: string, text: string): ReadonlyMap<string, Recorded> => {
  const lines = text
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [{ line, at: `${name} line ${i + 1}` }]));
  return new Map(lines.map(({ line, at }) => shaped(Recorded, at, jsonOf(at, line))).map((one) => [one.task_id, one]));
};

const refuseTwice = (tasks: readonly Tau2Task[]): void => {
  const seen = new Set<string>();
  for (const { id } of tasks) {
    if (seen.has(id.toLowerCase())) throw badShape('tasks.json has two tasks of one id', id, 'Rename one of them.');
    seen.add(id.toLowerCase());
  }
};

/** Throws `missing_file`, `unreadable_file`, `bad_shape`, `too_large`, or what the disk says. */
export const readTau2 = (dir: string): Tau2Folder => {
  if (!exists(dir))
    throw new TreadleError({ code: 'missing_file', message: 'There is no such folder', value: dir, next: HINT });
  const read = <T>(schema: z.ZodType<T>, name: string): T => shaped(schema, name, jsonOf(name, textOf(dir, name)));
  const has = (name: string): boolean => exists(join(dir, name));
  const db = read(Db, 'db.json');
  const tasks = read(Tau2Tasks, 'tasks.json');
  refuseTwice(tasks);
  const policy = textOf(dir, 'policy.md');
  if (policy.trim() === '') throw badShape('policy.md is empty', 'policy.md');
  const splits = has('split_tasks.json') ? read(Splits, 'split_tasks.json') : {};
  const key = 'reference-replay.jsonl';
  const licence = has('LICENSE') ? textOf(dir, 'LICENSE') : undefined;
  return { db, tasks, policy, licence, splits, recorded: has(key) ? linesOf(key, textOf(dir, key)) : undefined };
};
