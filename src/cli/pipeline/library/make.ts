/** The task library of one world of a corpus: made, written and reported, or found made before. */
import type { WorldSpec } from '../../../artifacts/world.js';
import type { Corpus, TaskFiles } from '../../../corpus/corpus.js';
import { exists } from '../../../corpus/files.js';
import {
  dropLibrary,
  type LibraryReport,
  type LibrarySettings,
  readLibrary,
  writeLibrary,
} from '../../../corpus/library.js';
import type { DroppedTask } from '../../../corpus/listings.js';
import { TreadleError } from '../../../errors.js';
import { cpuSeconds } from '../../../kit/clock.js';
import { addressOf, canonicalJson } from '../../../kit/hash.js';
import { generateTasks, type Library } from '../../../tasks/generate.js';
import { libraryReport } from '../../../tasks/library/report.js';
import { type WorldLibrary, worldLibrary } from '../../../tasks/library/world.js';
import type { TaskModels } from '../../../tasks/model/models.js';
import { sampleWithModel } from '../../../tasks/model/sampled.js';
import { type LoadedWorld, loadWorld, unloadWorld } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';

import { withByHand } from '../by-hand.js';

/** Settings of a run over many worlds: without a seed, each world's own. */
export type Wanted = Omit<LibrarySettings, 'seed'> & { seed?: string };

export interface MadeLibrary {
  world: string;
  tasks: number;
  coverage: number;
  dropped: number;
  /** It was there already, made with the same settings. */
  isOld: boolean;
  /** Processor time it took, seconds. */
  cpuS: number;
}

const droppedOf = ({ services }: WorldLibrary): DroppedTask[] =>
  services.flatMap(({ result }) => [
    ...result.failures.map(({ proposal: { family, template }, diagnostics }) => ({
      family,
      template,
      reason: diagnostics[0] ?? '',
    })),
    ...result.passing.flatMap(({ id, family, template }) => {
      const redundancy = result.redundant.find((one) => one.id === id);
      return redundancy
        ? [{ family, template, reason: `redundant: its chain is held by that of ${redundancy.with}` }]
        : [];
    }),
  ]);

/** More tasks beside the library, sampled until there are as many as were asked for. */
const sampledBeside = async (
  world: LoadedWorld,
  made: number,
  { tasks, seed }: LibrarySettings,
  models: TaskModels | undefined,
): Promise<Library> => {
  if (tasks === undefined || made >= tasks) return { tasks: [], dropped: [] };
  const options = { count: tasks - made, seed: `${seed}/beside` };
  return models ? sampleWithModel(world, options, models) : generateTasks(world, options);
};

/** A model that brings nothing about does not cost the tasks that there are. */
const nothingMade = (world: string, { services }: WorldLibrary, { desk, model }: TaskModels): TreadleError => {
  const reasons = services.flatMap(({ result }) => result.failures.flatMap(({ diagnostics }) => diagnostics));
  const why = desk.ended?.why ?? reasons.at(-1) ?? 'it wrote none';
  return new TreadleError({
    code: 'no_task_passed',
    message: `No task by or with ${model} was kept, and the world's tasks stay as they were: ${why}`,
    value: world,
    next: 'Raise the budget, take a stronger model, or add --author both.',
    fault: 'model',
  });
};

const toldOf = (
  { world, coverage }: LibraryReport,
  files: Pick<TaskFiles, 'tasks' | 'dropped'>,
): Omit<MadeLibrary, 'isOld' | 'cpuS'> => ({
  world,
  tasks: files.tasks.length,
  coverage,
  dropped: files.dropped.length,
});

const settingsOf = (wanted: Wanted, { seed }: WorldSpec): LibrarySettings => ({ ...wanted, seed: wanted.seed ?? seed });

/** Whether every task that is listed is there, with its proof. */
const isWhole = (corpus: Corpus, world: string): boolean =>
  corpus.listTasks(world).tasks.every(({ id }) => {
    const at = (...parts: string[]): string => corpus.path('worlds', world, 'tasks', ...parts);
    return exists(at(`${id}.yaml`)) && exists(at('proofs', `${id}.json`));
  });

/** The library that a world has with these very settings; undefined where it is to be made, or a budget cut it short. */
export const libraryBefore = (corpus: Corpus, id: string, wanted: Wanted): MadeLibrary | undefined => {
  const known = readLibrary(corpus, id);
  if (!known || known.byModel?.ended !== undefined) return undefined;
  const { world: spec } = corpus.readDescription(id);
  const isSame =
    known.worldHash === addressOf(spec) && canonicalJson(known.settings) === canonicalJson(settingsOf(wanted, spec));
  if (!isSame || !isWhole(corpus, id)) return undefined;
  return { ...toldOf(known, corpus.readTasks(id)), isOld: true, cpuS: 0 };
};

/** Makes the library of world `id` in place of the tasks it has, unless it has this very library. */
export const makeLibrary = async (
  corpus: Corpus,
  engine: Engine,
  id: string,
  wanted: Wanted,
  onStep?: (line: string) => void,
  models?: TaskModels,
): Promise<MadeLibrary> => {
  const start = cpuSeconds();
  const known = libraryBefore(corpus, id, wanted);
  if (known) return { ...known, cpuS: cpuSeconds() - start };
  const { world: spec } = corpus.readDescription(id);
  const settings = settingsOf(wanted, spec);
  const world = loadWorld(engine, corpus.readWorld(id));
  const library = await worldLibrary(world, {
    ...settings,
    ...(models ? { models } : {}),
    onRound: (service, { round, retained, coverage }) =>
      onStep?.(`${id}: ${service}, round ${round}: ${retained} tasks, ${Math.round(coverage * 100)} % of its tools`),
  });
  const beside = await sampledBeside(world, library.tasks.length, settings, models);
  unloadWorld(world);
  const all = [...library.tasks, ...beside.tasks];
  if (models && all.length === 0) throw nothingMade(id, library, models);
  const files = withByHand(corpus, id, world.hash, {
    tasks: all.map(({ task }) => task),
    certificates: Object.fromEntries(all.map(({ task, certificate }) => [task.id, certificate])),
    dropped: [...droppedOf(library), ...beside.dropped],
  });
  dropLibrary(corpus, id);
  corpus.writeTasks(id, files);
  const report = libraryReport(
    world,
    library,
    settings,
    beside.tasks.map(({ task }) => task.id),
    models?.take(),
  );
  writeLibrary(corpus, report);
  return { ...toldOf(report, files), isOld: false, cpuS: cpuSeconds() - start };
};
