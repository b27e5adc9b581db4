/**
 * Where a failed rollout left the ways that lead to the goal: the reference, and rollouts that passed. A way is what it changes:
 * looking around, trying again after an error and doing independent things in another order leave none.
 */
import { isSameStep, type Step } from './steps.js';

export interface Way {
  /** `the reference`, `run 2`. */
  name: string;
  steps: readonly Step[];
}

export type DivergenceKind =
  /** It changed something that no way changes. */
  | 'other_change'
  /** It did once more what is done once. */
  | 'repeated_change'
  /** A change that every way makes was tried and refused. */
  | 'refused_change'
  /** A change that every way makes was never tried. */
  | 'missing_change'
  /** All was changed as it should; something else was looked up. */
  | 'other_read'
  | 'missing_read'
  /** The calls are those of a way: the answer, or the order, is not. */
  | 'same_calls';

export interface Divergence {
  kind: DivergenceKind;
  /** Index of the call in the rollout; absent where the point is a call that was not made. */
  at?: number;
  made?: Step;
  /** What the way has there. */
  expected?: Step;
  way: string;
}

/** A way with what of it the rollout has done so far. */
interface Walk {
  way: Way;
  done: Set<Step>;
}

const left = ({ way, done }: Walk, writes: boolean): Step[] =>
  way.steps.filter((step) => step.ok && step.writes === writes && !done.has(step));

/** The walks on which the step is one that is still to be done, gone on by it. */
const goneOn = (walks: readonly Walk[], step: Step): Walk[] =>
  walks.flatMap((walk) => {
    const open = left(walk, true).find((expected) => isSameStep(expected, step));
    return open ? [{ ...walk, done: new Set([...walk.done, open]) }] : [];
  });

/** What a way has in place of a call that leads off it: the same tool first. */
const insteadOf = (candidates: readonly Step[], made: Step): Step | undefined =>
  candidates.find(({ tool }) => tool === made.tool) ?? candidates[0];

const fewest = (walks: readonly Walk[]): Walk =>
  walks.reduce((best, walk) => (left(walk, true).length < left(best, true).length ? walk : best));

const changed = (run: readonly Step[], walks: readonly Walk[]): { walks: Walk[]; divergence?: Divergence } => {
  let live = [...walks];
  for (const [at, made] of run.entries()) {
    if (!made.ok || !made.writes) continue;
    const on = goneOn(live, made);
    if (on.length > 0) {
      live = on;
      continue;
    }
    const best = fewest(live);
    const isAgain = [...best.done].some((done) => isSameStep(done, made));
    // A call that was to change something and changed nothing leads nowhere and off nothing.
    if (!made.changes) continue;
    // What is done later on was not left out for this.
    const undone = left(best, true).filter(
      (step) => !run.slice(at + 1).some((later) => later.ok && isSameStep(step, later)),
    );
    const expected = isAgain ? undefined : insteadOf(undone, made);
    const kind = isAgain ? 'repeated_change' : 'other_change';
    return { walks: live, divergence: { kind, at, made, ...(expected ? { expected } : {}), way: best.way.name } };
  }
  return { walks: live };
};

/** A change that is missing in the end: refused, or never tried. */
const missing = (run: readonly Step[], walk: Walk): Divergence | undefined => {
  const [expected] = left(walk, true);
  if (!expected) return undefined;
  const at = run.findLastIndex((step) => !step.ok && step.tool === expected.tool);
  const way = walk.way.name;
  const made = run[at];
  return made ? { kind: 'refused_change', at, made, expected, way } : { kind: 'missing_change', expected, way };
};

const read = (run: readonly Step[], walk: Walk): Divergence => {
  const way = walk.way.name;
  const reads = run.filter(({ writes }) => !writes);
  const unread = walk.way.steps.filter(
    (step) => step.ok && !step.writes && !reads.some((made) => made.ok && isSameStep(step, made)),
  );
  const [first] = unread;
  if (!first) return { kind: 'same_calls', way };
  const at = run.findIndex(
    (made) =>
      !made.writes &&
      !walk.way.steps.some((step) => isSameStep(step, made)) &&
      unread.some(({ tool }) => tool === made.tool),
  );
  const other =
    at >= 0 ? at : run.findIndex((made) => !made.writes && !walk.way.steps.some((step) => isSameStep(step, made)));
  const made = run[other];
  return made
    ? { kind: 'other_read', at: other, made, expected: insteadOf(unread, made) ?? first, way }
    : { kind: 'missing_read', expected: first, way };
};

/** The first point at which `run` left all ways; it is taken as failed. `ways` must not be empty, the nearest to hold it against first. */
export const diverge = (run: readonly Step[], ways: readonly Way[]): Divergence => {
  const start = ways.map((way): Walk => ({ way, done: new Set() }));
  const { walks, divergence } = changed(run, start);
  if (divergence) return divergence;
  const best = fewest(walks);
  return missing(run, best) ?? read(run, best);
};
