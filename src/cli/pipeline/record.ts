/** build.json: what a build was asked for, so that the same command goes on with it and another one is refused. */
import type { Corpus } from '../../corpus/corpus.js';
import { exists, readData, writeJson } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';

export interface BuildRecord {
  treadle: 'build/1';
  input: { kind: 'brief' | 'document'; name: string; hash: string };
  source: string;
  worlds: number;
  tasks: number;
  seed: string;
  /** Worlds, services and tools given up. */
  dropped: { what: string; why: string }[];
  /** World id of each finished slot. */
  made: Record<string, string>;
}

const asked = ({ input, worlds, tasks, seed }: BuildRecord): string =>
  JSON.stringify([input.kind, input.hash, worlds, tasks, seed]);

/** The record of this folder; a new one when the folder is new. Throws `other_build` when it holds another build. */
export const openRecord = (corpus: Corpus, wanted: BuildRecord): BuildRecord => {
  const file = corpus.path('build.json');
  if (!exists(file)) {
    writeJson(file, wanted);
    return wanted;
  }
  const found = readData(file) as BuildRecord;
  if (found.treadle !== 'build/1' || asked(found) !== asked(wanted)) {
    throw new TreadleError({
      code: 'other_build',
      message: 'The folder holds the result of another build',
      value: `${found.input?.name ?? '?'}, ${found.worlds} worlds x ${found.tasks} tasks, seed ${found.seed}`,
      next: 'Give the same brief and options to go on with it, or choose another folder with --out.',
    });
  }
  return found;
};

export const saveRecord = (corpus: Corpus, record: BuildRecord): void => writeJson(corpus.path('build.json'), record);
