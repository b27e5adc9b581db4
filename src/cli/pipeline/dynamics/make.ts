/** The scenarios of one world's tasks: made, certified and written, or found made before. */
import type { Corpus } from '../../../corpus/corpus.js';
import {
  areCurrent,
  type EventModelTally,
  listScenarios,
  type RefusedEvent,
  readScenario,
  type ScenarioFiles,
  type ScenarioHead,
  type ScenarioListing,
  type ScenarioSettings,
  scenarioCertificate,
  writeScenarios,
} from '../../../corpus/scenarios.js';
import { scenariosFor } from '../../../dynamics/author/author.js';
import { certificateOf, type Made, madeScenario } from '../../../dynamics/author/made.js';
import type { Stage } from '../../../dynamics/author/trial.js';
import type { EventModels } from '../../../dynamics/model/models.js';
import type { Proposed } from '../../../dynamics/model/propose.js';
import { cpuSeconds } from '../../../kit/clock.js';
import { canonicalJson, type Json } from '../../../kit/hash.js';
import { rng } from '../../../kit/rng.js';
import { prepareGround } from '../../../tasks/ground/ground.js';
import { dropGrounded, groundedWorld } from '../../../world/grounded.js';
import { loadWorld, unloadWorld } from '../../../world/loaded.js';
import type { Engine } from '../../../world/state/engine.js';
import { isByHand } from './by-hand.js';
import { isEventSource } from './sources.js';

export interface Wanted {
  settings: ScenarioSettings;
  /** Only of these tasks; the scenarios of others stay. */
  tasks?: readonly string[];
}

export interface MadeScenarios {
  world: string;
  /** Tasks that were looked at, and those of them with a scenario. */
  tasks: number;
  dynamic: number;
  scenarios: ScenarioHead[];
  candidates: number;
  refused: RefusedEvent[];
  /** They were there already, made with the same settings for the same tasks. */
  isOld: boolean;
  /** Processor time it took, seconds. */
  cpuS: number;
  /** What a model did for them. */
  byModel?: EventModelTally;
}

const madeOf = (
  world: string,
  listing: Pick<ScenarioListing, 'scenarios' | 'candidates' | 'refused' | 'tasks' | 'byModel'>,
): Omit<MadeScenarios, 'isOld' | 'cpuS'> => ({
  world,
  tasks: Object.keys(listing.tasks).length,
  dynamic: new Set(listing.scenarios.map(({ task }) => task)).size,
  scenarios: listing.scenarios,
  candidates: listing.candidates,
  refused: listing.refused,
  ...(listing.byModel ? { byModel: listing.byModel } : {}),
});

type Writing = Omit<ScenarioFiles, 'scenarios' | 'refused' | 'tasks'> & {
  tasks: Record<string, string>;
  scenarios: ScenarioFiles['scenarios'][number][];
  refused: RefusedEvent[];
};

/** Takes over what there is of tasks that are not made anew. What was made with other settings is not listed as made with these. */
const keepOthers = (
  corpus: Corpus,
  id: string,
  before: ScenarioListing,
  files: Writing,
  which?: ReadonlySet<string>,
): void => {
  const isSame = canonicalJson(before.settings as Json) === canonicalJson(files.settings as Json);
  const now = new Map(corpus.listTasks(id).tasks.map((task) => [task.id, task.hash]));
  const isOther = (task: string): boolean => which?.has(task) ?? files.tasks[task] === undefined;
  for (const head of before.scenarios) {
    const certificate = scenarioCertificate(corpus, id, head.id);
    if (!isOther(head.task) || now.get(head.task) !== head.taskHash || !certificate) continue;
    files.scenarios.push({ scenario: readScenario(corpus, id, head), certificate });
  }
  files.refused.push(...before.refused.filter(({ task }) => isOther(task)));
  if (!isSame || which) return;
  files.candidates += before.candidates;
  for (const [task, hash] of Object.entries(before.tasks)) if (now.get(task) === hash) files.tasks[task] ??= hash;
};

/** Scenarios that people wrote outlive the making of others, as long as their tasks are the same. */
const keepByHand = (corpus: Corpus, id: string, before: ScenarioListing, files: Writing): void => {
  for (const head of before.scenarios) {
    if (files.tasks[head.task] !== head.taskHash) continue;
    const scenario = readScenario(corpus, id, head);
    const certificate = isByHand(scenario) ? scenarioCertificate(corpus, id, head.id) : undefined;
    if (certificate) files.scenarios.push({ scenario, certificate });
  }
};

export interface Making {
  onTask?: (done: number, of: number, kept: number) => void;
  /** Proposes and phrases; absent: the embedded author alone. */
  models?: EventModels | undefined;
}

