/**
 * A world's scenarios: worlds/<id>/scenarios/ holds one file each, what was executed to accept it under proofs/, and index.json
 * with how they came about and what was refused. They belong to the tasks they were made for.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Certificate } from '../artifacts/certificate.js';
import { parseArtifact } from '../artifacts/registry.js';
import type { Scenario } from '../artifacts/scenario.js';
import { Hash } from '../artifacts/world.js';
import { TreadleError } from '../errors.js';
import { addressOf, canonicalJson, type Json } from '../kit/hash.js';
import type { Corpus } from './corpus.js';
import { exists, namesIn, readData, removeFiles, writeJson } from './files.js';
import { FileName, readListing } from './listings.js';

const count = z.number().int().min(0);

/** What scenarios are made with: the same settings and tasks give the same ones. */
export const ScenarioSettings = z.object({
  seed: z.string(),
  /** Kept at most, of each task. */
  perTask: z.number().int().min(1),
  /** Events at most, of each scenario. */
  most: z.number().int().min(1),
  sources: z.array(z.string()).optional(),
  /** The model that proposed or phrased; absent: the embedded author alone. */
  model: z
    .object({
      name: z.string(),
      author: z.enum(['embedded', 'model', 'both']),
      rewrite: z.boolean(),
      /** Answers that the events of one task might take. */
      rounds: count,
    })
    .optional(),
});

export const ScenarioHead = z.object({
  id: FileName,
  hash: Hash,
  task: z.string(),
  taskHash: Hash,
  events: z.array(
    z.object({
      id: z.string(),
      source: z.string(),
      trigger: z.enum(['after', 'at', 'random']),
      to: z.enum(['user', 'environment', 'none']),
      /** It revises no check. */
      distractor: z.literal(true).optional(),
      profile: z.string().optional(),
    }),
  ),
  /** Events on the longest way through `needs`. */
  depth: count,
  offersWait: z.literal(true).optional(),
});

export const RefusedEvent = z.object({
  task: z.string(),
  event: z.string(),
  source: z.string(),
  rule: z.string(),
  evidence: z.string(),
});

/** What a model did for the scenarios of a world. */
export const EventModelTally = z.object({
  model: z.string(),
  /** Refused ones by rule; `unfit`: no rule could be asked about it. */
  proposed: z.object({ candidates: count, accepted: count, refused: z.record(z.string(), count) }),
  reworded: z.object({ changed: count, kept: z.record(z.string(), count) }),
  /** Why it was not asked to the end. */
  ended: z.string().optional(),
});

export const ScenarioListing = z.object({
  treadle: z.literal('scenarios/1'),
  settings: ScenarioSettings,
  /** Of the tasks they were made for, by id. */
  tasks: z.record(z.string(), Hash),
  /** Events and sets of events that were tried. */
  candidates: count,
  scenarios: z.array(ScenarioHead),
  refused: z.array(RefusedEvent),
  byModel: EventModelTally.optional(),
});

export type ScenarioSettings = z.infer<typeof ScenarioSettings>;
export type ScenarioHead = z.infer<typeof ScenarioHead>;
export type RefusedEvent = z.infer<typeof RefusedEvent>;
export type EventModelTally = z.infer<typeof EventModelTally>;
export type ScenarioListing = z.infer<typeof ScenarioListing>;

export interface ScenarioFiles {
  settings: ScenarioSettings;
  tasks: Readonly<Record<string, string>>;
  candidates: number;
  scenarios: readonly { scenario: Scenario; certificate: Certificate }[];
  refused: readonly RefusedEvent[];
  byModel?: EventModelTally;
}

const at = (corpus: Corpus, world: string, ...parts: string[]): string =>
  corpus.path('worlds', world, 'scenarios', ...parts);

/** Events on the longest way through what they need. */
const depthOf = ({ events }: Pick<Scenario, 'events'>): number => {
  const byId = new Map(events.map((event) => [event.id, event]));
  const known = new Map<string, number>();
  const depth = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    // A circle, which no engine takes, ends here.
    known.set(id, 0);
    const own = 1 + Math.max(0, ...(byId.get(id)?.needs ?? []).map((need) => depth(need.id)));
    known.set(id, own);
    return own;
  };
  return Math.max(0, ...events.map(({ id }) => depth(id)));
};

