/** `treadle build`: the whole flow, slot by slot; what is finished is on disk before the next begins. */

import type { Pins } from '../../author/catalogue/author.js';
import { certifyWorld } from '../../certify/certify.js';
import { checkDeterminism } from '../../certify/determinism/processes.js';
import type { Job } from '../../certify/determinism/script.js';
import { readIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { writeReport } from '../report/report.js';
import type { Ui } from '../ui.js';
import { type Drafting, draftsOf } from './drafts.js';
import type { Input } from './input.js';
import { type BuildRecord, openRecord, saveRecord } from './record.js';
import { keepTraces, rollWorld } from './rollouts.js';
import { exportCorpus } from './rows.js';
import { type MadeWorld, makeWorld, whyNot } from './world.js';

export interface BuildOptions {
  input: Input;
  worlds: number;
  tasks: number;
  seed: string;
  out: string;
  pins: Pins;
  /** Leaves out the two fresh processes of validator 11; benchmarks of one process only. */
  skipDeterminism?: boolean;
}

export interface BuildSummary {
  out: string;
  worlds: number;
  certified: number;
  tasks: number;
  tasksDropped: number;
  rollouts: number;
  passed: number;
  rows: number;
  dropped: { what: string; why: string }[];
  /** Milliseconds a stage took. */
  timesMs: Record<string, number>;
  report: string;
}

/** Drafts tried for one world before the slot is given up. */
const ATTEMPTS = 3;

interface Run {
  options: BuildOptions;
  ui: Ui;
  corpus: Corpus;
  engine: Engine;
  record: BuildRecord;
  jobs: Job[];
  timesMs: Record<string, number>;
  interrupted: () => boolean;
}

const timed = async <T>(run: Run, stage: string, work: () => Promise<T> | T): Promise<T> => {
  const start = elapsedMs();
  try {
    return await work();
  } finally {
    run.timesMs[stage] = (run.timesMs[stage] ?? 0) + (elapsedMs() - start);
  }
};

/** A certified world for a slot, or undefined when every attempt failed; what failed is recorded. */
const makeSlot = (run: Run, drafting: Drafting, index: number): MadeWorld | undefined => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draft = drafting.draft(index, attempt);
    const made = makeWorld(run.engine, draft, elapsedMs);
    run.timesMs.author = (run.timesMs.author ?? 0) + made.timesMs.author;
    run.timesMs.certify = (run.timesMs.certify ?? 0) + made.timesMs.certify;
    run.record.dropped.push(...made.dropped);
    const why = whyNot(made);
    if (why === undefined) return made;
    run.record.dropped.push({ what: `world ${draft.id}`, why });
    unloadWorld(made.loaded);
  }
  return undefined;
};

const writeSlot = (run: Run, made: MadeWorld): void => {
  const { built, certified } = made;
  run.corpus.writeWorld({ ...built, certificates: { ...certified.services, world: certified.certificate } });
};

const finishSlot = async (run: Run, world: LoadedWorld, calls: Job['calls']): Promise<void> => {
  const { corpus, options, ui } = run;
  const id = world.spec.id;
  if (!corpus.hasTasks(id)) {
    const onTry = (kept: number, tried: number): void =>
      ui.progress(`${world.spec.company.name}: ${kept} of ${options.tasks} tasks, ${tried} tried`);
    const library = await timed(run, 'tasks', () =>
      generateTasks(world, { count: options.tasks, seed: world.spec.seed, onTry }),
    );
    corpus.writeTasks(id, {
      tasks: library.tasks.map(({ task }) => task),
      certificates: Object.fromEntries(library.tasks.map(({ task, certificate }) => [task.id, certificate])),
      dropped: library.dropped,
    });
  }
  const { tasks } = corpus.readTasks(id);
  await timed(run, 'rollout', async () => {
    const rolled = await rollWorld(world, tasks, {
      samples: 1,
      seed: options.seed,
      concurrency: 1,
      policyFor: (task) => referencePolicy(task),
    });
    keepTraces(corpus, id, rolled);
  });
  run.jobs.push({ world: id, calls, tasks: tasks.map((task) => task.id) });
};

