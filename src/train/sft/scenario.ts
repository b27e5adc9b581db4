/** What a row keeps of the scenario that its rollout ran in, and where in the conversation its events fired. */
import type { Trace, TraceEvent } from '../../artifacts/trace.js';
import { SUBMIT_ANSWER } from '../../rollout/submit.js';

/**
 * Who showed what to do under the events. `resolved_reference`: a replay of the reference as it was solved again for the events, and
 * no model; `stale_plan`: of the old reference, as if nothing had happened. The paper's trajectories are a teacher model's.
 */
export const BY = {
  reference: 'resolved_reference',
  stale: 'stale_plan',
  scripted: 'scripted',
  model: 'model',
  harness: 'harness',
  none: 'none',
} as const satisfies Record<Trace['producer']['policy'], string>;

/** Every field is empty where the task stood still. */
export interface RowScenario {
  id: string;
  hash: string;
  /** Of all its events, joined by `+`; those of the events that fired are in `events` beside it. */
  sources: string;
  /** Events that fired, in their order, joined by blanks. */
  fired: string;
  by: (typeof BY)[keyof typeof BY] | '';
}

type Fired = Extract<TraceEvent, { kind: 'fate' }>;

export const firedEvents = ({ events }: Pick<Trace, 'events'>): Fired[] =>
  events.filter((event): event is Fired => event.kind === 'fate' && event.fate === 'fired');

export const rowScenario = (trace: Pick<Trace, 'scenario' | 'events' | 'producer'>): RowScenario => {
  const { scenario, producer } = trace;
  if (!scenario) return { id: '', hash: '', sources: '', fired: '', by: '' };
  return {
    id: scenario.id,
    hash: scenario.hash,
    sources: scenario.sources.join('+'),
    fired: firedEvents(trace)
      .map(({ event }) => event)
      .join(' '),
    by: BY[producer.policy],
  };
};

/** Index behind the result of the `n`-th call of the ledger; -1 where the conversation does not hold it. */
const behindCall = ({ messages }: Pick<Trace, 'messages'>, n: number): number => {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  // Calls of which the session never heard.
  const unheard = new Set(calls.flatMap(({ id, malformed }) => (malformed === undefined ? [] : [id])));
  let seen = 0;
  for (const [at, { role, name, toolCallId = '' }] of messages.entries())
    if (role === 'tool' && name !== SUBMIT_ANSWER.name && !unheard.has(toolCallId) && ++seen === n) return at + 1;
  return -1;
};

/** The first reply after an event had fired; -1 where none fired, or nothing was said after. */
export const replyAfterFiring = (trace: Pick<Trace, 'messages' | 'events'>): number => {
  const [first] = firedEvents(trace);
  const from = first ? (first.calls === 0 ? 0 : behindCall(trace, first.calls)) : -1;
  return from < 0 ? -1 : trace.messages.findIndex(({ role }, at) => at >= from && role === 'assistant');
};
