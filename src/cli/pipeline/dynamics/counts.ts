/** What a corpus' scenarios are, counted as the paper counts them (dynaweave.txt, Figure 2), with what was refused by rule. */
import type { RefusedEvent, ScenarioHead } from '../../../corpus/scenarios.js';

export type Counts = Record<string, number>;

export interface ScenarioCounts {
  worlds: number;
  /** Tasks that were looked at, and those of them with a scenario. */
  tasks: number;
  dynamicTasks: number;
  scenarios: number;
  events: number;
  /** Events by source; information that revises nothing is `distractor`. */
  sources: Counts;
  triggers: Counts;
  /** How an agent hears of them: from the user, by a notification, or not at all unless it looks. */
  told: Counts;
  /** Fault events by profile. */
  profiles: Counts;
  eventsAScenario: Counts;
  /** Scenarios by the events on the longest way through what they need. */
  depth: Counts;
  offersWait: number;
  candidates: number;
  refused: number;
  /** Of the candidates, those that a rule refused; null of none. */
  refusedShare: number | null;
  refusedByRule: Counts;
}

const counted = (values: readonly (string | number)[]): Counts => {
  const out = new Map<string, number>();
  for (const value of values) out.set(String(value), (out.get(String(value)) ?? 0) + 1);
  const entries = [...out];
  const isNumbers = values.every((value) => typeof value === 'number');
  return Object.fromEntries(
    entries.sort(([a, n], [b, m]) => (isNumbers ? Number(a) - Number(b) : m - n || (a < b ? -1 : 1))),
  );
};

export interface CountedWorld {
  tasks: number;
  dynamic: number;
  scenarios: readonly ScenarioHead[];
  candidates: number;
  refused: readonly RefusedEvent[];
}

export const scenarioCounts = (worlds: readonly CountedWorld[]): ScenarioCounts => {
  const scenarios = worlds.flatMap((world) => world.scenarios);
  const events = scenarios.flatMap((one) => one.events);
  const refused = worlds.flatMap((world) => world.refused);
  const sum = (pick: (world: CountedWorld) => number): number => worlds.reduce((all, world) => all + pick(world), 0);
  const candidates = sum((world) => world.candidates);
  return {
    worlds: worlds.filter((world) => world.scenarios.length > 0).length,
    tasks: sum(({ tasks }) => tasks),
    dynamicTasks: sum(({ dynamic }) => dynamic),
    scenarios: scenarios.length,
    events: events.length,
    sources: counted(events.map(({ source, distractor }) => (distractor ? 'distractor' : source))),
    triggers: counted(events.map(({ trigger }) => trigger)),
    told: counted(events.map(({ to }) => to)),
    profiles: counted(events.flatMap(({ profile }) => profile ?? [])),
    eventsAScenario: counted(scenarios.map((one) => one.events.length)),
    depth: counted(scenarios.map(({ depth }) => depth)),
    offersWait: scenarios.filter(({ offersWait }) => offersWait).length,
    candidates,
    refused: refused.length,
    refusedShare: candidates > 0 ? refused.length / candidates : null,
    refusedByRule: counted(refused.map(({ rule }) => rule)),
  };
};

/** `requirement 12, fault 3` */
export const countWords = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ') || 'none';
