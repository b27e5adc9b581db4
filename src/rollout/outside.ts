/** The world outside a rollout, as its loop hears of it: a scenario's notices, and what became of its events (dynamics.md). */
import type { Scenario, ScenarioEvent } from '../artifacts/scenario.js';
import type { EventSource, Trace, TraceEvent } from '../artifacts/trace.js';
import type { EventEngine } from '../dynamics/engine/engine.js';
import type { Fate, Notice } from '../dynamics/engine/state.js';
import { noticeText } from '../serve/sessions/notices.js';
import type { Run } from './run.js';

type Tells = NonNullable<ScenarioEvent['notify']['tells']>;

/** Something to be told, with what a simulated user knows otherwise from then on. */
export interface Told extends Notice {
  tells: Tells;
}

export interface Outside {
  /** What has come up and was not told yet; it counts as told from now on. `calls`: made so far. */
  due(calls: number): readonly Told[];
  /** Everything so far: firing log, then delivery log. */
  events(): TraceEvent[];
  /** For the trace. */
  scenario: NonNullable<Trace['scenario']>;
}

/** The source of an event; information that revises nothing is a distractor. */
export const sourceOf = ({ source, effect }: Pick<ScenarioEvent, 'source' | 'effect'>): EventSource =>
  'publish' in effect && !effect.publish.authoritative ? 'distractor' : source;

const fateEvent = (engine: EventEngine, { event, fate, at, calls, reason, touched }: Fate): TraceEvent => {
  const own = engine.graph.events.get(event);
  return {
    kind: 'fate',
    event,
    source: own ? sourceOf(own) : 'state',
    fate,
    at,
    calls,
    ...(reason === undefined ? {} : { reason }),
    touched,
  };
};

/** A scenario as a trace names it. */
export const scenarioFacts = ({ scenario, hash }: { scenario: Scenario; hash: string }): Outside['scenario'] => ({
  id: scenario.id,
  hash,
  sources: [...new Set(scenario.events.map(sourceOf))].sort(),
});

/** An engine heard by one rollout. */
export const outsideOf = (engine: EventEngine, scene: { scenario: Scenario; hash: string }): Outside => {
  return {
    scenario: scenarioFacts(scene),
    due: (calls) =>
      [...engine.tell('user', calls), ...engine.tell('environment', calls)].map((notice) => ({
        ...notice,
        tells: engine.graph.events.get(notice.event)?.notify.tells ?? [],
      })),
    events: () => engine.log.map((fate) => fateEvent(engine, fate)),
  };
};

/** How a notice stands in a conversation: what the user says is the user's message, all else is marked as what it is. */
export const noticeMessage = ({ to, text }: Pick<Notice, 'to' | 'text'>): string =>
  to === 'user' ? text : noticeText({ to, text });

/** Adds what has come up to the conversation, once the calls of a turn are answered. */
export const hearOutside = (run: Run, outside: Outside | undefined): void => {
  for (const told of outside?.due(run.ledger.length) ?? []) {
    const { event, to, text, at, tells } = told;
    const message = run.messages.length;
    if (to === 'user' && run.conversation) run.conversation.interject(text, tells, run.messages);
    else run.messages.push({ role: 'user', content: noticeMessage(told) });
    run.notices.push({ kind: 'notice', event, to, text, at, calls: run.ledger.length, message });
  }
};
