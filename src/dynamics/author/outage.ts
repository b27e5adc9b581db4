/** Fault events: a tool that the task cannot do without fails aloud, and passes (P1 of dynamics.md). */
import type { ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import type { Rng } from '../../kit/rng.js';
import type { Candidate } from './accept.js';
import type { Stage } from './trial.js';
import { momentBefore } from './when.js';

/** One candidate for each call that writes; who gives up, or does not look whether it was done, fails. */
export const outages = ({ task, world }: Stage, random: Rng): Candidate[] =>
  task.reference.calls.flatMap((call: Call, n) => {
    const isWrite = (world.tools.get(call.tool)?.tool.tool.writes.length ?? 0) > 0;
    const moment = isWrite ? momentBefore(task, n, random.stream(`outage ${n}`)) : undefined;
    // It strikes the next call of the tool, which may be an earlier one than this.
    if (!moment || task.reference.calls.slice(moment.at + 1, n).some(({ tool }) => tool === call.tool)) return [];
    const { when } = moment;
    const times = random.stream(`times ${n}`).int(1, 3);
    const event: ScenarioEvent = {
      id: `outage_${n}`,
      source: 'fault',
      when,
      guard: [],
      needs: [],
      excludes: [],
      reads: [],
      writes: [],
      effect: { fault: { profile: 'P1', tool: call.tool, times } },
      notify: { to: 'none', discoverBy: [call.tool] },
      checks: { retire: [], replace: [], add: [] },
      reference: { insert: Array.from({ length: times }, () => call), from: n, drop: 0 },
    };
    return [{ event, answer: task.reference.answer }];
  });
