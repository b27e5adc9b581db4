/** How a world's task library came about: library.json beside its tasks (weft.txt A.1: "we save the tasks, E2E tests, and validation reports"). */
import { z } from 'zod';
import { Hash } from '../artifacts/world.js';
import type { Corpus } from './corpus.js';
import { exists, removeFiles, writeJson } from './files.js';
import { FileName, readListing } from './listings.js';

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** What a library is made with: the same options give the same library. */
export const LibrarySettings = z.object({
  seed: z.string(),
  /** Target share of a service's tools in its retained chains. */
  coverage: share,
  /** Rounds a service, the first included. */
  rounds: z.number().int().min(1),
  /** Tasks wanted at least: what the library lacks is sampled, as a build does. */
  tasks: z.number().int().min(1).optional(),
  /** The model that wrote, judged or reworded; absent where there was none. */
  model: z
    .object({
      name: z.string(),
      author: z.enum(['embedded', 'model', 'both']),
      judge: z.boolean(),
      rewrite: z.boolean(),
    })
    .optional(),
});

const Round = z.object({
  round: count,
  proposed: count,
  passed: count,
  /** After the filter over everything that has passed. */
  retained: count,
  redundant: count,
  coverage: share,
});

const ServiceEntry = z.object({
  service: z.string(),
  tools: count,
  coverage: share,
  stopped: z.enum(['coverage', 'rounds', 'empty_batch']),
  rounds: z.array(Round),
  retained: z.array(FileName),
  /** Passing tasks that were left out, and a retained one whose chain holds theirs. */
  redundant: z.array(z.object({ id: FileName, with: FileName })),
  failures: z.array(z.object({ id: FileName, target: z.string(), diagnostics: z.array(z.string()) })),
  /** Tools that no retained task calls, with the last thing that stood in the way. */
  uncovered: z.array(z.object({ tool: z.string(), reason: z.string() })),
});

/** Of every task that went through the gate, the dropped ones too. */
const Tally = z.object({
  gated: count,
  passed: count,
  /** First failed line of those that did not pass. */
  dropped: z.record(z.string(), count),
  alternatives: z.object({ tried: count, accepted: count }),
  /** Wrong solutions by kind. */
  mutants: z.record(z.string(), z.object({ made: count, failed: count })),
});

/** What a model said of tasks (weft.txt 3.2.1); verdicts that could not be read are none. */
const ByModel = z.object({
  model: z.string(),
  judged: z.object({ accepted: count, refused: count, unclear: count }),
  /** Tasks with other words, and those that keep their own by reason. */
  reworded: z.object({ changed: count, kept: z.record(z.string(), count) }),
  /** Why nothing more was asked: the budget, the endpoint. */
  ended: z.string().optional(),
});

export const LibraryReport = z.object({
  treadle: z.literal('library/1'),
  world: FileName,
  /** Of the world that it was made for. */
  worldHash: Hash,
  settings: LibrarySettings,
  tools: count,
  /** Share of the world's tools in the chains of its retained tasks. */
  coverage: share,
  services: z.array(ServiceEntry),
  /** Tasks over two services, made of retained ones. */
  errands: z.array(FileName),
  /** Tasks made beside the library because more were asked for. */
  sampled: z.array(FileName),
  gate: Tally,
  byModel: ByModel.optional(),
});

export type LibrarySettings = z.infer<typeof LibrarySettings>;
export type LibraryReport = z.infer<typeof LibraryReport>;
export type GateTally = z.infer<typeof Tally>;
export type ModelTally = z.infer<typeof ByModel>;

const fileOf = (corpus: Corpus, world: string): string => corpus.path('worlds', world, 'tasks', 'library.json');

/** Comes after the tasks it speaks of; goes, by `dropLibrary`, before they do. */
export const writeLibrary = (corpus: Corpus, report: LibraryReport): void =>
  writeJson(fileOf(corpus, report.world), report);

export const dropLibrary = (corpus: Corpus, world: string): void => removeFiles([fileOf(corpus, world)]);

const idsOf = ({ services, errands, sampled }: LibraryReport): string[] => [
  ...services.flatMap(({ retained }) => retained),
  ...errands,
  ...sampled,
];

/**
 * A world's library report; undefined where its tasks were not made as a library, or others have taken their place since (tasks
 * written by hand beside them change nothing). Throws `unreadable_file`.
 */
export const readLibrary = (corpus: Corpus, world: string): LibraryReport | undefined => {
  const file = fileOf(corpus, world);
  if (!corpus.hasTasks(world) || !exists(file)) return undefined;
  const report = readListing(LibraryReport, file);
  const there = new Set(corpus.listTasks(world).tasks.map(({ id }) => id));
  return idsOf(report).every((id) => there.has(id)) ? report : undefined;
};