export const headOfScenario = (scenario: Scenario): ScenarioHead => ({
  id: scenario.id,
  hash: addressOf(scenario),
  task: scenario.taskId,
  taskHash: scenario.task,
  events: scenario.events.map(({ id, source, when, notify, effect }) => ({
    id,
    source,
    trigger: 'after' in when ? 'after' : 'at' in when ? 'at' : 'random',
    to: notify.to,
    ...('publish' in effect && !effect.publish.authoritative ? { distractor: true as const } : {}),
    ...('fault' in effect ? { profile: effect.fault.profile } : {}),
  })),
  depth: depthOf(scenario),
  ...(scenario.offersWait ? { offersWait: true } : {}),
});

/** Replaces a world's scenarios. The list goes first and comes last: while it is missing, the world counts as without. */
export const writeScenarios = (corpus: Corpus, world: string, files: ScenarioFiles): void => {
  const kept = new Set(files.scenarios.map(({ scenario }) => `${scenario.id}.json`));
  const strays = (dir: string): string[] =>
    namesIn(dir)
      .filter((name) => name.endsWith('.json') && !kept.has(name))
      .map((name) => join(dir, name));
  removeFiles([at(corpus, world, 'index.json')]);
  removeFiles([...strays(at(corpus, world)), ...strays(at(corpus, world, 'proofs'))]);
  for (const { scenario, certificate } of files.scenarios) {
    writeJson(at(corpus, world, `${scenario.id}.json`), scenario);
    writeJson(at(corpus, world, 'proofs', `${scenario.id}.json`), certificate);
  }
  const listing: ScenarioListing = {
    treadle: 'scenarios/1',
    settings: files.settings,
    tasks: { ...files.tasks },
    candidates: files.candidates,
    scenarios: files.scenarios.map(({ scenario }) => headOfScenario(scenario)),
    refused: [...files.refused],
    ...(files.byModel ? { byModel: files.byModel } : {}),
  };
  writeJson(at(corpus, world, 'index.json'), listing);
};

export const hasScenarios = (corpus: Corpus, world: string): boolean =>
  corpus.hasWorld(world) && exists(at(corpus, world, 'index.json'));

/** What a world's scenarios are, without reading them; undefined where none were made. Throws `unreadable_file`. */
export const listScenarios = (corpus: Corpus, world: string): ScenarioListing | undefined =>
  hasScenarios(corpus, world) ? readListing(ScenarioListing, at(corpus, world, 'index.json')) : undefined;

/** Whether they were made with these settings for the tasks that the world has now, and no budget cut their making short. */
export const areCurrent = (
  listing: ScenarioListing | undefined,
  settings: ScenarioSettings,
  tasks: Readonly<Record<string, string>>,
): boolean =>
  listing !== undefined &&
  listing.byModel?.ended === undefined &&
  canonicalJson(listing.settings as Json) === canonicalJson(settings as Json) &&
  canonicalJson(listing.tasks) === canonicalJson(tasks);

const changed = (file: string, found: string): TreadleError =>
  new TreadleError({
    code: 'changed_file',
    message: `${file} is not the scenario that was accepted`,
    value: found.slice(0, 12),
    next: 'Restore the file, or make the scenarios again: treadle dynamics.',
  });

/** One scenario as it was accepted. Throws `bad_artifact`, `other_version`, `changed_file`. */
export const readScenario = (corpus: Corpus, world: string, head: Pick<ScenarioHead, 'id' | 'hash'>): Scenario => {
  const file = at(corpus, world, `${head.id}.json`);
  const scenario = parseArtifact('scenario', readData(file), file);
  const found = addressOf(scenario);
  if (found !== head.hash) throw changed(file, found);
  return scenario;
};

/** The scenario of that content address; undefined where the world has none such (any more). Throws as `readScenario`. */
export const findScenario = (corpus: Corpus, world: string, hash: string): Scenario | undefined => {
  const head = listScenarios(corpus, world)?.scenarios.find((one) => one.hash === hash);
  return head && readScenario(corpus, world, head);
};

/** All of a world's scenarios, in their order; none where none were made. Throws as `readScenario`. */
export const readScenarios = (corpus: Corpus, world: string): Scenario[] =>
  (listScenarios(corpus, world)?.scenarios ?? []).map((head) => readScenario(corpus, world, head));

/** What was executed to accept it; undefined where it was lost. */
export const scenarioCertificate = (corpus: Corpus, world: string, id: string): Certificate | undefined => {
  const file = at(corpus, world, 'proofs', `${id}.json`);
  return FileName.safeParse(id).success && exists(file)
    ? parseArtifact('certificate', readData(file), file)
    : undefined;
};