const slot = async (run: Run, drafting: Drafting, index: number): Promise<void> => {
  const { corpus, record, ui, options } = run;
  const label = `world ${index + 1} of ${options.worlds}`;
  const known = record.made[String(index)];
  if (known !== undefined && corpus.hasWorld(known)) {
    if (corpus.hasTasks(known) && corpus.isDeterministic(known)) return;
    const loaded = loadWorld(run.engine, corpus.readWorld(known));
    const { probes } = await timed(run, 'certify', () => certifyWorld(loaded));
    await finishSlot(run, loaded, callsOf(probes));
    unloadWorld(loaded);
    return;
  }
  ui.progress(`${label}: authoring and certifying`);
  const made = makeSlot(run, drafting, index);
  if (!made) {
    ui.step(`  ${label} was given up after ${ATTEMPTS} drafts: ${record.dropped.at(-1)?.why ?? ''}`);
    saveRecord(corpus, record);
    return;
  }
  await timed(run, 'write', () => writeSlot(run, made));
  record.made[String(index)] = made.built.world.id;
  saveRecord(corpus, record);
  await finishSlot(run, made.loaded, callsOf(made.certified.probes));
  const { tasks, dropped } = corpus.readTasks(made.built.world.id);
  ui.step(
    `  ${label}: ${made.built.world.company.name}, ${made.built.services.length} services, ${made.loaded.tools.size} tools, ${tasks.length} tasks (${dropped.length} dropped)`,
  );
  unloadWorld(made.loaded);
};

const callsOf = (probes: readonly { name: string; args?: Job['calls'][number]['args'] }[]): Job['calls'] =>
  probes.flatMap(({ name, args }) => (args === undefined ? [] : [{ tool: name, args }]));

/** Validator 11 over the whole batch; the finding goes into each world's certificate. */
const proveDeterminism = async (run: Run): Promise<void> => {
  if (run.options.skipDeterminism || run.jobs.length === 0) return;
  run.ui.progress(`running ${run.jobs.length} worlds again in two fresh processes`);
  const findings = await timed(run, 'determinism', () => checkDeterminism({ corpus: run.corpus.dir, jobs: run.jobs }));
  for (const [id, finding] of findings) {
    run.corpus.addFinding(id, finding);
    if (!finding.pass)
      run.record.dropped.push({ what: `certificate of ${id}`, why: `determinism: ${finding.evidence[0] ?? ''}` });
  }
};

/** Builds or goes on building. Throws for bad input; a world or task that fails is dropped with its reason instead. */
export const build = async (
  options: BuildOptions,
  ui: Ui,
  interrupted: () => boolean = () => false,
): Promise<BuildSummary> => {
  const drafting = draftsOf(options.input, options.seed, options.pins);
  const corpus = Corpus.open(options.out, true);
  const { kind, name, hash, text } = options.input;
  const source =
    kind === 'brief'
      ? text.slice(0, 4000)
      : `API document ${name}: ${drafting.report?.title ?? ''}, ${drafting.report?.operations ?? 0} operations`;
  const record = openRecord(corpus, {
    treadle: 'build/1',
    input: { kind, name, hash },
    source,
    worlds: options.worlds,
    tasks: options.tasks,
    seed: options.seed,
    dropped: [],
    made: {},
  });
  const run: Run = { options, ui, corpus, engine: await Engine.start(), record, jobs: [], timesMs: {}, interrupted };
  try {
    for (let index = 0; index < options.worlds; index++) {
      if (interrupted()) {
        const next = 'Run the same command again: it goes on where it stopped.';
        throw new TreadleError({
          code: 'interrupted',
          message: `Stopped after ${index} of ${options.worlds} worlds`,
          next,
          value: options.out,
        });
      }
      await slot(run, drafting, index);
    }
    await proveDeterminism(run);
  } finally {
    run.engine.close();
    saveRecord(corpus, record);
  }
  return finish(run, source);
};

const finish = async (run: Run, source: string): Promise<BuildSummary> => {
  const { corpus, options, record } = run;
  const rows = await timed(run, 'export', () => exportCorpus(corpus, { out: corpus.path('sft'), seed: options.seed }));
  const title = options.input.kind === 'brief' ? 'Worlds from a brief' : `Worlds from ${options.input.name}`;
  const report = await timed(run, 'report', () =>
    writeReport(corpus, { title, source, seed: options.seed, dropped: record.dropped }),
  );
  const { worlds } = readIndex(corpus);
  const sum = (pick: (world: (typeof worlds)[number]) => number): number =>
    worlds.reduce((total, world) => total + pick(world), 0);
  return {
    out: options.out,
    worlds: worlds.length,
    certified: worlds.filter(({ certified }) => certified).length,
    tasks: sum(({ tasks }) => tasks),
    tasksDropped: sum(({ dropped }) => dropped),
    rollouts: sum(({ rollouts }) => rollouts),
    passed: sum(({ passed }) => passed),
    rows: rows.rows,
    dropped: record.dropped,
    timesMs: Object.fromEntries(Object.entries(run.timesMs).map(([stage, ms]) => [stage, Math.round(ms)])),
    report,
  };
};
