/** One world of a build, from draft to verified rollouts; every stage is on disk before the next begins. */

import type { WorldDraft } from '../../author/draft.js';
import { certifyWorld } from '../../certify/certify.js';
import type { FreshPair } from '../../certify/determinism/pair.js';
import type { Job } from '../../certify/determinism/script.js';
import type { Probe } from '../../certify/probes.js';
import type { Corpus, TaskFiles } from '../../corpus/corpus.js';
import { exists } from '../../corpus/files.js';
import { tracesFile } from '../../corpus/traces/read.js';
import { TreadleError } from '../../errors.js';
import { elapsedMs } from '../../kit/clock.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { generateTasks } from '../../tasks/generate.js';
import { type LoadedWorld, loadWorld, unloadWorld, type WorldParts } from '../../world/loaded.js';
import type { Engine } from '../../world/state/engine.js';
import type { Interrupt } from '../interrupt.js';
import type { Ui } from '../ui.js';
import type { BuildOptions } from './build.js';
import { sparesOf } from './choice.js';
import type { Drafts } from './drafts.js';
import type { Loss, Slot } from './record.js';
import { keepTraces, rollWorld } from './rollouts.js';
import { type MadeWorld, makeWorld, whyNot } from './world.js';

export interface Run {
  options: BuildOptions;
  ui: Ui;
  corpus: Corpus;
  engine: Engine;
  /** Remembers what became of a slot, as soon as its world is on disk or given up. */
  keep(index: number, slot: Slot): void;
  /** Runs each finished world again, beside this process; absent when that is left out. */
  pair: FreshPair | undefined;
  timesMs: Record<string, number>;
  interrupt: Interrupt;
}

/** Drafts tried for one world before the slot is given up. */
const ATTEMPTS = 3;

export const timed = async <T>(timesMs: Run['timesMs'], stage: string, work: () => Promise<T> | T): Promise<T> => {
  const start = elapsedMs();
  try {
    return await work();
  } finally {
    timesMs[stage] = (timesMs[stage] ?? 0) + (elapsedMs() - start);
  }
};

/** Every call that certification saw succeed, each behind those that made it ready. */
export const callsOf = (probes: readonly Pick<Probe, 'name' | 'args' | 'before'>[]): Job['calls'] =>
  probes.flatMap(({ name, args, before = [] }) => (args === undefined ? [] : [...before, { tool: name, args }]));

/** Validator 11 over the worlds since the last time, which the two fresh processes ran beside this one; its findings go into their certificates. */
export const proveDeterminism = async (run: Run): Promise<void> => {
  if (!run.pair || run.pair.isIdle) return;
  run.ui.progress('waiting for the two fresh processes');
  const findings = await timed(run.timesMs, 'determinism', () => run.pair?.findings());
  for (const [id, finding] of findings ?? []) run.corpus.addFinding(id, finding);
};

const labelOf = (run: Run, index: number): string => `world ${index + 1} of ${run.options.worlds}`;

/** Where there are many briefs, a bad one costs its own slot; a single bad one ends the build. */
const draftFor = async (
  run: Run,
  drafting: Drafts,
  index: number,
  attempt: number,
): Promise<WorldDraft | TreadleError> => {
  try {
    return await drafting.draft(index, attempt);
  } catch (thrown) {
    const isOwn = thrown instanceof TreadleError && thrown.fault === 'input' && run.options.input.kind === 'briefs';
    if (isOwn) return thrown;
    throw thrown;
  }
};

/** A certified world for a slot, or undefined when every attempt failed; what was lost goes into `dropped`. */
const makeSlot = async (run: Run, drafting: Drafts, index: number, dropped: Loss[]): Promise<MadeWorld | undefined> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const again = attempt > 0 ? `, draft ${attempt + 1}` : '';
    run.ui.progress(`${labelOf(run, index)}: authoring and certifying${again}`);
    const draft = await draftFor(run, drafting, index, attempt);
    if (draft instanceof TreadleError) {
      dropped.push({ what: labelOf(run, index), why: `${draft.code}: ${draft.line()}` });
      return undefined;
    }
    const made = makeWorld(run.engine, draft, elapsedMs);
    run.timesMs.author = (run.timesMs.author ?? 0) + made.timesMs.author;
    run.timesMs.certify = (run.timesMs.certify ?? 0) + made.timesMs.certify;
    dropped.push(...made.dropped);
    const why = whyNot(made);
    if (why === undefined) return made;
    dropped.push({ what: `world ${draft.id}`, why });
    unloadWorld(made.loaded);
    await run.interrupt.check(`${index} of ${run.options.worlds} worlds are finished`);
  }
  return undefined;
};

