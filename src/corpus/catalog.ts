/** The index of a corpus: what is in it at a glance. Made from the files, so a lost or stale one is simply made again. */
import { parseArtifact } from '../artifacts/registry.js';
import type { Corpus } from './corpus.js';
import { exists, readData, writeJson } from './files.js';

export interface WorldEntry {
  id: string;
  company: string;
  country: string;
  services: string[];
  tools: number;
  rows: number;
  invariants: number;
  certified: boolean;
  tasks: number;
  dropped: number;
  rollouts: number;
  passed: number;
}

export interface CorpusIndex {
  treadle: 'index/1';
  worlds: WorldEntry[];
}

const lines = (corpus: Corpus, id: string): { rollouts: number; passed: number } => {
  const file = corpus.path('traces', `${id}.summary.json`);
  return exists(file) ? (readData(file) as { rollouts: number; passed: number }) : { rollouts: 0, passed: 0 };
};

const entryOf = (corpus: Corpus, id: string): WorldEntry => {
  const at = (...parts: string[]): string => corpus.path('worlds', id, ...parts);
  const world = parseArtifact('world', readData(at('world.yaml')), at('world.yaml'));
  const certificate = exists(at('certificates', 'world.json'))
    ? parseArtifact('certificate', readData(at('certificates', 'world.json')), at('certificates', 'world.json'))
    : undefined;
  const tools = world.services.reduce(
    (sum, { id: service }) =>
      sum + Object.keys((readData(at('services', `${service}.json`)) as { tools: object }).tools).length,
    0,
  );
  const index = corpus.hasTasks(id)
    ? (readData(at('tasks', 'index.json')) as { tasks: unknown[]; dropped: unknown[] })
    : { tasks: [], dropped: [] };
  return {
    id,
    company: world.company.name,
    country: world.company.country,
    services: world.services.map(({ id: service }) => service),
    tools,
    rows: Object.values(world.rows)
      .flatMap((tables) => Object.values(tables))
      .reduce((sum, n) => sum + n, 0),
    invariants: world.invariants.length,
    certified: certificate?.pass ?? false,
    tasks: index.tasks.length,
    dropped: index.dropped.length,
    ...lines(corpus, id),
  };
};

/** Reads every world and writes index.json. */
export const rebuildIndex = (corpus: Corpus): CorpusIndex => {
  const index: CorpusIndex = { treadle: 'index/1', worlds: corpus.worlds().map((id) => entryOf(corpus, id)) };
  writeJson(corpus.path('index.json'), index);
  return index;
};

/** The kept index, or a new one when it is lost, unreadable or names other worlds than the folder holds. */
export const readIndex = (corpus: Corpus): CorpusIndex => {
  const file = corpus.path('index.json');
  try {
    const index = readData(file) as CorpusIndex;
    const same = index.treadle === 'index/1' && index.worlds.map(({ id }) => id).join() === corpus.worlds().join();
    if (same) return index;
  } catch {
    // An index is a convenience: whatever is wrong with it, the files are the truth.
  }
  return rebuildIndex(corpus);
};
