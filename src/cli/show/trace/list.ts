/** Which rollouts there are, one a line, with the beginnings of their ids that `treadle show` takes. */
import { outcomeOf } from '../../../rollout/outcome.js';
import { behaviourOf } from '../../../verify/behaviour/registry.js';
import type { Ui } from '../../ui.js';
import { cleanShort } from './clean.js';
import type { Placed } from './find.js';
import { outcomeStyle, outcomeWords, producerWords, viewWords } from './summary.js';

/** Rollouts of some task, or those that did not pass. */
export interface Wanted {
  task?: string;
  failed?: boolean;
}

const isWanted = ({ found }: Placed, { task, failed = false }: Wanted): boolean => {
  if (task !== undefined && found.trace.taskId !== task) return false;
  return !failed || !found.verdict || outcomeOf(found.trace, found.verdict).outcome !== 'passed';
};

/** Says each as it comes; with `--json` all of them in one value. Returns how many there were. */
export const listTraces = async (ui: Ui, all: AsyncIterable<Placed>, wanted: Wanted): Promise<number> => {
  const rows: object[] = [];
  let count = 0;
  for await (const placed of all) {
    if (!isWanted(placed, wanted)) continue;
    count++;
    const { trace } = placed.found;
    const words = outcomeWords(placed.found);
    const flags = Object.keys(behaviourOf(trace));
    if (ui.json) {
      const { id, taskId, producer, user, detail, finish, usage } = trace;
      rows.push({
        id,
        world: placed.world,
        task: taskId,
        producer,
        user,
        detail,
        finish,
        outcome: words,
        usage,
        flags,
      });
    }
    const shown = flags.length > 0 ? `  ${flags.join(', ')}` : '';
    ui.say(
      `${trace.id.slice(0, 12).padEnd(12)}  ${ui.style(outcomeStyle(words), words.padEnd(10))}  ${cleanShort(trace.taskId, 60)}  ${producerWords(trace)}  (${viewWords(trace)}; ${trace.usage.calls} calls)${ui.style('dim', shown)}`,
    );
  }
  ui.give(rows);
  if (count === 0) ui.say('No rollouts here. Make some: treadle rollout');
  return count;
};
