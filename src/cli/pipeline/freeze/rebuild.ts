/** Makes frozen datasets again: the rollouts that are gone from their seeds, then each export by its own command. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Corpus } from '../../../corpus/corpus.js';
import { exists, makeFolder, namesIn } from '../../../corpus/files.js';
import { type Difference, exportDifferences } from '../../../corpus/freeze/compare.js';
import type { Lock, LockedExport, LockedWorld } from '../../../corpus/freeze/lock.js';
import { datasetHashes, inputHashes, RECORD } from '../../../corpus/freeze/record.js';
import { readScenarios } from '../../../corpus/scenarios.js';
import type { TraceLine } from '../../../corpus/traces/line.js';
import { TraceWriter } from '../../../corpus/traces/writer.js';
import { TreadleError } from '../../../errors.js';
import { addressOf } from '../../../kit/hash.js';
import { loadWorld, unloadWorld } from '../../../world/loaded.js';
import { Engine } from '../../../world/state/engine.js';
import { writeCounts } from '../roll/tally.js';
import { keepTraces } from '../rollouts.js';
import { hashedTraces, lineHash, makeAgain } from './recipes.js';
import { putScenariosInto, restoreScenarios, showWorld } from './restore-scenarios.js';

export interface RestoredTraces {
  /** By id, as they were frozen. */
  kept: number;
  /** Those that were made again. */
  fresh: TraceLine[];
  differences: Difference[];
}

/** A world's rollouts as they were frozen, in their order: those that are here still, and the others made again. */
const restoreWorld = async (
  corpus: Corpus,
  id: string,
  { traces }: LockedWorld,
  into: Corpus,
  engine: () => Promise<Engine>,
): Promise<RestoredTraces> => {
  const here = new Map<string, TraceLine>();
  const wanted = new Map(traces.map((trace) => [trace.id, trace.hash]));
  for (const { line, hash } of hashedTraces(corpus, id, (head) => wanted.has(head.id)))
    if (hash === wanted.get(line.trace.id)) here.set(line.trace.id, line);
  const lost = traces.filter((trace) => !here.has(trace.id));
  const done: RestoredTraces = { kept: here.size, fresh: [], differences: [] };
  if (lost.some(({ again }) => again !== undefined)) {
    const world = loadWorld(await engine(), corpus.readWorld(id));
    const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [task.id, task]));
    const scenes = new Map(readScenarios(into, id).map((scenario) => [scenario.id, scenario]));
    for (const { id: trace, hash: frozen, again } of lost) {
      const task = again && tasks.get(again.task);
      const scenario = again?.scenario === undefined ? undefined : scenes.get(again.scenario);
      if (again === undefined || task === undefined || (again.scenario !== undefined && !scenario)) continue;
      const scene = scenario ? { scene: { scenario, hash: addressOf(scenario) } } : {};
      const line = await makeAgain(world, { task, hash: addressOf(task), ...scene }, again);
      if (line.trace.id !== trace || lineHash(line) !== frozen) continue;
      here.set(trace, line);
      done.fresh.push(line);
    }
    unloadWorld(world);
  }
  done.differences = traces.flatMap((trace): Difference[] =>
    here.has(trace.id) ? [] : [{ what: 'rollout', name: `${id}/${trace.id}`, is: trace.again ? 'changed' : 'missing' }],
  );
  if (done.differences.length === 0 && traces.length > 0)
    keepTraces(
      into,
      id,
      traces.map((trace) => here.get(trace.id) as TraceLine),
    );
  return done;
};

/** Puts those that were made again beside what is there, in the frozen order; the lines that are there stay as they are. */
const putInto = (corpus: Corpus, id: string, { traces }: LockedWorld, fresh: readonly TraceLine[]): void => {
  const writer = TraceWriter.open(corpus, id);
  try {
    for (const line of fresh) writer.append(line);
    writer.settle(traces.map((trace) => trace.id));
    writeCounts(corpus, id, writer.heads());
  } finally {
    writer.close();
  }
};

/** A folder that shows the corpus with exactly the frozen rollouts and scenarios; the corpus itself is not touched. */
const scratchCorpus = (corpus: Corpus, { worlds }: Lock): { dir: string; unmade: string[] } => {
  const dir = mkdtempSync(join(tmpdir(), 'treadle-rebuild-'));
  for (const name of namesIn(corpus.dir)) {
    if (name === 'traces' || name === 'worlds' || exists(corpus.path(name, RECORD))) continue;
    symlinkSync(resolve(corpus.path(name)), join(dir, name), 'junction');
  }
  const unmade = corpus.worlds().filter((id) => showWorld(corpus, id, worlds[id], dir));
  return { dir, unmade };
};

