// Task libraries by Algorithm 1 over many worlds: coverage, what the gate accepts and refuses, and what a task costs.
// `npm run bench -- tasks [--worlds N] [--corpus DIR] [--jobs N] [--small]`: 500 worlds of DIR (which is only read), or of a sweep
// built first; `--small`: 2. The workers are the built ones: `npm run build` first. `null_pass` and `reference_pass` are of the
// kept tasks, run once more on worlds loaded anew; `alternative_pass` (right solutions accepted) and `mutant_kill` (wrong ones
// refused, by kind) are of every task that came as far as that in the gate, the dropped ones too. `minutes_for_43300` is what
// AgentMercury's number of tasks would take at this cost of processor time on two cores.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { noInterrupt } from '../src/cli/interrupt.js';
import { build } from '../src/cli/pipeline/build.js';
import { makeLibraries } from '../src/cli/pipeline/library/crew.js';
import { countriesOf, industriesOf, sweep } from '../src/cli/pipeline/sweep.js';
import { makeUi } from '../src/cli/ui.js';
import { Corpus } from '../src/corpus/corpus.js';
import { type GateTally, type LibraryReport, readLibrary } from '../src/corpus/library.js';
import { elapsedMs } from '../src/kit/clock.js';
import { addressOf } from '../src/kit/hash.js';
import { prepareGround } from '../src/tasks/ground/ground.js';
import { groundFor } from '../src/tasks/ground/grounded.js';
import { addTally, emptyTally } from '../src/tasks/library/tally.js';
import { passes } from '../src/tasks/replay.js';
import { loadWorld, unloadWorld } from '../src/world/loaded.js';
import { Engine } from '../src/world/state/engine.js';

const SETTINGS = { seed: 'bench', coverage: 0.9, rounds: 4 };
const MERCURY = 43_300;
const CORES = 2;

const given = (args: readonly string[], name: string): string | undefined =>
  args.includes(name) ? args[args.indexOf(name) + 1] : undefined;

const share = (part: number, whole: number, digits = 4): number =>
  Number((whole === 0 ? 0 : part / whole).toFixed(digits));

/** A corpus with the worlds of another one, linked; only their tasks are its own. */
const linked = (from: Corpus, to: string, most: number): Corpus => {
  mkdirSync(to, { recursive: true });
  cpSync(from.path('treadle.json'), join(to, 'treadle.json'));
  const all = from.worlds();
  // Spread over the corpus: worlds of one trade often lie together.
  const every = Math.max(1, Math.floor(all.length / most));
  for (const id of all.filter((_, i) => i % every === 0).slice(0, most)) {
    const at = join(to, 'worlds', id);
    mkdirSync(at, { recursive: true });
    for (const name of [
      'world.yaml',
      'snapshot.yaml',
      'parsed.jsonl',
      'surface.json',
      'services',
      'data',
      'certificates',
    ])
      symlinkSync(resolve(from.path('worlds', id, name)), join(at, name));
  }
  return Corpus.open(to);
};

/** Worlds of a sweep, without proofs of determinism: they are not what is measured. */
const built = async (out: string, worlds: number): Promise<Corpus> => {
  const input = sweep(countriesOf('50'), industriesOf('all', SETTINGS.seed), SETTINGS.seed);
  const options = { input, worlds, tasks: 1, seed: SETTINGS.seed, out, pins: {}, skipDeterminism: true };
  await build(options, makeUi(false, true), noInterrupt, { rows: false });
  return Corpus.open(out);
};

interface Rerun {
  tasks: number;
  nullPass: number;
  referencePass: number;
}

/** Runs every kept task again on its world, loaded anew. */
const rerun = (engine: Engine, corpus: Corpus, id: string, counts: Rerun): void => {
  const world = loadWorld(engine, corpus.readWorld(id));
  const ground = prepareGround(world);
  for (const task of corpus.readTasks(id).tasks) {
    const hash = addressOf(task);
    counts.tasks++;
    const own = groundFor(ground, task);
    if (passes(own.ground, task, { calls: [], answer: '' }, hash)) counts.nullPass++;
    if (passes(own.ground, task, task.reference, hash)) counts.referencePass++;
    own.drop();
  }
  unloadWorld(world);
};

const shown = (reason: string): string => reason.replace(/\d+/g, '#').split(/[:;]/)[0]?.slice(0, 60) ?? '';