/** What the model proposes for a task, then what the embedded author adds, each accepted by the rules; in the model's words at last. */
const authoredFor = async (
  stage: Stage,
  { seed, perTask, most, sources, model }: ScenarioSettings,
  models: EventModels | undefined,
): Promise<Proposed> => {
  const own = `${seed}/${stage.task.id}`;
  const wish = { perTask, seed: own, ...(sources ? { sources } : {}) };
  const proposed = models ? await models.propose(stage, prepareGround(stage.world), wish) : undefined;
  const accepted = proposed?.accepted ?? [];
  const left = perTask - accepted.length;
  const embedded =
    model?.author === 'model' || left <= 0
      ? undefined
      : scenariosFor(stage, rng(seed, 'dynamics', stage.task.id), own, {
          perTask: left,
          most,
          ...(sources ? { sources: sources.filter(isEventSource) } : {}),
        });
  const made = [...accepted, ...(embedded?.accepted ?? [])];
  const worded: Made[] = [];
  for (const one of made) worded.push(models ? await models.phrase(stage, one) : one);
  return {
    accepted: worded,
    refused: [...(proposed?.refused ?? []), ...(embedded?.refused ?? [])],
    candidates: (proposed?.candidates ?? 0) + (embedded?.candidates ?? 0),
  };
};

const askedOf = (corpus: Corpus, id: string, only: readonly string[] | undefined) => {
  const listed = corpus.listTasks(id).tasks.filter((task) => only === undefined || only.includes(task.id));
  return { listed, hashes: Object.fromEntries(listed.map(({ id: task, hash }) => [task, hash])) };
};

/** What was made with these settings for these tasks; undefined where it is to be made. */
export const scenariosBefore = (corpus: Corpus, id: string, { settings, tasks }: Wanted): MadeScenarios | undefined => {
  const before = listScenarios(corpus, id);
  if (!before || !areCurrent(before, settings, askedOf(corpus, id, tasks).hashes)) return undefined;
  return { ...madeOf(id, before), isOld: true, cpuS: 0 };
};

/** Throws what reading and writing the corpus does, and what an endpoint says that never answered. */
export const makeScenarios = async (
  corpus: Corpus,
  engine: Engine,
  id: string,
  { settings, tasks: only }: Wanted,
  { onTask, models }: Making = {},
): Promise<MadeScenarios> => {
  const start = cpuSeconds();
  const known = scenariosBefore(corpus, id, { settings, ...(only ? { tasks: only } : {}) });
  if (known) return { ...known, cpuS: cpuSeconds() - start };
  const { listed, hashes } = askedOf(corpus, id, only);
  const before = listScenarios(corpus, id);
  const files: Writing = { settings, tasks: hashes, candidates: 0, scenarios: [], refused: [] };
  if (only && before) keepOthers(corpus, id, before, files);
  else if (before) keepByHand(corpus, id, before, files);
  // Where the model alone writes, what its budget does not reach stays as it was.
  const isOver = (): boolean => settings.model?.author === 'model' && models?.desk.ended !== undefined;
  const unreached: string[] = [];
  const world = loadWorld(engine, corpus.readWorld(id));
  try {
    const wanted = new Set(listed.map((task) => task.id));
    const tasks = corpus.readTasks(id).tasks.filter((task) => wanted.has(task.id));
    for (const [done, task] of tasks.entries()) {
      if (isOver()) {
        unreached.push(task.id);
        continue;
      }
      onTask?.(done, tasks.length, files.scenarios.length);
      const own = groundedWorld(world, task.grounding);
      try {
        const stage = { world: own, task };
        const authored = await authoredFor(stage, settings, models);
        if (isOver() && authored.accepted.length === 0) unreached.push(task.id);
        files.candidates += authored.candidates;
        for (const [nth, made] of authored.accepted.entries()) {
          const scenario = madeScenario(stage, made, nth + 1);
          files.scenarios.push({ scenario, certificate: certificateOf(scenario, made) });
        }
        files.refused.push(...authored.refused.map((refused) => ({ task: task.id, ...refused })));
      } finally {
        dropGrounded(world, own);
      }
    }
  } finally {
    unloadWorld(world);
  }
  if (models) files.byModel = models.take();
  for (const task of unreached) delete files.tasks[task];
  if (before && unreached.length > 0) keepOthers(corpus, id, before, files, new Set(unreached));
  writeScenarios(corpus, id, files);
  const listing = listScenarios(corpus, id) as ScenarioListing;
  return { ...madeOf(id, listing), isOld: false, cpuS: cpuSeconds() - start };
};
