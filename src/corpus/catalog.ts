/** The index of a corpus: what is in it at a glance. Made from the files, so a lost or stale one is simply made again. */
import type { Corpus } from './corpus.js';
import { exists, writeJson } from './files.js';
import { CorpusIndex, readListing, TraceCounts, type WorldEntry } from './listings.js';

const NO_TRACES: TraceCounts = { rollouts: 0, unfinished: 0, passed: 0, producers: {} };

const countsOf = (corpus: Corpus, id: string): TraceCounts => {
  const file = corpus.path('traces', `${id}.summary.json`);
  return exists(file) ? readListing(TraceCounts, file) : NO_TRACES;
};

const entryOf = (corpus: Corpus, id: string): WorldEntry => {
  const { company, country, industry, rows, invariants, services } = corpus.readSurface(id);
  const { tasks, dropped } = corpus.listTasks(id);
  return {
    id,
    company,
    country,
    industry: industry.naics,
    services: services.map(({ id: service }) => service),
    tools: services.reduce((sum, { tools }) => sum + tools.length, 0),
    tables: services.reduce((sum, { tables }) => sum + tables.length, 0),
    rows,
    invariants,
    certified: corpus.worldCertificate(id)?.pass ?? false,
    tasks: tasks.length,
    dropped: dropped.length,
    ...countsOf(corpus, id),
  };
};

/** The index as the files say. */
const indexOf = (corpus: Corpus): CorpusIndex => ({
  treadle: 'index/1',
  worlds: corpus.worlds().map((id) => entryOf(corpus, id)),
});

/** Reads every world and writes index.json. */
export const rebuildIndex = (corpus: Corpus): CorpusIndex => {
  const index = indexOf(corpus);
  writeJson(corpus.path('index.json'), index);
  return index;
};

/** The kept index, or a new one when it is lost, unreadable or names other worlds than the folder holds. */
export const readIndex = (corpus: Corpus): CorpusIndex => {
  try {
    const index = readListing(CorpusIndex, corpus.path('index.json'));
    if (index.worlds.map(({ id }) => id).join() === corpus.worlds().join()) return index;
  } catch {
    // An index is a convenience: whatever is wrong with it, the files are the truth.
  }
  const index = indexOf(corpus);
  try {
    writeJson(corpus.path('index.json'), index);
  } catch {
    // A corpus that may only be read can still be looked at.
  }
  return index;
};
