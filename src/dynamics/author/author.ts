/** The embedded author of scenarios: candidates from a task's facts, rows and calls, each through the ten rules. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Rng } from '../../kit/rng.js';
import { type Candidate, type Decision, decide, decideOn, type Rule } from './accept.js';
import { answerChanges } from './answer-change.js';
import { changesOfMind } from './change-of-mind.js';
import type { Made } from './made.js';
import { outages } from './outage.js';
import { anytime, atTime, byChance } from './retime.js';
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

/** Decides on an event and keeps it, or why it was refused. */
const keep = (authored: Authored, event: ScenarioEvent, decideOnIt: (event: ScenarioEvent) => Decision): void => {
  authored.candidates++;
  const decision = decideOnIt(event);
  if (decision.accepted) {
    const { scenario, reference, findings } = decision;
    authored.accepted.push({ scenario, reference, findings });
  } else {
    const { id, source } = event;
    authored.refused.push({ event: id, source, rule: decision.rule, evidence: decision.evidence });
  }
};

/** Every candidate of one event, decided on. Runs all of them. */
export const eventsFor = (
  stage: Stage,
  random: Rng,
  seed: string,
  { sources }: Pick<AuthorOptions, 'sources'> = {},
): Authored => {
  const authored: Authored = { accepted: [], refused: [], candidates: 0 };
  for (const make of MAKERS)
    for (const candidate of make(stage, random.stream(make.name)))
      if (isOf(sources, candidate)) keep(authored, candidate.event, () => decide(stage, candidate, seed));
  return authored;
};

/** Seeds tried until an event that comes by chance comes while the reference is carried out. */
const CHANCES = 4;

/** Decides on an event that comes by the clock or by chance instead. */
const decideTimed = (stage: Stage, event: ScenarioEvent, seed: string): Decision => {
  let decision = decideOn(stage, { events: [event], seed });
  for (let n = 1; n < CHANCES && 'random' in event.when && !decision.accepted && decision.rule === 'applies'; n++)
    decision = decideOn(stage, { events: [event], seed: `${seed}/${n}` });
  return decision;
};

/** Accepted events again, each by the clock or by chance. */
const timedFor = (stage: Stage, singles: readonly Made[], random: Rng, seed: string): Authored => {
  const authored: Authored = { accepted: [], refused: [], candidates: 0 };
  for (const { scenario } of singles) {
    const [event] = scenario.events;
    const own = random.stream(event?.id ?? '');
    const always = event && anytime(stage, event, seed);
    if (!always) continue;
    const retime = own.chance(0.5) ? atTime : byChance;
    keep(authored, retime(stage, always, own), (one) => decideTimed(stage, one, seed));
  }
  return authored;
};

/**
 * Scenarios for a task on its world (with the task's own rows in it), and what was refused. Of those accepted at most `perTask` are
 * kept, of as many sources and triggers as there are. The same arguments give the same scenarios.
 */
export const scenariosFor = (stage: Stage, random: Rng, seed: string, options: AuthorOptions): Authored => {
  const singles = eventsFor(stage, random, seed, options);
  const timed = timedFor(stage, singles.accepted, random.stream('timed'), seed);
  const all = [singles, timed];
  const accepted = all.flatMap((some) => some.accepted);
  return {
    accepted: spread(accepted, options.perTask, random.stream('spread')),
    refused: all.flatMap(({ refused }) => refused),
    candidates: all.reduce((sum, { candidates }) => sum + candidates, 0),
  };
};
