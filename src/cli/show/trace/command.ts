/** What `treadle show` does where rollouts are meant: by id, by file, or as a list. */
import { dirname, resolve } from 'node:path';
import { Corpus } from '../../../corpus/corpus.js';
import { exists } from '../../../corpus/files.js';
import { TreadleError } from '../../../errors.js';
import type { Ui } from '../../ui.js';
import { findTrace, type Placed, tracesIn } from './find.js';
import { listedOf, listTraces, type Wanted } from './list.js';
import { sayTrace, shownTrace, traceData } from './show.js';

/** The corpus that a file lies in, if it lies in one. */
const corpusAround = (file: string): Corpus | undefined => {
  for (let at = dirname(resolve(file)); ; at = dirname(at)) {
    if (exists(`${at}/treadle.json`)) return Corpus.open(at);
    if (dirname(at) === at) return undefined;
  }
};

export const showTrace = async (ui: Ui, placed: Placed, corpus: Corpus | undefined, full: boolean): Promise<void> => {
  const shown = await shownTrace(placed, corpus, full);
  ui.give(traceData(shown));
  sayTrace(ui, shown);
};

export interface FileOptions extends Wanted {
  full: boolean;
  /** Where its tasks and worlds are; the corpus around the file when absent. */
  corpus?: string;
}

/** A file of rollouts: the one that is meant, the only one there is, or a list of them. */
export const showTraceFile = async (
  ui: Ui,
  file: string,
  id: string | undefined,
  options: FileOptions,
): Promise<void> => {
  const corpus = options.corpus === undefined ? corpusAround(file) : Corpus.open(options.corpus);
  if (id !== undefined) {
    const placed = await findTrace(id, tracesIn(file));
    if (placed) return showTrace(ui, placed, corpus, options.full);
    throw new TreadleError({
      code: 'no_such_id',
      message: 'The file has no rollout whose id begins so',
      value: id,
      next: `See what it has: treadle show ${file}`,
    });
  }
  const first: Placed[] = [];
  for await (const placed of tracesIn(file)) if (first.push(placed) > 1) break;
  if (first.length === 1) return showTrace(ui, first[0] as Placed, corpus, options.full);
  await listTraces(ui, listedOf(tracesIn(file)), options);
};