const makeTasks = async (run: Run, world: LoadedWorld): Promise<Pick<TaskFiles, 'tasks' | 'dropped'>> => {
  const { corpus, options, ui } = run;
  const { id, seed, company } = world.spec;
  if (corpus.hasTasks(id)) return corpus.readTasks(id);
  const count = options.tasks + sparesOf(options);
  const onTry = (kept: number, tried: number): void =>
    ui.progress(`${company.name}: ${kept} of ${count} tasks, ${tried} tried`);
  const library = await timed(run.timesMs, 'tasks', () =>
    run.interrupt.atOnce(() => generateTasks(world, { count, seed, onTry })),
  );
  const tasks = library.tasks.map(({ task }) => task);
  corpus.writeTasks(id, {
    tasks,
    certificates: Object.fromEntries(library.tasks.map(({ task, certificate }) => [task.id, certificate])),
    dropped: library.dropped,
    isToChoose: count > options.tasks,
  });
  return { tasks, dropped: library.dropped };
};

const finishSlot = async (
  run: Run,
  world: LoadedWorld,
  parts: WorldParts,
  index: number,
  calls: Job['calls'],
): Promise<void> => {
  const { corpus, options, ui } = run;
  const { id, company } = world.spec;
  const finished = `${index} of ${options.worlds} worlds are finished`;
  await run.interrupt.check(finished);
  const { tasks, dropped } = await makeTasks(run, world);
  await run.interrupt.check(finished);
  await timed(run.timesMs, 'rollout', async () => {
    const plan = { samples: 1, seed: options.seed, concurrency: 1, policyFor: referencePolicy };
    keepTraces(corpus, id, await rollWorld(world, tasks, plan));
  });
  const { world: spec, services, images } = parts;
  await run.pair?.give({ parts: { world: spec, services, images }, calls, tasks });
  ui.step(
    `  ${labelOf(run, index)}: ${company.name}, ${world.services.size} services, ${world.tools.size} tools, ${tasks.length} tasks (${dropped.length} dropped)`,
  );
};

/** Whether all that a build makes of a world is there: its tasks, the proof that it is deterministic, and its rollouts. */
export const isFinished = (corpus: Corpus, id: string): boolean =>
  corpus.hasTasks(id) && corpus.isDeterministic(id) && exists(tracesFile(corpus, id));

/** Goes on with a world that is on disk. */
const goOn = async (run: Run, index: number, id: string): Promise<void> => {
  const { corpus, ui } = run;
  if (isFinished(corpus, id)) {
    ui.step(`  ${labelOf(run, index)}: done before`);
    return;
  }
  ui.progress(`${labelOf(run, index)}: going on`);
  const parts = corpus.readWorld(id);
  const loaded = loadWorld(run.engine, parts);
  const { probes } = await timed(run.timesMs, 'certify', () => certifyWorld(loaded));
  await finishSlot(run, loaded, parts, index, callsOf(probes));
  unloadWorld(loaded);
};

/** Makes, finishes or skips one slot of which `known` was remembered, and says how far it came. */
export const fillSlot = async (run: Run, drafting: Drafts, index: number, known: Slot | undefined): Promise<void> => {
  const { corpus, ui } = run;
  if (known?.world !== undefined && corpus.hasWorld(known.world)) return goOn(run, index, known.world);
  if (known !== undefined && known.world === undefined) {
    ui.step(`  ${labelOf(run, index)}: given up before: ${known.dropped.at(-1)?.why ?? ''}`);
    return;
  }
  const dropped: Loss[] = [];
  const made = await makeSlot(run, drafting, index, dropped);
  if (!made) {
    ui.step(`  ${labelOf(run, index)} was given up after ${ATTEMPTS} drafts: ${dropped.at(-1)?.why ?? ''}`);
    run.keep(index, { dropped });
    return;
  }
  const { built, certified, loaded } = made;
  await timed(run.timesMs, 'write', () =>
    corpus.writeWorld({ ...built, certificates: { ...certified.services, world: certified.certificate } }),
  );
  run.keep(index, { world: built.world.id, dropped });
  await finishSlot(run, loaded, built, index, callsOf(certified.probes));
  unloadWorld(loaded);
};
