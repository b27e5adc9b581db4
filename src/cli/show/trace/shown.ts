/** What is shown of a rollout: the trace with its verdicts, and what the corpus knows besides. */

import type { Scenario } from '../../../artifacts/scenario.js';
import type { ServiceSpec } from '../../../artifacts/service.js';
import type { Task } from '../../../artifacts/task.js';
import type { Retraced } from '../../../rollout/retrace/retrace.js';
import type { Rolled } from '../../pipeline/rollouts.js';
import type { Ui } from '../../ui.js';

export interface Line {
  text: string;
  style?: Parameters<Ui['style']>[0];
}

/** A file of traces may come without verdicts. */
export type FoundTrace = Omit<Rolled, 'verdict'> & { verdict?: Rolled['verdict'] };

export interface ShownTrace extends FoundTrace {
  /** As the corpus has it now, in a scenario with the checks as they were judged; absent where it is gone or has changed. */
  task?: Task;
  /** That it ran in; absent where it is gone or was made anew. */
  scenario?: Scenario;
  services: readonly ServiceSpec[];
  retraced?: Retraced;
  /** Why the calls were not run again. */
  notRetraced?: string;
  /** Nothing is folded. */
  full: boolean;
}
