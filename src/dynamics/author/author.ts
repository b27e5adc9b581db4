/** The embedded author of events: candidates from a task's facts, rows and calls, each through the ten rules. */
import type { Scenario } from '../../artifacts/scenario.js';
import type { Rng } from '../../kit/rng.js';
import { type Candidate, type Decision, decide, type Rule } from './accept.js';
import { answerChanges } from './answer-change.js';
import { changesOfMind } from './change-of-mind.js';
import { outages } from './outage.js';
import type { Played, Stage } from './trial.js';

export interface Accepted {
  scenario: Pick<Scenario, 'events' | 'seed'>;
  /** The re-solved reference. */
  reference: Played;
}

export interface Refused {
  event: string;
  source: string;
  rule: Rule;
  evidence: string;
}

const MAKERS: readonly ((stage: Stage, random: Rng) => Candidate[])[] = [changesOfMind, answerChanges, outages];

/** Scenarios of one event each for an atomic task, and the candidates that were refused. Runs every one of them. */
export const eventsFor = (stage: Stage, random: Rng, seed: string): { accepted: Accepted[]; refused: Refused[] } => {
  const accepted: Accepted[] = [];
  const refused: Refused[] = [];
  for (const make of MAKERS)
    for (const candidate of make(stage, random.stream(make.name))) {
      const decision: Decision = decide(stage, candidate, seed);
      if (decision.accepted) accepted.push({ scenario: decision.scenario, reference: decision.reference });
      else {
        const { event } = candidate;
        refused.push({ event: event.id, source: event.source, rule: decision.rule, evidence: decision.evidence });
      }
    }
  return { accepted, refused };
};
