/**
 * What happens after a call, before the agent acts again: successful calls are matched, what is due by the clock or by chance is
 * armed, and armed events fire parents first (dynamics.md, "Graph and engine"). Events never interrupt a call.
 */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { LedgerEntry, Touch } from '../../artifacts/trace.js';
import { asTreadleError } from '../../errors.js';
import type { EventGraph } from '../graph.js';
import { type EngineState, type Fate, fateOf } from './state.js';
import { isMatch, isTriggered, lastMoment } from './triggers.js';

/** What an engine does to the session it is woven into. */
export interface Hands {
  /** The first guard that does not hold, in words. */
  unmetGuard(event: ScenarioEvent): string | undefined;
  /** Does what the event does; the rows it changed. Throws where it cannot be done, and nothing has changed then. */
  perform(event: ScenarioEvent): Touch[];
}

export interface Moment {
  seed: string;
  /** Virtual time after the call, unix seconds. */
  now: number;
  /** Calls in the ledger. */
  calls: number;
}

/** Why an event can never fire any more. */
const lost = (
  event: ScenarioEvent,
  graph: EventGraph,
  state: EngineState,
  now: number,
): Pick<Fate, 'fate' | 'reason'> | undefined => {
  for (const { id } of event.needs) {
    const parent = fateOf(state, id);
    if (parent && parent.fate !== 'fired')
      return { fate: 'skipped', reason: `${id} ${parent.fate === 'expired' ? 'expired' : 'was skipped'}` };
  }
  const rival = graph.rivals.get(event.id)?.find((id) => fateOf(state, id)?.fate === 'fired');
  if (rival !== undefined) return { fate: 'skipped', reason: `${rival} fired, which excludes it` };
  const end = lastMoment(event);
  if (end !== undefined && now > end) return { fate: 'expired', reason: 'its time was over' };
  return undefined;
};

const isReady = (event: ScenarioEvent, state: EngineState, now: number): boolean =>
  event.needs.every(({ id, delay }) => {
    const parent = fateOf(state, id);
    return parent?.fate === 'fired' && now >= parent.at + delay;
  });

const fire = (event: ScenarioEvent, hands: Hands): Pick<Fate, 'fate' | 'reason' | 'touched'> => {
  try {
    const unmet = hands.unmetGuard(event);
    if (unmet !== undefined) return { fate: 'skipped', reason: unmet, touched: [] };
    return { fate: 'fired', touched: hands.perform(event) };
  } catch (thrown) {
    // Said, never swallowed: what needs it is skipped too.
    return { fate: 'skipped', reason: asTreadleError(thrown, 'task').line(), touched: [] };
  }
};

const notify = (state: EngineState, { id, notify: { to, text }, effect }: ScenarioEvent, at: number): void => {
  const words = text ?? ('say' in effect ? effect.say : undefined);
  if (to !== 'none' && words !== undefined) state.notices.push({ event: id, to, text: words, at });
};

/** One step: changes `state`, and by `hands` the session. */
export const settle = (
  state: EngineState,
  graph: EventGraph,
  call: LedgerEntry | undefined,
  hands: Hands,
  { seed, now, calls }: Moment,
): void => {
  state.steps++;
  if (state.log.length === graph.order.length) return;
  // Parents come first in the order, so that one pass is enough.
  for (const event of graph.ordered) {
    const { id } = event;
    if (fateOf(state, id)) continue;
    if (call && isMatch(event, call)) state.matches[id] = (state.matches[id] ?? 0) + 1;
    const gone = lost(event, graph, state, now);
    if (gone) {
      state.log.push({ event: id, ...gone, at: now, calls, touched: [] });
      continue;
    }
    if (state.armed[id] === undefined) {
      if (!isTriggered(event, { seed, step: state.steps, now, matches: state.matches[id] ?? 0 })) continue;
      state.armed[id] = now;
    }
    if (!isReady(event, state, now)) continue;
    const fate = fire(event, hands);
    state.log.push({ event: id, ...fate, at: now, calls });
    if (fate.fate === 'fired') notify(state, event, now);
  }
};
