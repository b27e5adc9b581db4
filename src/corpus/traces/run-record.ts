/**
 * traces/run.json: how the last run over the corpus ended, and why it did not do all of it. It is written at the run's beginning
 * with room to spare and overwritten in place, so that on a full disk it can still say that the disk is full.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { z } from 'zod';
import type { Corpus } from '../corpus.js';
import { diskError, exists, makeFolder, readData } from '../files.js';

const SIZE = 2048;
/** Characters of `why` that are sure to fit. */
const LONGEST = 500;

export const RunRecord = z.object({
  treadle: z.literal('run/1'),
  /** `running`, also after its process was killed; `done`; else the code of what ended it early. */
  ended: z.string(),
  why: z.string().optional(),
  planned: z.number().int(),
  /** Of the planned ones, kept in this run or before. */
  kept: z.number().int(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** Throws what the disk says. */
export const writeRunRecord = (corpus: Corpus, record: Omit<RunRecord, 'treadle'>): void => {
  const path = corpus.path('traces', 'run.json');
  const why = record.why === undefined ? {} : { why: [...record.why].slice(0, LONGEST).join('') };
  const text = JSON.stringify({ treadle: 'run/1', ...record, ...why });
  const bytes = Buffer.from(text);
  const padded = Buffer.concat([bytes, Buffer.alloc(Math.max(1, SIZE - bytes.length), ' ')]);
  padded[padded.length - 1] = 10;
  try {
    makeFolder(corpus.path('traces'));
    const file = openSync(path, exists(path) ? 'r+' : 'w');
    try {
      writeSync(file, padded, 0, padded.length, 0);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw diskError(thrown, path, 'write');
  }
};

/** Undefined where nothing ran yet, or what is there is no record. */
export const readRunRecord = (corpus: Corpus): RunRecord | undefined => {
  const path = corpus.path('traces', 'run.json');
  if (!exists(path)) return undefined;
  try {
    return RunRecord.safeParse(readData(path)).data;
  } catch {
    return undefined;
  }
};
