/** build.json: what a build was asked for and how far it came, so that the same command goes on and another one is refused. */
import { z } from 'zod';
import type { Corpus } from '../../corpus/corpus.js';
import { exists, writeJson } from '../../corpus/files.js';
import { FileName, readListing } from '../../corpus/listings.js';
import { TreadleError } from '../../errors.js';

/** A world, service or tool that was given up. */
const Loss = z.object({ what: z.string(), why: z.string() });

const BuildRecord = z.object({
  treadle: z.literal('build/1'),
  input: z.object({ kind: z.enum(['brief', 'document']), name: z.string(), hash: z.string() }),
  source: z.string(),
  pins: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  worlds: z.number().int(),
  tasks: z.number().int(),
  seed: z.string(),
  /** By slot: the world that was certified and written (none when every draft failed), and what was lost on the way. */
  slots: z.record(z.string(), z.object({ world: FileName.optional(), dropped: z.array(Loss) })),
});

export type Loss = z.infer<typeof Loss>;
export type BuildRecord = z.infer<typeof BuildRecord>;

const asked = ({ input, pins, worlds, tasks, seed }: BuildRecord): string =>
  JSON.stringify([input.kind, input.hash, Object.entries(pins).sort(), worlds, tasks, seed]);

/** The record of this folder; a new one when the folder is new. Throws `other_build` when it holds another build. */
export const openRecord = (corpus: Corpus, wanted: BuildRecord): BuildRecord => {
  const file = corpus.path('build.json');
  if (!exists(file)) {
    writeJson(file, wanted);
    return wanted;
  }
  const found = readListing(BuildRecord, file);
  if (asked(found) !== asked(wanted)) {
    const { input, worlds, tasks, seed, pins } = found;
    const pinned = Object.keys(pins).length > 0 ? `, pinned ${JSON.stringify(pins)}` : '';
    throw new TreadleError({
      code: 'other_build',
      message: 'The folder holds the result of another build',
      value: `${input.kind === 'brief' ? found.source.slice(0, 60) : input.name}, ${worlds} worlds x ${tasks} tasks, seed ${seed.slice(0, 40)}${pinned}`,
      next: 'Give the same input and options to go on with it, or choose another folder with --out.',
    });
  }
  return found;
};

export const saveRecord = (corpus: Corpus, record: BuildRecord): void => writeJson(corpus.path('build.json'), record);

/** Everything given up so far, slot by slot. */
export const lossesOf = (record: BuildRecord): Loss[] =>
  Object.keys(record.slots)
    .sort((a, b) => Number(a) - Number(b))
    .flatMap((slot) => record.slots[slot]?.dropped ?? []);

/** What was given up on the way to one world; nothing for a world that no build made. */
export const leftOutOf = (corpus: Corpus, world: string): Loss[] => {
  const file = corpus.path('build.json');
  if (!exists(file)) return [];
  return Object.values(readListing(BuildRecord, file).slots).find((slot) => slot.world === world)?.dropped ?? [];
};
