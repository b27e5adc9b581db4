/** The seam between the loop that proves tasks and whoever thinks them up: the embedded author, a script, a model. */
import type { Task } from '../../artifacts/task.js';
import type { Alternative } from '../alternatives.js';
import type { Ground } from '../ground/ground.js';
import type { Plan } from '../ground/plan.js';
import type { Mutant } from '../mutants/mutant.js';
import type { Chained, Redundancy } from './orthogonality.js';

/** A task that somebody proposes; nothing of it is proven. `chain`: `service.tool.id` of its calls, in order. */
export interface Proposal extends Chained {
  task: Task;
  /** Another look-up of the same thing, to be tried as a right alternative; its session is held until the proposal is released. */
  other?: Plan;
  /** Wrong and right solutions that only whoever proposes it can know; the gate makes others by itself. */
  wrong?: readonly Mutant[];
  right?: readonly Alternative[];
  /** The ground with the task's own rows in it, where it has any. */
  ground?: Ground;
  /** Called once the loop is done with it for good: frees scratch sessions. */
  release?(): void;
}

/** A proposal that did not pass, and what was seen: gate lines with their evidence. */
export interface Failure<P> {
  proposal: P;
  diagnostics: readonly string[];
}

/** What a round teaches (A.1: V, F, D, and T without C). */
export interface Feedback<P> {
  /** Rounds that have been validated. */
  round: number;
  passing: readonly P[];
  failures: readonly Failure<P>[];
  redundant: readonly Redundancy[];
  uncovered: readonly string[];
}

/** Proposes tasks for one certified service. An empty batch says that there is nothing more to try. */
export interface Synthesizer<P extends Chained = Proposal> {
  first(): readonly P[] | Promise<readonly P[]>;
  revise(feedback: Feedback<P>): readonly P[] | Promise<readonly P[]>;
}