const byReason = (reports: readonly LibraryReport[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const { services } of reports)
    for (const { uncovered } of services)
      for (const { reason } of uncovered) counts.set(shown(reason), (counts.get(shown(reason)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]).slice(0, 12));
};

const killsOf = ({ mutants }: GateTally): Record<string, number> =>
  Object.fromEntries(
    Object.entries(mutants)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([kind, { made, failed }]) => [kind, share(failed, made)]),
  );

export const main = async (args: string[]): Promise<Record<string, unknown>> => {
  const small = args.includes('--small');
  const worlds = Number(given(args, '--worlds') ?? (small ? 2 : 500));
  const jobs = Number(given(args, '--jobs') ?? Math.min(worlds, availableParallelism()));
  const from = given(args, '--corpus');
  const dir = mkdtempSync(join(tmpdir(), 'treadle-bench-tasks-'));
  try {
    const corpus = from
      ? linked(Corpus.open(from), join(dir, 'linked'), worlds)
      : await built(join(dir, 'built'), worlds);
    const ids = corpus.worlds();
    const start = elapsedMs();
    let cpu = 0;
    let done = 0;
    await makeLibraries({
      dir: corpus.dir,
      worlds: ids,
      wanted: SETTINGS,
      jobs: Math.max(2, jobs),
      interrupt: noInterrupt,
      onMade: ({ cpuS }) => {
        cpu += cpuS;
        if (++done % 50 === 0) console.log(`${done} of ${ids.length} worlds, ${cpu.toFixed(0)} s of processor time`);
      },
    });
    const seconds = (elapsedMs() - start) / 1000;
    const reports = ids.flatMap((id) => readLibrary(corpus, id) ?? []);
    const tally = emptyTally();
    for (const { gate } of reports) addTally(tally, gate);
    const counts: Rerun = { tasks: 0, nullPass: 0, referencePass: 0 };
    const engine = await Engine.start();
    for (const id of ids) rerun(engine, corpus, id, counts);
    engine.close();
    const mutants = Object.values(tally.mutants);
    const services = reports.flatMap((report) => report.services);
    const covers = reports.map(({ coverage }) => coverage).sort((a, b) => a - b);
    return {
      worlds: reports.length,
      services: services.length,
      tools: reports.reduce((sum, { tools }) => sum + tools, 0),
      tasks: counts.tasks,
      tasks_a_world: share(counts.tasks, reports.length, 1),
      errands: reports.reduce((sum, { errands }) => sum + errands.length, 0),
      redundant: services.reduce((sum, { redundant }) => sum + redundant.length, 0),
      coverage_mean: share(
        covers.reduce((sum, value) => sum + value, 0),
        covers.length,
      ),
      coverage_min: covers[0] ?? 0,
      coverage_p5: covers[Math.floor(covers.length * 0.05)] ?? 0,
      worlds_below_target: covers.filter((value) => value < SETTINGS.coverage).length,
      rounds_mean: share(
        services.reduce((sum, { rounds }) => sum + rounds.length, 0),
        services.length,
        2,
      ),
      null_pass: share(counts.nullPass, counts.tasks),
      reference_pass: share(counts.referencePass, counts.tasks),
      gated: tally.gated,
      gate_passed: tally.passed,
      dropped: tally.dropped,
      uncovered_because: byReason(reports),
      alternatives_tried: tally.alternatives.tried,
      alternative_pass: share(tally.alternatives.accepted, tally.alternatives.tried, 5),
      mutants_tried: mutants.reduce((sum, { made }) => sum + made, 0),
      mutant_kill_all: share(
        mutants.reduce((sum, { failed }) => sum + failed, 0),
        mutants.reduce((sum, { made }) => sum + made, 0),
        5,
      ),
      mutant_kill: killsOf(tally),
      jobs: Math.max(2, jobs),
      cpu_s: Number(cpu.toFixed(1)),
      cpu_ms_a_task: share(cpu * 1000, counts.tasks, 1),
      tasks_per_s: share(counts.tasks, seconds, 1),
      tasks_per_cpu_s: share(counts.tasks, cpu, 1),
      seconds: Number(seconds.toFixed(1)),
      minutes_for_43300: share((cpu / Math.max(1, counts.tasks)) * MERCURY, CORES * 60, 1),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
