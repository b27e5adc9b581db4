/** What all rollouts of a corpus come to, one after the other: nothing of a rollout is kept but counts. */
import type { Trace } from '../../../artifacts/trace.js';
import type { TraceHead, TraceLine } from '../../../corpus/traces/line.js';
import { outcomeOf } from '../../../rollout/outcome.js';

export interface Outcomes {
  passed: number;
  failed: number;
  cut: number;
  /** By whose. */
  faults: Record<string, number>;
}

export interface Calls {
  /** Rollouts by how many calls they made; the last holds all that made as many or more. */
  byCount: number[];
  /** Of the rollouts that were read whole: calls, and those that failed, by whose fault. */
  made: number;
  failed: Record<string, number>;
  /** Calls of rollouts whose task's reference has some, and the calls that the references have for them. */
  compared: number;
  referenceCalls: number;
}

export interface Actor extends Calls {
  outcomes: Outcomes;
  /** Rollouts that say something of who acted: passed or failed. */
  flags: Record<string, number>;
  /** It passes or fails by construction. */
  isByConstruction: boolean;
  /** Its own part of the figures of all. */
  by: Record<'profile' | 'view', Map<string, Outcomes>>;
}

/** What the corpus knows of a task without reading it. */
export interface ListedTask {
  profile: string;
  referenceCalls: number;
}

const MOST_CALLS = 512;
/** Names that are told apart; corpora of thousands of tools have their tail in one. */
const MOST_NAMES = 20_000;

const none = (): Outcomes => ({ passed: 0, failed: 0, cut: 0, faults: {} });
const groupIn = (groups: Map<string, Outcomes>, key: string): Outcomes => {
  const known = groups.get(key) ?? none();
  groups.set(key, known);
  return known;
};
const add = (into: Record<string, number>, key: string, n = 1): void => {
  into[key] = (into[key] ?? 0) + n;
};

/** Who acted: a policy with its model, a harness with its model, and how the rollout came about where that chooses among many. */
export const actorOf = ({ producer, origin }: Pick<TraceHead, 'producer' | 'origin'>): string => {
  const { policy, name, model } = producer;
  const own = policy === 'model' || policy === 'harness' ? `${policy} ${name}` : policy;
  const behind = model === undefined ? '' : ` with ${model}`;
  return `${own}${behind}${origin === 'prefix' ? ', prefix-preserving' : ''}`;
};

export const harnessOf = ({ producer }: Pick<Trace, 'producer'>): string =>
  producer.policy === 'harness' ? producer.name : 'our own loop';

export const viewOf = ({
  user,
  detail,
  faults,
  scenario,
}: Pick<Trace, 'user' | 'detail' | 'faults' | 'scenario'>): string =>
  `${user === 'none' ? 'all at once' : 'simulated user'}, ${detail}${faults ? ', under faults' : ''}${scenario ? ', in scenarios' : ''}`;

/** The reference passes and the stale plan fails by construction: they say nothing of tasks. */
export const isByConstruction = ({ producer: { policy } }: Pick<Trace, 'producer'>): boolean =>
  policy === 'reference' || policy === 'stale';

export const DIMENSIONS = ['profile', 'view', 'harness'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export class RolloutFigures {
  readonly actors = new Map<string, Actor>();
  /** Without the reference and the stale plan. */
  readonly by: Record<Dimension, Map<string, Outcomes>> = { profile: new Map(), view: new Map(), harness: new Map() };
  /** Of every tool that was called: calls, and those that failed by the agent's fault. Without the reference. */
  readonly tools = new Map<string, { made: number; failed: number }>();
  /** Dropped attempts of prefix-preserving sampling: chosen for having failed, and no part of any rate. */
  dropped = 0;
  rollouts = 0;
  /** Rollouts whose calls were looked at one by one. */
  whole = 0;

  #actor(head: Pick<TraceHead, 'producer' | 'origin'>): Actor {
    const name = actorOf(head);
    const known = this.actors.get(name);
    if (known) return known;
    const made: Actor = {
      byCount: [],
      made: 0,
      failed: {},
      compared: 0,
      referenceCalls: 0,
      outcomes: none(),
      flags: {},
      by: { profile: new Map(), view: new Map() },
      isByConstruction: isByConstruction(head),
    };
    this.actors.set(name, made);
    return made;
  }

  /** A rollout by what its line says of it in short. */
  add(head: TraceHead, { profile, referenceCalls }: ListedTask): void {
    this.rollouts++;
    if (head.origin === 'negative') {
      this.dropped++;
      return;
    }
    const actor = this.#actor(head);
    const became = outcomeOf(head, head.verdict);
    const groups = actor.isByConstruction
      ? []
      : [['profile', profile] as const, ['view', viewOf(head)] as const, ['harness', harnessOf(head)] as const];
    const all = [
      actor.outcomes,
      ...groups.map(([dimension, key]) => groupIn(this.by[dimension], key)),
      groupIn(actor.by.profile, profile),
      groupIn(actor.by.view, viewOf(head)),
    ];
    for (const outcomes of all) {
      if (became.outcome === 'fault') add(outcomes.faults, became.fault ?? 'unknown');
      else outcomes[became.outcome]++;
    }
    if (became.outcome !== 'passed' && became.outcome !== 'failed') return;
    for (const flag of head.flags) add(actor.flags, flag);
    this.#calls(actor, head.usage.calls, referenceCalls);
  }

  #calls(actor: Actor, calls: number, referenceCalls: number): void {
    const n = Math.min(calls, MOST_CALLS);
    actor.byCount[n] = (actor.byCount[n] ?? 0) + 1;
    if (referenceCalls > 0) {
      actor.compared += calls;
      actor.referenceCalls += referenceCalls;
    }
  }

  /** What a rollout read whole says besides: which calls failed. */
  addWhole({ trace }: TraceLine): void {
    this.whole++;
    const { producer, origin } = trace;
    const actor = this.#actor({ producer, ...(origin ? { origin: origin.kind } : {}) });
    actor.made += trace.ledger.length;
    for (const { tool, ok, error } of trace.ledger) {
      if (!ok) add(actor.failed, error?.fault ?? 'agent');
      const name = this.tools.has(tool) || this.tools.size < MOST_NAMES ? tool : 'others';
      const known = this.tools.get(name) ?? { made: 0, failed: 0 };
      known.made++;
      if (!ok && (error?.fault ?? 'agent') === 'agent') known.failed++;
      this.tools.set(name, known);
    }
  }
}

/** The number of calls below or at which a share `q` of the rollouts lies; nearest rank, 0 of none. */
export const callsAt = ({ byCount }: Pick<Calls, 'byCount'>, q: number): number => {
  const total = byCount.reduce((sum, n) => sum + (n ?? 0), 0);
  let seen = 0;
  for (let calls = 0; calls < byCount.length; calls++) {
    seen += byCount[calls] ?? 0;
    if (seen > 0 && seen >= q * total) return calls;
  }
  return 0;
};
