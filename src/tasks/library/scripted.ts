/** A synthesizer that proposes what it was given, batch by batch, and remembers what it was told: for tests and for replays of a model's batches. */
import type { Chained } from './orthogonality.js';
import type { Feedback, Proposal, Synthesizer } from './synthesizer.js';

export class Scripted<P extends Chained = Proposal> implements Synthesizer<P> {
  readonly #batches: readonly (readonly P[])[];
  #next = 1;
  /** What the loop told, round by round, as it was then. */
  readonly heard: Feedback<P>[] = [];

  constructor(batches: readonly (readonly P[])[]) {
    this.#batches = batches;
  }

  first(): readonly P[] {
    return this.#batches[0] ?? [];
  }

  revise(feedback: Feedback<P>): readonly P[] {
    this.heard.push({ ...feedback, passing: [...feedback.passing], failures: [...feedback.failures] });
    return this.#batches[this.#next++] ?? [];
  }
}
