/**
 * The seam to whoever runs scenarios (`dynamics`, which stands above this room): a server is given a weaver, which makes of a
 * scenario what is woven into a session, and revises a task's checks by the events that fired in it.
 */
import type { Fate, Notice } from '../../artifacts/firing.js';
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { Verdict } from '../../artifacts/verdict.js';
import type { Json } from '../../kit/hash.js';
import type { CheckRevision } from '../api.js';
import type { Woven } from './woven.js';

/** A scenario's events in one session. */
export interface Events extends Woven {
  /** The firing log, in the order of the events' fates. */
  readonly log: readonly Fate[];
  /** The delivery log, with what waits to be told. */
  readonly notices: readonly Notice[];
  /** Events that have fired, in their order. */
  fired(): ScenarioEvent[];
  /** What has not been told yet, through any channel; it counts as told from now on, with so many calls in the ledger. */
  tellAll(calls: number): Notice[];
  fork(): Events;
  renewed(): Events;
  loaded(saved: Json): Events;
}

type Judged = Pick<Task, 'milestones' | 'answer'>;

/** What a scenario is held against before a session begins on it. */
export interface Loom {
  judged: Judged;
  /** As agents call them. */
  tools: ReadonlySet<string>;
}

export interface Reweave {
  judged: Judged;
  /** As every verdict says it, of rollouts too; absent where nothing has fired. */
  revised?: Verdict['revised'];
  revisions: CheckRevision[];
}

export interface Weaver {
  /** As at the start of a session; `renewed` gives another. Throws what is wrong with the events, with the evidence. */
  weave(scenario: Scenario, loom: Loom): Events;
  /** The checks as the events that fired make them, and what was made of which by which. Throws `unknown_check`. */
  revised(judged: Judged, events: Events): Reweave;
}

export const isEvents = (woven: Woven | undefined): woven is Events => woven !== undefined && 'tellAll' in woven;
