/** A model in the making of scenarios: proposes events, words what is told, within one budget; counts what came of it. */
import type { Desk } from '../../author/model/desk.js';
import { kindOfReason } from '../../author/model/reasons.js';
import type { EventModelTally } from '../../corpus/scenarios.js';
import type { Ground } from '../../tasks/ground/ground.js';
import type { Made } from '../author/made.js';
import type { Stage } from '../author/trial.js';
import { phrased } from './phrase.js';
import { type Proposed, proposedFor, type Wish } from './propose.js';
import { rowsInReach } from './reach.js';

const empty = (model: string): EventModelTally => ({
  model,
  proposed: { candidates: 0, accepted: 0, refused: {} },
  reworded: { changed: 0, kept: {} },
});

const bump = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1;
};

export interface EventWork {
  propose: boolean;
  reword: boolean;
  /** Answers that one task's events may take. */
  rounds: number;
}

export class EventModels {
  readonly desk: Desk;
  readonly work: EventWork;
  #tally: EventModelTally;

  constructor(desk: Desk, work: EventWork) {
    this.desk = desk;
    this.work = work;
    this.#tally = empty(desk.model.model);
  }

  /** Counts since the last time, and why nothing more is asked where that is so. */
  take(): EventModelTally {
    const tally = this.#tally;
    this.#tally = empty(this.desk.model.model);
    const ended = this.desk.ended?.why;
    return ended === undefined ? tally : { ...tally, ended };
  }

  async propose(stage: Stage, ground: Ground, wish: Omit<Wish, 'rounds'>): Promise<Proposed> {
    if (!this.work.propose || this.desk.ended) return { accepted: [], refused: [], candidates: 0 };
    const site = { stage, ground, rows: rowsInReach(stage) };
    const made = await proposedFor(this.desk, site, { ...wish, rounds: this.work.rounds });
    const { proposed } = this.#tally;
    proposed.candidates += made.candidates;
    proposed.accepted += made.accepted.length;
    for (const { rule } of made.refused) bump(proposed.refused, rule);
    return made;
  }

  /** The scenario in other words, as far as they were taken. */
  async phrase(stage: Stage, made: Made): Promise<Made> {
    if (!this.work.reword) return made;
    const phrasing = await phrased(this.desk, stage, made);
    const { reworded } = this.#tally;
    reworded.changed += phrasing.changed;
    for (const reason of phrasing.kept) bump(reworded.kept, kindOfReason(reason));
    return phrasing.made;
  }
}
