/** Moments in a reference at which an event may come. */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Task } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';

export interface Moment {
  when: ScenarioEvent['when'];
  /** The reference's call after whose completion it comes. */
  at: number;
}

/** After one of the calls from `least` on and before call `n`; undefined where there is none. */
export const momentBefore = (
  { reference: { calls } }: Pick<Task, 'reference'>,
  n: number,
  random: Rng,
  least = 0,
): Moment | undefined => {
  if (n <= least) return undefined;
  const at = random.int(least, n - 1);
  const tool = calls[at]?.tool as string;
  const nth = calls.slice(0, at + 1).filter((call) => call.tool === tool).length;
  return { when: { after: { tool, nth } }, at };
};
