/**
 * The execution engine of a scenario, woven into one session (DynaWeave, Figure 1b; dynamics.md): events fire between calls, in an
 * order that seed and calls decide; what they do is in the session's state, what became of them in the firing log, and what is to be
 * told in the delivery log. It forks, rests and is restored with the session.
 */
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { LedgerEntry, Touch } from '../../artifacts/trace.js';
import { TreadleError } from '../../errors.js';
import type { Json } from '../../kit/hash.js';
import { FaultPlan } from '../../serve/faults/plan.js';
import { type FaultRule, faultRule } from '../../serve/faults/rule.js';
import type { Answered } from '../../serve/sessions/entry.js';
import type { Session } from '../../serve/sessions/session.js';
import type { Events } from '../../serve/sessions/weaver.js';
import type { WovenAnswer, WovenCall } from '../../serve/sessions/woven.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { type EventGraph, graphOf } from '../graph.js';
import { applyPatch, type Ground, unmetGuard } from './outside.js';
import { settle } from './settle.js';
import { EngineState, type Fate, fateOf, type Notice, openingState } from './state.js';
import { nextMoment } from './triggers.js';
import { WAITING, waited } from './wait.js';

/** Each event's fault takes its own course, also where two strike one tool. */
const ruleOf = ({ id, effect }: ScenarioEvent, seed: string): FaultRule | undefined => {
  if (!('fault' in effect)) return undefined;
  const { tool, profile, times, about, seed: own = `${seed}/${id}` } = effect.fault;
  return { ...faultRule(`${tool}=${profile}${times === undefined ? '' : `x${times}`}`), seed: own, about };
};

/** Scenarios are frozen, and a rollout is one of hundreds of the same. */
const graphs = new WeakMap<readonly ScenarioEvent[], EventGraph>();

const knownGraph = (events: readonly ScenarioEvent[]): EventGraph => {
  const known = graphs.get(events) ?? graphOf(events);
  graphs.set(events, known);
  return known;
};

const unreadable = (): TreadleError =>
  new TreadleError({
    code: 'bad_parcel',
    message: 'The events of a parked session cannot be read',
    fault: 'infrastructure',
  });

export class EventEngine implements Events {
  readonly tools: readonly SessionTool[] | undefined;
  readonly #graph: EventGraph;
  #state: EngineState;
  /** Faults of the fault events that have fired. */
  #faults: FaultPlan;

  /** Throws what `graphOf` throws. */
  constructor(
    readonly scenario: Pick<Scenario, 'events' | 'seed' | 'offersWait'>,
    state: EngineState = openingState(),
    faults?: FaultPlan,
    graph?: EventGraph,
  ) {
    this.#graph = graph ?? knownGraph(scenario.events);
    this.#state = state;
    this.#faults = faults ?? this.#faultsSoFar();
    this.tools = scenario.offersWait ? WAITING : undefined;
  }

  get graph(): EventGraph {
    return this.#graph;
  }
  /** The firing log, in the order of the events' fates. */
  get log(): readonly Fate[] {
    return this.#state.log;
  }
  /** The delivery log, with what waits to be told. */
  get notices(): readonly Notice[] {
    return this.#state.notices;
  }
  /** Events that have fired, in their order. */
  fired(): ScenarioEvent[] {
    return this.#state.log.flatMap(({ event, fate }) => (fate === 'fired' ? [this.#event(event)] : []));
  }

  instead(call: WovenCall): WovenAnswer | undefined {
    return this.#faults.instead(call);
  }

  after(call: WovenCall, answered: Answered): Answered {
    return this.#faults.after(call, answered);
  }

  perform(_tool: string, args: unknown, session: Session): WovenAnswer {
    return waited(args, this.#nextMoment(session.clock));
  }

  settle(entry: LedgerEntry | undefined, session: Session): void {
    const hands = {
      unmetGuard: (event: ScenarioEvent) => unmetGuard(session, event.guard),
      perform: (event: ScenarioEvent) => this.#perform(event, session),
    };
    settle(this.#state, this.#graph, entry, hands, {
      seed: this.scenario.seed,
      now: session.clock,
      calls: session.calls,
    });
  }

  /**
   * Has an event's trigger come now, whatever it is: for those who try out what would be if it came here. It fires if it may; what
   * else is due fires too.
   */
  trigger(event: string, session: Session): void {
    this.#state.armed[event] ??= session.clock;
    this.settle(undefined, session);
  }

  /** All that decides how events go on, but for the clock and how long ago others fired. */
  ahead(): Json {
    const { steps, matches, armed, log } = this.#state;
    const fates = log.map(({ event, fate }) => `${event} ${fate}`);
    return { steps, matches, armed: Object.keys(armed).sort(), fates, faults: this.#faults.save() };
  }

  #perform(event: ScenarioEvent, ground: Ground): Touch[] {
    const { effect } = event;
    if ('patch' in effect) return applyPatch(ground, effect.patch);
    if ('publish' in effect) {
      const { service, table, set } = effect.publish;
      return applyPatch(ground, [{ do: 'insert', service, table, set }]);
    }
    const rule = ruleOf(event, this.scenario.seed);
    if (rule) this.#faults = this.#faults.with(rule);
    return [];
  }

  /** What has not been told yet through a channel; it counts as told from now on. */
  tell(to: Notice['to'], calls: number): Notice[] {
    return this.#told(calls, (notice) => notice.to === to);
  }

  tellAll(calls: number): Notice[] {
    return this.#told(calls, () => true);
  }

  #told(calls: number, fits: (notice: Notice) => boolean): Notice[] {
    const due = this.#state.notices.filter((notice) => notice.delivered === undefined && fits(notice));
    for (const notice of due) notice.delivered = calls;
    return due.map((notice) => ({ ...notice }));
  }

  /** Virtual seconds until something may fire by the clock. */
  #nextMoment(now: number): number | undefined {
    const moments = this.#graph.order.flatMap((id) => {
      if (fateOf(this.#state, id)) return [];
      const event = this.#event(id);
      const own = this.#state.armed[id] === undefined ? nextMoment(event, now) : undefined;
      const delays = event.needs.flatMap(({ id: parent, delay }) => {
        const fate = fateOf(this.#state, parent);
        return fate?.fate === 'fired' && fate.at + delay > now ? [fate.at + delay] : [];
      });
      return [...(own === undefined ? [] : [own]), ...delays];
    });
    return moments.length > 0 ? Math.min(...moments) - now : undefined;
  }

  #event(id: string): ScenarioEvent {
    return this.#graph.events.get(id) as ScenarioEvent;
  }

  #faultsSoFar(): FaultPlan {
    const rules = this.fired().flatMap((event) => ruleOf(event, this.scenario.seed) ?? []);
    return new FaultPlan(rules, this.scenario.seed);
  }

  fork(): EventEngine {
    return new EventEngine(this.scenario, structuredClone(this.#state), this.#faults.fork(), this.#graph);
  }

  renewed(): EventEngine {
    return new EventEngine(this.scenario, openingState(), undefined, this.#graph);
  }

  save(): Json {
    return { state: this.#state as unknown as Json, faults: this.#faults.save() };
  }

  /** Throws `bad_parcel`. */
  loaded(saved: Json): EventEngine {
    const { state, faults } = (saved ?? {}) as { state?: Json; faults?: Json };
    const read = EngineState.safeParse(state);
    if (!read.success || faults === undefined) throw unreadable();
    const engine = new EventEngine(this.scenario, read.data, undefined, this.#graph);
    engine.#faults = engine.#faults.loaded(faults);
    return engine;
  }
}
