/** What the decisions on a sample say of all tasks: exact upper bounds on the share of defects, and where there are none. */
import { upperBound } from '../../kit/binomial.js';
import { type Sample, type SampleTask, STRATA, type StratumOf } from './sample.js';
import type { Standing } from './standing.js';

export const CONFIDENCE = 0.95;

export interface Bound {
  /** Tasks it speaks of. */
  tasks: number;
  /** Of them, those in the sample, decided, and rejected. */
  sampled: number;
  decided: number;
  rejected: number;
  /** One-sided exact upper bound on the share of defects at 95 %; null where none was decided: nothing is known then. */
  bound: number | null;
  /** All of them were decided: the bound is the share itself. */
  isCensus: boolean;
}

export interface Bounds {
  confidence: number;
  /** Rests on the tasks drawn in proportion alone. */
  overall: Bound;
  /** The same if every task of the sample that is still open were a defect: what holds whichever were left out. */
  ifOpenAreDefects: number | null;
  by: Record<StratumOf, Record<string, Bound>>;
}

const boundOf = (
  tasks: readonly SampleTask[],
  sample: readonly SampleTask[],
  standing: ReadonlyMap<string, Standing>,
): Bound => {
  const decided = sample.filter(({ hash }) => standing.has(hash));
  const rejected = decided.filter(({ hash }) => standing.get(hash) === 'rejected').length;
  const isCensus = tasks.length > 0 && decided.length === tasks.length;
  const share = isCensus ? rejected / tasks.length : upperBound(rejected, decided.length, CONFIDENCE);
  return {
    tasks: tasks.length,
    sampled: sample.length,
    decided: decided.length,
    rejected,
    bound: decided.length === 0 ? null : share,
    isCensus,
  };
};

const grouped = (tasks: readonly SampleTask[], by: StratumOf): Map<string, SampleTask[]> => {
  const out = new Map<string, SampleTask[]>();
  for (const task of tasks) {
    const own = out.get(task[by]);
    if (own) own.push(task);
    else out.set(task[by], [task]);
  }
  return out;
};

/** The bounds; a stratum that was not sampled is listed, without one. */
export const boundsOf = (
  tasks: readonly SampleTask[],
  { drawn, added }: Sample,
  standing: ReadonlyMap<string, Standing>,
): Bounds => {
  const overall = boundOf(tasks, drawn, standing);
  const open = overall.sampled - overall.decided;
  const worst = overall.sampled === 0 ? null : upperBound(overall.rejected + open, overall.sampled, CONFIDENCE);
  const by = {} as Bounds['by'];
  for (const stratum of STRATA) {
    const sampled = grouped([...drawn, ...added], stratum);
    const all = [...grouped(tasks, stratum)].sort(([a], [b]) => (a < b ? -1 : 1));
    by[stratum] = Object.fromEntries(all.map(([name, own]) => [name, boundOf(own, sampled.get(name) ?? [], standing)]));
  }
  return { confidence: CONFIDENCE, overall, ifOpenAreDefects: overall.isCensus ? overall.bound : worst, by };
};
