/** Algorithm 1 (weft.txt A.1): synthesize, validate, filter, measure coverage, revise and expand. */
import { type Chained, coveredBy, orthogonal, type Redundancy } from './orthogonality.js';
import type { Failure, Synthesizer } from './synthesizer.js';

export interface Validation {
  pass: boolean;
  /** Why not; empty when it passed. */
  diagnostics: readonly string[];
}

export interface LoopOptions<P> {
  /** T: every tool of the service, by the ids that chains use. */
  tools: readonly string[];
  /** Target coverage, from 0 to 1. */
  coverage: number;
  /** R, the first round included; at least 1. */
  rounds: number;
  /** Runs one task end to end from its own fresh state. */
  validate(proposal: P): Validation | Promise<Validation>;
  onRound?(round: RoundReport): void;
}

export interface RoundReport {
  round: number;
  proposed: number;
  passed: number;
  /** After the filter over all of V. */
  retained: number;
  redundant: number;
  coverage: number;
}

export interface LoopResult<P> {
  /** A, in the order in which they passed. */
  retained: P[];
  /** V. */
  passing: P[];
  /** F, of all rounds. */
  failures: Failure<P>[];
  /** D. */
  redundant: Redundancy[];
  /** T without C. */
  uncovered: string[];
  /** |C| / |T|; 1 for a service without tools. */
  coverage: number;
  rounds: RoundReport[];
  stopped: 'coverage' | 'rounds' | 'empty_batch';
}

/** The first of each id that V does not hold yet: a passing task is never made again. */
const unknownOf = <P extends Chained>(batch: readonly P[], passing: readonly P[]): P[] => {
  const seen = new Set(passing.map(({ id }) => id));
  return batch.filter(({ id }) => !seen.has(id) && seen.add(id));
};

export const runRounds = async <P extends Chained>(
  synthesizer: Synthesizer<P>,
  options: LoopOptions<P>,
): Promise<LoopResult<P>> => {
  const { tools } = options;
  const passing: P[] = [];
  const failures: Failure<P>[] = [];
  const rounds: RoundReport[] = [];
  let batch = unknownOf(await synthesizer.first(), passing);
  for (let round = 1; ; round++) {
    const before = passing.length;
    for (const proposal of batch) {
      const { pass, diagnostics } = await options.validate(proposal);
      if (pass) passing.push(proposal);
      else failures.push({ proposal, diagnostics });
    }
    const { retained, redundant } = orthogonal(passing);
    const covered = new Set(coveredBy(retained, tools));
    const coverage = tools.length === 0 ? 1 : covered.size / tools.length;
    const uncovered = tools.filter((tool) => !covered.has(tool));
    const report = {
      round,
      proposed: batch.length,
      passed: passing.length - before,
      retained: retained.length,
      redundant: redundant.length,
      coverage,
    };
    rounds.push(report);
    options.onRound?.(report);
    const result = { retained, passing, failures, redundant, uncovered, coverage, rounds };
    if (retained.length > 0 && coverage >= options.coverage) return { ...result, stopped: 'coverage' };
    if (round >= options.rounds) return { ...result, stopped: 'rounds' };
    batch = unknownOf(await synthesizer.revise({ round, passing, failures, redundant, uncovered }), passing);
    if (batch.length === 0) return { ...result, stopped: 'empty_batch' };
  }
};
