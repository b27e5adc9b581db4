/** The embedded author of scenarios: candidates from a task's facts, rows and calls, each through the ten rules. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import { canonicalJson } from '../../kit/hash.js';
import type { Rng } from '../../kit/rng.js';
import { type Candidate, type Decision, decide, decideOn, type Reason, type Woven } from './accept.js';
import { changesOfMind } from './change-of-mind.js';
import { CHOICE_MAKERS } from './choices/makers.js';
import { closures } from './closures.js';
import { decideOnSet } from './decide-set.js';
import { detours } from './detours.js';
import { hearsay } from './hearsay.js';
import { lies } from './lies.js';
import type { Made } from './made.js';
import { madeAlready } from './made-already.js';
import { orders } from './orders.js';
import { outages } from './outage.js';
import { anytime, atTime, byChance } from './retime.js';
import { setBack } from './set-back.js';
import { setsOf } from './sets.js';
import { shifts } from './shifts.js';
import { spread } from './spread.js';
import { openOn, type Stage } from './trial.js';
import { withTrunk } from './trunk.js';

export interface Refused {
  /** An event's id, or those of a set with ` + ` between them. */
  event: string;
  source: string;
  rule: Reason;
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

const MAKERS: readonly ((stage: Stage, random: Rng) => Candidate[])[] = [
  changesOfMind,
  outages,
  ...CHOICE_MAKERS,
  lies,
  closures,
  detours,
  shifts,
  orders,
  hearsay,
  setBack,
  madeAlready,
];

const isOf = (sources: AuthorOptions['sources'], { event }: Candidate): boolean =>
  sources === undefined || sources.includes(event.source);

/** Decides on events and keeps them, or why they were refused. */
const keep = (authored: Authored, events: readonly ScenarioEvent[], decideOnIt: () => Decision): void => {
  authored.candidates++;
  const decision = decideOnIt();
  if (decision.accepted) {
    const { scenario, reference, findings } = decision;
    authored.accepted.push({ scenario, reference, findings });
  } else {
    const { rule, evidence } = decision;
    const [event, source] = [events.map(({ id }) => id), [...new Set(events.map((one) => one.source))]];
    authored.refused.push({ event: event.join(' + '), source: source.join(' + '), rule, evidence });
  }
};

/** Calls of a reference from which on every trial of it takes its time. */
const LONG = 12;

/** How many of each kind are wanted, where so many scenarios are: of what is accepted some are chosen. */
const wantedOf = ({ task }: Stage, perTask: number): { singles: number; timed: number; sets: number } => {
  const some = Math.ceil(perTask * (task.reference.calls.length > LONG ? 0.5 : 0.75));
  return { singles: perTask, timed: some, sets: some };
};

/** The stage with some of its facts only: a long task has more of them than anybody could change their mind about. */
const focused = ({ world, task }: Stage, most: number, random: Rng): Stage => {
  const stages = task.disclosure.stages.map((one) => one.facts.map((fact) => ({ node: one.node, fact })));
  const all = stages.flat();
  if (all.length <= most) return { world, task };
  const kept = new Set(random.sample(all, most).map(({ fact }) => fact));
  const disclosure = {
    ...task.disclosure,
    stages: task.disclosure.stages.map((one) => ({ ...one, facts: one.facts.filter((fact) => kept.has(fact)) })),
  };
  return { world, task: { ...task, disclosure } };
};

/** One of each list by turns. */
const byTurns = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, turn) =>
    lists.flatMap((list) => (turn < list.length ? [list[turn] as T] : [])),
  ).flat();

/** Candidates of one event, decided on: one of each maker by turns, until enough are accepted. */
export const eventsFor = (
  stage: Stage,
  random: Rng,
  seed: string,
  { sources, perTask = Number.POSITIVE_INFINITY }: Partial<AuthorOptions> = {},
): Authored => {
  const authored = nothing();
  const { singles } = wantedOf(stage, perTask);
  const seen = focused(stage, singles, random.stream('focus'));
  const made = MAKERS.map((make) => {
    const all = make(seen, random.stream(make.name)).filter((candidate) => isOf(sources, candidate));
    return random.stream(`${make.name} order`).shuffle(all);
  });
  for (const candidate of byTurns(made)) {
    if (authored.accepted.length >= singles) break;
    keep(authored, [candidate.event], () => decide(stage, candidate, seed));
  }
  return authored;
};

