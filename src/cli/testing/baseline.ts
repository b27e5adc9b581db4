/** An earlier test to hold a new one against: what was saved of it, and which tasks have become worse. */
import { z } from 'zod';
import { exists, readData, writeJson } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { countsOf, type TestedTask } from './result.js';

const count = z.number().int().min(0);

export const Baseline = z.object({
  treadle: z.literal('test/1'),
  /** The command, or the policy. */
  agent: z.string(),
  repeat: count,
  tasks: z.array(z.object({ task: z.string(), world: z.string(), hash: z.string(), runs: count, passed: count })),
});
export type Baseline = z.infer<typeof Baseline>;

export const baselineOf = (agent: string, repeat: number, tasks: readonly TestedTask[]): Baseline => ({
  treadle: 'test/1',
  agent,
  repeat,
  tasks: tasks.map((tested) => {
    const { runs, passed } = countsOf(tested);
    return { task: tested.task, world: tested.world, hash: tested.hash, runs, passed };
  }),
});

/** Throws what the disk says. */
export const saveBaseline = (file: string, baseline: Baseline): void => writeJson(file, baseline);

const bad = (file: string, message: string): TreadleError =>
  new TreadleError({
    code: 'no_baseline',
    message,
    value: file,
    next: "Save one first: treadle test CORPUS --agent '...' --save FILE.",
  });

/** Throws `no_baseline`, `unreadable_file`. */
export const readBaseline = (file: string): Baseline => {
  if (!exists(file)) throw bad(file, 'There is no such saved test');
  const parsed = Baseline.safeParse(readData(file));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw bad(file, `The file is no saved test (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`);
};

/** C(a, k) for small numbers. */
const choose = (n: number, k: number): number => {
  let all = 1;
  for (let i = 0; i < k; i++) all = (all * (n - i)) / (i + 1);
  return k < 0 || k > n ? 0 : all;
};

/** How likely so few passes are now if nothing changed: Fisher's exact test, one-sided. */
export const chanceOfSoFew = (
  before: { runs: number; passed: number },
  now: { runs: number; passed: number },
): number => {
  const [all, passed] = [before.runs + now.runs, before.passed + now.passed];
  let chance = 0;
  for (let x = 0; x <= now.passed; x++) chance += choose(now.runs, x) * choose(before.runs, passed - x);
  return Math.min(1, chance / choose(all, passed));
};

export interface TaskChange {
  task: string;
  world: string;
  before: { runs: number; passed: number };
  now: { runs: number; passed: number };
  /** Passed always and no longer does, or fell further than chance lets 1 in 20 fall. */
  isRegression: boolean;
  chance: number;
}

export interface Comparison {
  /** Fewer passes a run than before, the surest first. */
  worse: TaskChange[];
  better: TaskChange[];
  /** The task is not what it was: nothing follows. */
  changed: string[];
  /** In the baseline and not run now; run now and not in the baseline. */
  notRun: string[];
  added: string[];
}

const UNLIKELY = 0.05;

export const compare = (before: Baseline, tasks: readonly TestedTask[]): Comparison => {
  const known = new Map(before.tasks.map((task) => [`${task.world}/${task.task}`, task]));
  const changes: TaskChange[] = [];
  const changed: string[] = [];
  const added: string[] = [];
  for (const tested of tasks) {
    const old = known.get(`${tested.world}/${tested.task}`);
    known.delete(`${tested.world}/${tested.task}`);
    const { errors: _, ...now } = countsOf(tested);
    if (!old) added.push(tested.task);
    else if (old.hash !== tested.hash) changed.push(tested.task);
    else if (old.runs > 0 && now.runs > 0) {
      const chance = chanceOfSoFew(old, now);
      const wasSolid = old.passed === old.runs && now.passed < now.runs;
      const { task, world } = tested;
      const was = { runs: old.runs, passed: old.passed };
      changes.push({ task, world, before: was, now, isRegression: wasSolid || chance <= UNLIKELY, chance });
    }
  }
  const rate = ({ passed, runs }: TaskChange['now']): number => passed / runs;
  const fell = changes.filter((change) => rate(change.now) < rate(change.before));
  return {
    worse: fell.sort((a, b) => Number(b.isRegression) - Number(a.isRegression) || a.chance - b.chance),
    better: changes.filter((change) => rate(change.now) > rate(change.before)),
    changed,
    notRun: [...known.values()].map(({ task }) => task),
    added,
  };
};
