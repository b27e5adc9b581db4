/** The embedded author of scenarios: candidates from a task's facts, rows and calls, each through the ten rules. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Rng } from '../../kit/rng.js';
import { type Candidate, decide, type Rule } from './accept.js';
import { answerChanges } from './answer-change.js';
import { changesOfMind } from './change-of-mind.js';
import type { Made } from './made.js';
import { outages } from './outage.js';
import { spread } from './spread.js';
import type { Stage } from './trial.js';

export interface Refused {
  /** An event's id, or those of a set with ` + ` between them. */
  event: string;
  source: string;
  rule: Rule;
  evidence: string;
}

export interface AuthorOptions {
  /** Scenarios of one task at most. */
  perTask: number;
  /** Of these sources only. */
  sources?: readonly ScenarioEvent['source'][];
  /** Events of one scenario at most; 1 makes no sets. */
  most?: number;
}

export interface Authored {
  accepted: Made[];
  refused: Refused[];
  /** Events and sets of events that were tried. */
  candidates: number;
}

const MAKERS: readonly ((stage: Stage, random: Rng) => Candidate[])[] = [changesOfMind, answerChanges, outages];

const isOf = (sources: AuthorOptions['sources'], { event }: Candidate): boolean =>
  sources === undefined || sources.includes(event.source);

/** Every candidate of one event, decided on. Runs all of them. */
export const eventsFor = (
  stage: Stage,
  random: Rng,
  seed: string,
  { sources }: Pick<AuthorOptions, 'sources'> = {},
): Authored => {
  const authored: Authored = { accepted: [], refused: [], candidates: 0 };
  for (const make of MAKERS)
    for (const candidate of make(stage, random.stream(make.name))) {
      if (!isOf(sources, candidate)) continue;
      authored.candidates++;
      const decision = decide(stage, candidate, seed);
      if (decision.accepted) {
        const { scenario, reference, findings } = decision;
        authored.accepted.push({ scenario, reference, findings });
      } else {
        const { id, source } = candidate.event;
        authored.refused.push({ event: id, source, rule: decision.rule, evidence: decision.evidence });
      }
    }
  return authored;
};

/**
 * Scenarios for a task on its world (with the task's own rows in it), and what was refused. Of those accepted at most `perTask` are
 * kept, of as many sources and triggers as there are. The same arguments give the same scenarios.
 */
export const scenariosFor = (stage: Stage, random: Rng, seed: string, options: AuthorOptions): Authored => {
  const authored = eventsFor(stage, random, seed, options);
  return { ...authored, accepted: spread(authored.accepted, options.perTask, random.stream('spread')) };
};
