/** A world's library as the corpus keeps it. */
import type { LibraryReport, LibrarySettings, ModelTally } from '../../corpus/library.js';
import type { LoadedWorld } from '../../world/loaded.js';
import { coveredBy } from './orthogonality.js';
import type { ServiceLibrary, WorldLibrary } from './world.js';

const digits = (value: number): number => Number(value.toFixed(4));

const serviceEntry = ({ service, tools, result, gaps }: ServiceLibrary): LibraryReport['services'][number] => ({
  service: service.id,
  tools: tools.length,
  coverage: digits(result.coverage),
  stopped: result.stopped,
  rounds: result.rounds.map((round) => ({ ...round, coverage: digits(round.coverage) })),
  retained: result.retained.map(({ id }) => id),
  redundant: result.redundant,
  failures: result.failures.map(({ proposal, diagnostics }) => ({
    id: proposal.id,
    target: proposal.target,
    diagnostics: [...diagnostics],
  })),
  uncovered: gaps.map(({ tool, reason }) => ({ tool, reason })),
});

/** Coverage of the world: tools of any service in the chains of any retained task, over all tools. */
export const libraryReport = (
  { spec, hash }: Pick<LoadedWorld, 'spec' | 'hash'>,
  { services, errands, tally }: WorldLibrary,
  settings: LibrarySettings,
  sampled: readonly string[] = [],
  byModel?: ModelTally,
): LibraryReport => {
  const tools = services.flatMap((library) => library.tools);
  const retained = services.flatMap(({ result }) => result.retained);
  return {
    treadle: 'library/1',
    world: spec.id,
    worldHash: hash,
    settings,
    tools: tools.length,
    coverage: digits(tools.length === 0 ? 1 : coveredBy(retained, tools).length / tools.length),
    services: services.map(serviceEntry),
    errands: errands.map(({ id }) => id),
    sampled: [...sampled],
    gate: tally,
    ...(byModel ? { byModel } : {}),
  };
};
