/** Training rows of a corpus: its passing traces with their tasks and the tools the agent had. */
import type { Corpus } from '../../corpus/corpus.js';
import { diskError, makeFolder } from '../../corpus/files.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { toolsOffered } from '../../serve/sessions/describe.js';
import { exportSft, type SftReport } from '../../train/sft/export.js';
import type { ExportItem } from '../../train/sft/row.js';
import { readTraces } from './rollouts.js';

export interface RowOptions {
  out: string;
  seed: string;
  format?: string;
  worlds?: readonly string[];
  includeFailed?: boolean;
  validation?: number;
  licence?: string;
}

const itemsOf = function* (corpus: Corpus, worlds: readonly string[]): Generator<ExportItem> {
  for (const id of worlds) {
    const traces = readTraces(corpus, id);
    if (traces.length === 0) continue;
    const { world, services } = corpus.readDescription(id);
    const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [task.id, task]));
    const hashes = new Map([...tasks].map(([name, task]) => [name, addressOf(task)]));
    for (const { trace, verdict } of traces) {
      const task = tasks.get(trace.taskId);
      // A task that was made anew under the same id is another task.
      if (!task || hashes.get(task.id) !== trace.task) continue;
      yield { trace, verdict, task, tools: toolsOffered(world, services, task.services) };
    }
  }
};

/** Writes the rows; the same corpus and options give the same bytes. Disk trouble is said as everywhere else. */
export const exportCorpus = async (corpus: Corpus, options: RowOptions): Promise<SftReport> => {
  makeFolder(options.out);
  try {
    return await exportSft(itemsOf(corpus, options.worlds ?? corpus.worlds()), {
      out: options.out,
      split: { validation: options.validation ?? 0.1, seed: options.seed },
      onlyPassing: !options.includeFailed,
      ...(options.format ? { format: options.format } : {}),
      ...(options.licence ? { licence: options.licence } : {}),
    });
  } catch (thrown) {
    if (thrown instanceof TreadleError && thrown.code === 'cannot_write')
      throw diskError(thrown.cause, options.out, 'write');
    throw thrown;
  }
};
