/** Training rows of a corpus: its passing traces with their tasks and the tools the agent had. */

import type { Corpus } from '../../corpus/corpus.js';
import { diskError, exists, makeFolder } from '../../corpus/files.js';
import { readReviews } from '../../corpus/review/records.js';
import { acceptance, type NotAccepted } from '../../corpus/review/standing.js';
import { eachTrace, tracesFile } from '../../corpus/traces/read.js';
import { TreadleError } from '../../errors.js';
import { addressOf } from '../../kit/hash.js';
import { toolsOffered } from '../../serve/sessions/describe.js';
import type { Exclusion } from '../../train/sft/exclude.js';
import { type CardOptions, exportSft, type SftOptions, type SftReport } from '../../train/sft/export.js';
import type { ExportItem } from '../../train/sft/row.js';
import { bump } from '../../train/sft/tally.js';
import { behaviourOf } from '../../verify/behaviour/registry.js';
import { type Penalties, type RewardShape, rewardOf } from '../../verify/reward.js';
import { scenesIn } from './scenes.js';

export interface RowOptions {
  out: string;
  seed: string;
  format?: SftOptions['format'];
  file?: SftOptions['file'];
  worlds?: readonly string[];
  validation?: number;
  /** Failed rollouts and dropped attempts too, marked. */
  negatives?: boolean;
  /** Only tasks whose current hash was accepted by a reviewer. */
  onlyAccepted?: boolean;
  /** How the rows' rewards are reckoned; 1 for a pass and no penalty when absent. */
  reward?: { shape: RewardShape; penalties: Penalties };
  filters?: SftOptions['filters'];
  mix?: SftOptions['mix'];
  mergesNotices?: boolean;
  card?: Pick<CardOptions, 'licence' | 'modelLicences' | 'versions'>;
}

/** What reviews kept out: tasks with rollouts, and those rollouts, by reason. */
export type LeftOut = Record<NotAccepted, { tasks: number; rollouts: number }>;

/** Lets accepted tasks through and counts the others. */
class ReviewGate {
  readonly leftOut: LeftOut = {
    rejected: { tasks: 0, rollouts: 0 },
    changed_since_review: { tasks: 0, rollouts: 0 },
    not_reviewed: { tasks: 0, rollouts: 0 },
  };
  readonly accepted = new Set<string>();
  readonly #why: ReturnType<typeof acceptance>;
  readonly #told = new Set<string>();

  constructor(corpus: Corpus) {
    this.#why = acceptance(readReviews(corpus));
  }

  lets(id: string, hash: string): boolean {
    const why = this.#why(id, hash);
    if (why === undefined) {
      this.accepted.add(hash);
      return true;
    }
    if (!this.#told.has(hash)) this.leftOut[why].tasks++;
    this.#told.add(hash);
    this.leftOut[why].rollouts++;
    return false;
  }
}

const itemsOf = function* (
  corpus: Corpus,
  options: RowOptions,
  leftOut: Map<Exclusion, number>,
  reviews?: ReviewGate,
): Generator<ExportItem> {
  const { worlds = corpus.worlds(), reward: { shape, penalties } = { shape: 'all', penalties: {} } } = options;
  for (const id of worlds) {
    if (!exists(tracesFile(corpus, id))) continue;
    const { world, services } = corpus.readDescription(id);
    const tasks = new Map(corpus.readTasks(id).tasks.map((task) => [task.id, task]));
    const hashes = new Map([...tasks].map(([name, task]) => [name, addressOf(task)]));
    const sceneOf = scenesIn(corpus, id);
    // One rollout at a time: a world may have hundreds of thousands.
    for (const { trace, verdict } of eachTrace(corpus, id)) {
      const task = tasks.get(trace.taskId);
      // A task that was made anew under the same id is another task.
      if (!task || hashes.get(task.id) !== trace.task) {
        bump(leftOut, 'task_gone');
        continue;
      }
      const scene = trace.scenario ? sceneOf(task, trace.scenario) : undefined;
      if (trace.scenario && !scene) {
        bump(leftOut, 'scenario_gone');
        continue;
      }
      if (reviews && !reviews.lets(task.id, trace.task)) {
        bump(leftOut, 'not_reviewed');
        continue;
      }
      const reward = rewardOf(verdict, behaviourOf(trace), shape, penalties);
      const tools = [...toolsOffered(world, services, task.services), ...(scene?.tools ?? [])];
      yield { trace, verdict, task: scene?.task ?? task, tools, reward };
    }
  }
};

export interface CorpusRows extends SftReport {
  /** Where only accepted tasks were wanted: how many with rollouts were, and what was left out. */
  reviewed?: { accepted: number; leftOut: LeftOut };
}

/** Writes the rows; the same corpus and options give the same bytes. Disk trouble is said as everywhere else. */
export const exportCorpus = async (corpus: Corpus, options: RowOptions): Promise<CorpusRows> => {
  const { out, seed, validation = 0.1, negatives = false, onlyAccepted = false, format, file, filters, mix } = options;
  makeFolder(out);
  const reviews = onlyAccepted ? new ReviewGate(corpus) : undefined;
  const leftOut = new Map<Exclusion, number>();
  try {
    const report = await exportSft(itemsOf(corpus, options, leftOut, reviews), {
      out,
      split: { validation, seed },
      onlyPassing: !negatives,
      ...(format ? { format } : {}),
      ...(file ? { file } : {}),
      ...(filters ? { filters } : {}),
      ...(mix ? { mix } : {}),
      ...(options.mergesNotices ? { mergesNotices: true } : {}),
      card: {
        ...options.card,
        ...(reviews ? { title: 'Treadle rollouts of tasks that a person accepted' } : {}),
        leftOut,
      },
    });
    return reviews ? { ...report, reviewed: { accepted: reviews.accepted.size, leftOut: reviews.leftOut } } : report;
  } catch (thrown) {
    if (thrown instanceof TreadleError && thrown.code === 'cannot_write') throw diskError(thrown.cause, out, 'write');
    throw thrown;
  }
};
