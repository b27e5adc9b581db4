/** Success in scenarios by where the events that fired came from. Ours: the papers give success over whole benchmarks only. */
import { EVENT_SOURCES, type EventSource } from '../../artifacts/trace.js';
import { type Estimate, share } from './estimate.js';

export interface SourcedRun {
  passed: boolean;
  /** Of the events that fired, each once. */
  sources: readonly EventSource[];
}

export interface SourceFigures {
  /** Success of all of them, in per cent. */
  all: Estimate;
  /** Of the runs in which an event of the source fired: a run counts for each of its sources. */
  sources: Record<EventSource, Estimate>;
  /** Of the runs in which no event fired. */
  nothing: Estimate;
}

export const sourceFigures = (runs: readonly SourcedRun[]): SourceFigures => {
  const of = (some: readonly SourcedRun[]): Estimate => share(some.filter(({ passed }) => passed).length, some.length);
  const bySource = EVENT_SOURCES.map((source) => [source, of(runs.filter((run) => run.sources.includes(source)))]);
  return {
    all: of(runs),
    sources: Object.fromEntries(bySource) as Record<EventSource, Estimate>,
    nothing: of(runs.filter(({ sources }) => sources.length === 0)),
  };
};
