/** What a corpus and its exports are right now, as a lockfile says it. */
import type { Task } from '../../../artifacts/task.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { exists, namesIn, readBytes } from '../../../corpus/files.js';
import type { Broken } from '../../../corpus/freeze/compare.js';
import { LOCK_VERSION, type LockBody, type LockedTrace, type LockedWorld } from '../../../corpus/freeze/lock.js';
import { RECORD } from '../../../corpus/freeze/record.js';
import { listScenarios, readScenario } from '../../../corpus/scenarios.js';
import type { TraceLine } from '../../../corpus/traces/line.js';
import { eachTrace } from '../../../corpus/traces/read.js';
import { TreadleError } from '../../../errors.js';
import { addressOf, sha256 } from '../../../kit/hash.js';
import { ownVersion } from '../../version.js';
import { scenesIn } from '../scenes.js';
import { hashedTraces, recipeOf, seedsOf } from './recipes.js';

export interface Gathered {
  body: Omit<LockBody, 'exports'>;
  broken: Broken[];
}

export interface GatherPlan {
  /** Seeds of runs, beside those that scripted rollouts name; undefined: recipes are not looked for. */
  seeds?: readonly string[];
  onWorld?: (id: string) => void;
}

const tracesOf = (
  corpus: Corpus,
  id: string,
  tasks: ReadonlyMap<string, Task>,
  seeds: readonly string[] | undefined,
): LockedTrace[] => {
  const all = seeds === undefined ? [] : seedsOf(eachTrace(corpus, id), seeds);
  const samples = new Map<string, number>();
  const sceneOf = scenesIn(corpus, id);
  if (seeds) for (const { trace } of eachTrace(corpus, id)) samples.set(trace.task, (samples.get(trace.task) ?? 0) + 1);
  const locked = ({ line, hash }: { line: TraceLine; hash: string }): LockedTrace => {
    const { trace } = line;
    const task = tasks.get(trace.task);
    const scene = task && trace.scenario ? sceneOf(task, trace.scenario) : undefined;
    const of = task && { task, hash: trace.task, ...(scene ? { scene } : {}) };
    const again = of && seeds ? recipeOf(line, of, all, samples.get(trace.task) ?? 0) : undefined;
    return { id: trace.id, hash, ...(again ? { again } : {}) };
  };
  return Array.from(hashedTraces(corpus, id), locked);
};

/** Throws `changed_file` for a scenario that is not what was accepted. */
const scenariosOf = (corpus: Corpus, id: string): Pick<LockedWorld, 'scenarios'> => {
  const listing = listScenarios(corpus, id);
  if (!listing) return {};
  const { settings, tasks, scenarios } = listing;
  for (const head of scenarios) readScenario(corpus, id, head);
  const hashes = Object.fromEntries(scenarios.map(({ id: scenario, hash }) => [scenario, hash]));
  return { scenarios: { settings, tasks, scenarios: hashes } };
};

/** Throws what reading the world throws: `changed_file` for files that are not what the world was certified with. */
const gatherWorld = (corpus: Corpus, id: string, seeds: readonly string[] | undefined): LockedWorld => {
  // With its images: their hashes are in the snapshot, and are compared in reading.
  const { world, snapshot } = corpus.readWorld(id);
  const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [addressOf(task), task]));
  return {
    hash: addressOf(world),
    snapshot: addressOf(snapshot),
    services: Object.fromEntries(world.services.map(({ id: service, hash }) => [service, hash])),
    tasks: Object.fromEntries([...tasks].map(([hash, task]) => [task.id, hash])),
    ...scenariosOf(corpus, id),
    traces: tracesOf(corpus, id, tasks, seeds),
  };
};

/** Beside worlds, tasks and rollouts these choose what becomes a row. */
const choosers = (corpus: Corpus): string[] =>
  ['reviews.jsonl', ...corpus.worlds().map((id) => `worlds/${id}/tasks/difficulty.json`)].filter((path) =>
    exists(corpus.path(path)),
  );

/** Looks at everything; what cannot be read is told beside, not thrown. */
export const gather = (corpus: Corpus, { seeds, onWorld }: GatherPlan = {}): Gathered => {
  const worlds: Record<string, LockedWorld> = {};
  const broken: Broken[] = [];
  for (const id of corpus.worlds()) {
    onWorld?.(id);
    try {
      worlds[id] = gatherWorld(corpus, id, seeds);
    } catch (thrown) {
      if (!(thrown instanceof TreadleError)) throw thrown;
      broken.push({ world: id, why: thrown.line() });
    }
  }
  const files = Object.fromEntries(choosers(corpus).map((path) => [path, sha256(readBytes(corpus.path(path)))]));
  return { body: { treadle: LOCK_VERSION, version: ownVersion(), worlds, files }, broken };
};

/** Datasets in the corpus's own folder. */
export const ownExports = (corpus: Corpus): string[] =>
  namesIn(corpus.dir)
    .filter((name) => exists(corpus.path(name, RECORD)))
    .map((name) => corpus.path(name));
