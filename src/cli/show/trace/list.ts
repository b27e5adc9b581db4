/** Which rollouts there are, one a line, with the beginnings of their ids that `treadle show` takes. */
import type { Trace } from '../../../artifacts/trace.js';
import type { Verdict } from '../../../artifacts/verdict.js';
import type { Corpus } from '../../../corpus/corpus.js';
import { traceHeads } from '../../../corpus/traces/read.js';
import { outcomeOf } from '../../../rollout/outcome.js';
import { behaviourOf } from '../../../verify/behaviour/registry.js';
import type { Ui } from '../../ui.js';
import { cleanShort } from './clean.js';
import type { Placed } from './find.js';
import { outcomeStyle, outcomeWords, producerWords, viewWords } from './summary.js';

/** Rollouts of some task or scenario, or those that did not pass. */
export interface Wanted {
  task?: string;
  failed?: boolean;
}

/** What a list says of a rollout: its head holds that already. */
export interface Listed
  extends Pick<Trace, 'id' | 'taskId' | 'producer' | 'user' | 'detail' | 'scenario' | 'finish' | 'problem' | 'usage'> {
  world?: string;
  origin?: 'prefix' | 'negative' | 'branch' | undefined;
  flags: readonly string[];
  verdict?: Pick<Verdict, 'pass' | 'fault'>;
}

/** Of a corpus: no rollout is read whole. */
export async function* listedIn(corpus: Corpus, worlds: readonly string[] = corpus.worlds()): AsyncGenerator<Listed> {
  for (const world of worlds) for (const head of traceHeads(corpus, world)) yield { ...head, world };
}

/** Of a file. */
export async function* listedOf(all: AsyncIterable<Placed>): AsyncGenerator<Listed> {
  for await (const { found } of all) {
    const { trace, verdict } = found;
    const { id, taskId, producer, user, detail, scenario, finish, problem, usage } = trace;
    const flags = Object.keys(behaviourOf(trace));
    const origin = trace.origin?.kind;
    yield {
      id,
      taskId,
      producer,
      user,
      detail,
      ...(scenario ? { scenario } : {}),
      finish,
      problem,
      usage,
      origin,
      flags,
      ...(verdict ? { verdict } : {}),
    };
  }
}

const isWanted = (row: Listed, { task, failed = false }: Wanted): boolean => {
  if (task !== undefined && row.taskId !== task && row.scenario?.id !== task) return false;
  return !failed || !row.verdict || outcomeOf(row, row.verdict).outcome !== 'passed';
};

/** Says each as it comes; with `--json` all of them in one value. Returns how many there were. */
export const listTraces = async (ui: Ui, all: AsyncIterable<Listed>, wanted: Wanted): Promise<number> => {
  const rows: object[] = [];
  let count = 0;
  for await (const row of all) {
    if (!isWanted(row, wanted)) continue;
    count++;
    const { id, taskId, world, producer, user, detail, scenario, finish, usage, origin, flags } = row;
    const words = outcomeWords(row, row.verdict);
    if (ui.json)
      rows.push({
        id,
        world,
        task: taskId,
        producer,
        user,
        detail,
        scenario: scenario?.id,
        finish,
        outcome: words,
        usage,
        origin,
        flags,
      });
    const view = `(${viewWords(row)}; ${usage.calls} calls${origin === undefined ? '' : `; ${origin}`})`;
    const shown = flags.length > 0 ? `  ${flags.map((flag) => cleanShort(flag)).join(', ')}` : '';
    ui.say(
      `${cleanShort(id, 200).slice(0, 12).padEnd(12)}  ${ui.style(outcomeStyle(words), words.padEnd(10))}  ${cleanShort(taskId, 60)}  ${producerWords(row)}  ${view}${ui.style('dim', shown)}`,
    );
  }
  ui.give(rows);
  if (count === 0) ui.say('No rollouts here. Make some: treadle rollout');
  return count;
};