const runExport = (corpus: string, { command }: LockedExport, out: string): void => {
  const [, ...args] = command;
  const nested = args[0] !== undefined && !args[0].startsWith('-') ? args.splice(0, 1) : [];
  const all = [process.argv[1] as string, 'export', ...nested, corpus, ...args, '--out', out, '--json'];
  const ran = spawnSync(process.execPath, all, { encoding: 'utf8', maxBuffer: 1 << 28 });
  // 1 says that no row came of it, which is what was frozen then.
  if (ran.status === 0 || ran.status === 1) return;
  throw new TreadleError({
    code: 'rebuild_failed',
    message: `The export that was frozen fails now: ${ran.stderr.split('\n').find((line) => line.startsWith('error ')) ?? ran.stderr.slice(0, 300)}`,
    value: command.join(' ').slice(0, 200),
    next: 'Run that command by itself to see why.',
  });
};

export interface Rebuilt {
  traces: { kept: number; again: number };
  /** Scenarios that were made again. */
  scenarios: { again: number };
  exports: { dir: string; files: number; isThere?: true }[];
  differences: Difference[];
}

/** Where an export goes: its place in the corpus, or `out`. Throws `out_needed` for one that was outside. */
const targetOf = (corpus: Corpus, { dir }: LockedExport, out: string | undefined): string => {
  if (out !== undefined) return join(out, basename(dir));
  if (!dir.split('/').includes('..') && !dir.startsWith('/')) return corpus.path(dir);
  throw new TreadleError({
    code: 'out_needed',
    message: 'This export was not in the corpus, and a lockfile does not choose folders elsewhere',
    value: dir,
    next: 'Name a folder with --out.',
  });
};

const buildOne = (corpusDir: string, locked: LockedExport, target: string): Difference[] => {
  const part = `${target}.rebuilding`;
  rmSync(part, { recursive: true, force: true });
  try {
    makeFolder(part);
    runExport(corpusDir, locked, part);
    const files = datasetHashes(part) ?? {};
    const differences = exportDifferences(locked, { files, inputs: inputHashes(locked.command) });
    if (differences.length === 0) renameSync(part, target);
    return differences;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
};

export interface RebuildPlan {
  out?: string | undefined;
  /** Keeps the rollouts and scenarios that were made again in the corpus. */
  putBack: boolean;
  onWorld: (id: string) => void;
}

/** The corpus must be as it was frozen but for its rollouts. Nothing is written over, and only what is identical is put in place. */
export const rebuild = async (corpus: Corpus, lock: Lock, { out, putBack, onWorld }: RebuildPlan): Promise<Rebuilt> => {
  const rebuilt: Rebuilt = {
    traces: { kept: 0, again: 0 },
    scenarios: { again: 0 },
    exports: [],
    differences: [],
  };
  const targets = lock.exports.map((locked) => ({ locked, target: targetOf(corpus, locked, out) }));
  const { dir, unmade } = scratchCorpus(corpus, lock);
  let engine: Engine | undefined;
  try {
    const scratch = Corpus.open(dir);
    for (const [id, world] of Object.entries(lock.worlds)) {
      onWorld(id);
      const started = async (): Promise<Engine> => (engine ??= await Engine.start());
      if (unmade.includes(id)) {
        const made = await restoreScenarios(scratch, id, world, started);
        rebuilt.scenarios.again += made.again;
        rebuilt.differences.push(...made.differences);
        if (made.differences.length > 0) continue;
        if (putBack) putScenariosInto(corpus, scratch, id);
      }
      const done = await restoreWorld(corpus, id, world, scratch, started);
      rebuilt.traces.kept += done.kept;
      rebuilt.traces.again += done.fresh.length;
      if (putBack && done.fresh.length > 0 && done.differences.length === 0) putInto(corpus, id, world, done.fresh);
      rebuilt.differences.push(...done.differences);
    }
    if (rebuilt.differences.length > 0) return rebuilt;
    for (const { locked, target } of targets) {
      const files = Object.keys(locked.files).length;
      if (existsSync(target) && namesIn(target).length > 0) {
        const same =
          exportDifferences(locked, { files: datasetHashes(target) ?? {}, inputs: locked.inputs }).length === 0;
        if (!same)
          throw new TreadleError({
            code: 'not_empty',
            message: 'The folder holds something else than what was frozen',
            value: target,
            next: 'Move it away, or rebuild into another folder with --out.',
          });
        rebuilt.exports.push({ dir: target, files, isThere: true });
        continue;
      }
      const differences = buildOne(dir, locked, target);
      rebuilt.differences.push(...differences);
      if (differences.length === 0) rebuilt.exports.push({ dir: target, files });
    }
    return rebuilt;
  } finally {
    engine?.close();
    rmSync(dir, { recursive: true, force: true });
  }
};
