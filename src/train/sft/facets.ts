/** What rows are told apart by: for filters (`--only`) and for the arms of ablations (`--mix`). */
import type { Producer, Trace } from '../../artifacts/trace.js';
import { outcomeOf } from '../../rollout/outcome.js';
import type { ExportItem } from './row.js';

export const FACETS = [
  'user',
  'detail',
  'harness',
  'policy',
  'model',
  'producer',
  'kind',
  'profile',
  'event',
  'scenario',
  'origin',
  'template',
  'world',
] as const;
export type Facet = (typeof FACETS)[number];
export type Facets = Readonly<Record<Facet, string>>;

/** The model that wrote it; empty for a replay. */
export const modelOf = ({ policy, name, model }: Producer): string => model ?? (policy === 'model' ? name : '');

/** `react` is our own loop around a model; empty for a replay. */
export const harnessOf = ({ policy, name }: Producer): string =>
  policy === 'harness' ? name : policy === 'model' ? 'react' : '';

/** `reference`, `scripted`, `model m1`, `harness openclaw m1`. */
export const producerName = ({ policy, name, model }: Producer): string => {
  if (policy === name || policy === 'scripted') return policy;
  return [policy, name, ...(policy === 'harness' && model ? [model] : [])].join(' ');
};

/**
 * Sources of the events of a dynamic scenario (dynaweave.txt: task requirement, environment state, external information), and
 * `fault` where an injected fault struck a call.
 */
export const eventsOf = ({ events, ledger }: Trace): string => {
  const sources = events.flatMap((event) => (event.kind === 'fate' && event.fate === 'fired' ? [event.source] : []));
  const struck = ledger.some(({ injected }) => injected !== undefined) ? ['fault'] : [];
  return [...new Set([...sources, ...struck])].sort().join('+');
};

/** Failed, or an attempt that prefix-preserving sampling dropped, whatever its verdict says. */
export const isNegative = ({ trace, verdict }: Pick<ExportItem, 'trace' | 'verdict'>): boolean =>
  trace.origin?.kind === 'negative' || outcomeOf(trace, verdict).outcome !== 'passed';

/** Every facet has a value: `none` where it does not apply; `scenario` is `with` or `without`. */
export const facetsOf = ({ trace, task }: Pick<ExportItem, 'trace' | 'task'>): Facets => {
  const { producer, user, detail, origin } = trace;
  return {
    user,
    detail,
    harness: harnessOf(producer) || 'none',
    policy: producer.policy,
    model: modelOf(producer) || 'none',
    producer: producerName(producer),
    kind: task.kind,
    profile: task.profile ?? 'none',
    event: eventsOf(trace) || 'none',
    scenario: trace.scenario ? 'with' : 'without',
    origin: origin?.kind ?? 'whole',
    template: task.lineage.template,
    world: task.worldId,
  };
};
