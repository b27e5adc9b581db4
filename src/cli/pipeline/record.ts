/**
 * build.json: what a build was asked for and how far it came, so that the same command goes on and another one is refused. While
 * it runs, slots are added to slots.jsonl, one line each, whoever made them; opening and ending put them into build.json.
 */
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import type { Corpus } from '../../corpus/corpus.js';
import { diskError, exists, readBytes, removeFiles, writeJson } from '../../corpus/files.js';
import { FileName, readListing } from '../../corpus/listings.js';
import { TreadleError } from '../../errors.js';

/** A world, service or tool that was given up. */
const Loss = z.object({ what: z.string(), why: z.string() });

const Slot = z.object({ world: FileName.optional(), dropped: z.array(Loss) });

const BuildRecord = z.object({
  treadle: z.literal('build/1'),
  input: z.object({ kind: z.enum(['brief', 'document', 'briefs']), name: z.string(), hash: z.string() }),
  source: z.string(),
  pins: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  worlds: z.number().int(),
  tasks: z.number().int(),
  seed: z.string(),
  /** By slot: the world that was certified and written (none when every draft failed), and what was lost on the way. */
  slots: z.record(z.string(), Slot),
});

const SlotLine = Slot.extend({ slot: z.number().int().min(0) });

export type Loss = z.infer<typeof Loss>;
export type Slot = z.infer<typeof Slot>;
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
      value: `${input.kind === 'document' ? input.name : found.source.slice(0, 60)}, ${worlds} worlds x ${tasks} tasks, seed ${seed.slice(0, 40)}${pinned}`,
      next: 'Give the same input and options to go on with it, or choose another folder with --out.',
    });
  }
  takeIn(corpus, found);
  return found;
};

/** The record of a build that was begun here; undefined where none was. */
export const readRecord = (corpus: Corpus): BuildRecord | undefined => {
  const file = corpus.path('build.json');
  if (!exists(file)) return undefined;
  const record = readListing(BuildRecord, file);
  for (const { slot, ...rest } of linesOf(corpus)) record.slots[String(slot)] = rest;
  return record;
};

const linesFile = (corpus: Corpus): string => corpus.path('slots.jsonl');

/** Lines that a crash cut off are left out: what they told of is made again, to the same bytes. */
const linesOf = (corpus: Corpus): z.infer<typeof SlotLine>[] => {
  const file = linesFile(corpus);
  if (!exists(file)) return [];
  const text = Buffer.from(readBytes(file)).toString('utf8');
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = SlotLine.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
};

const takeIn = (corpus: Corpus, record: BuildRecord): void => {
  const lines = linesOf(corpus);
  for (const { slot, ...rest } of lines) record.slots[String(slot)] = rest;
  if (lines.length > 0) saveRecord(corpus, record);
  removeFiles([linesFile(corpus)]);
};

/** Writes the record whole; the lines beside it are in it. */
export const saveRecord = (corpus: Corpus, record: BuildRecord): void => writeJson(corpus.path('build.json'), record);

/** Remembers what became of a slot. */
export const keepSlot = (corpus: Corpus, record: BuildRecord, index: number, slot: Slot): void => {
  record.slots[String(index)] = slot;
  const file = linesFile(corpus);
  try {
    appendFileSync(file, `${JSON.stringify({ slot: index, ...slot })}\n`);
  } catch (thrown) {
    throw diskError(thrown, file, 'write');
  }
};

/** The end of a build: one file again. */
export const closeRecord = (corpus: Corpus, record: BuildRecord): void => {
  saveRecord(corpus, record);
  removeFiles([linesFile(corpus)]);
};

/** Everything given up so far, slot by slot. */
export const lossesOf = (record: BuildRecord): Loss[] =>
  Object.keys(record.slots)
    .sort((a, b) => Number(a) - Number(b))
    .flatMap((slot) => record.slots[slot]?.dropped ?? []);

/** What was given up on the way to one world; nothing for a world that no build made. */
export const leftOutOf = (corpus: Corpus, world: string): Loss[] => {
  const file = corpus.path('build.json');
  if (!exists(file)) return [];
  const slots: Slot[] = [...Object.values(readListing(BuildRecord, file).slots), ...linesOf(corpus)];
  return slots.findLast((slot) => slot.world === world)?.dropped ?? [];
};