const nothing = (): Authored => ({ accepted: [], refused: [], candidates: 0 });

/** Seeds tried until an event that comes by chance comes while the reference is carried out. */
const CHANCES = 4;
/** Events of a set at most, where nothing else is said. */
const MOST = 5;
/** Sets of events that are tried for one task at most. */
const SETS = 12;

const isByChance = ({ when }: ScenarioEvent): boolean => 'random' in when;

/** Where events come by chance, other seeds are tried until they do come while the reference is carried out. */
const withSeeds = (scenario: Woven, seed: string, decideOnIt: (scenario: Woven) => Decision): Decision => {
  let decision = decideOnIt({ ...scenario, seed });
  for (let n = 1; n < CHANCES && scenario.events.some(isByChance) && isUnlucky(decision); n++)
    decision = decideOnIt({ ...scenario, seed: `${seed}/${n}` });
  return decision;
};

const isUnlucky = (decision: Decision): boolean => !decision.accepted && decision.rule === 'applies';

/** Accepted events again, each by the clock or by chance. */
const timedFor = (stage: Stage, singles: readonly Made[], most: number, random: Rng, seed: string): Authored => {
  const authored = nothing();
  for (const { scenario } of random.shuffle(singles)) {
    if (authored.accepted.length >= most) break;
    const [event] = scenario.events;
    const own = random.stream(event?.id ?? '');
    const always = event && anytime(stage, event, seed);
    if (!always) continue;
    const retimed = own.chance(0.5) ? atTime(stage, always, own) : byChance(stage, always, own);
    keep(authored, [retimed], () => withSeeds({ events: [retimed], seed }, seed, (one) => decideOn(stage, one)));
  }
  return authored;
};

/** Sets of accepted events. */
const setsFor = (
  stage: Stage,
  accepted: readonly Made[],
  { most, wanted }: { most: number; wanted: number },
  random: Rng,
  seed: string,
): Authored => {
  const authored = nothing();
  const events = accepted.flatMap(({ scenario }) => scenario.events);
  for (const set of setsOf(stage.task, events, { most, tries: SETS }, random)) {
    if (authored.accepted.length >= wanted) break;
    // An event that needs no other and was accepted with this trigger is what it was.
    const alone = ({ excludes: _, ...event }: ScenarioEvent): boolean =>
      event.needs.length === 0 &&
      events.some(({ excludes: __, ...other }) => canonicalJson(other) === canonicalJson(event));
    keep(authored, set, () => withSeeds({ events: set, seed }, seed, (one) => decideOnSet(stage, one, alone)));
  }
  return authored;
};

/**
 * Scenarios for a task on its world (with the task's own rows in it), and what was refused. Of those accepted at most `perTask` are
 * kept, of as many sources and triggers as there are. The same arguments give the same scenarios.
 */
export const scenariosFor = (stage: Stage, random: Rng, seed: string, options: AuthorOptions): Authored =>
  withTrunk(
    stage.task.reference,
    () => openOn(stage),
    () => authoredFor(stage, random, seed, options),
  );

const authoredFor = (stage: Stage, random: Rng, seed: string, options: AuthorOptions): Authored => {
  const { perTask, most = MOST } = options;
  const wanted = wantedOf(stage, perTask);
  const singles = eventsFor(stage, random, seed, options);
  const timed = timedFor(stage, singles.accepted, wanted.timed, random.stream('timed'), seed);
  const known = [...singles.accepted, ...timed.accepted];
  const sets = setsFor(stage, known, { most, wanted: wanted.sets }, random.stream('sets'), seed);
  const all = [singles, timed, sets];
  return {
    accepted: spread(
      all.flatMap(({ accepted }) => accepted),
      perTask,
      random.stream('spread'),
    ),
    refused: all.flatMap(({ refused }) => refused),
    candidates: all.reduce((sum, { candidates }) => sum + candidates, 0),
  };
};
