/** Fault events: a read fails for good (P2), and what it showed has to be seen by another tool (dynamics.md, "fault"). */
import type { Rng } from '../../kit/rng.js';
import type { Candidate } from './accept.js';
import { eventOf } from './blank.js';
import { momentFor } from './lies.js';
import { lookingBy, looksOf } from './looks.js';
import type { Stage } from './trial.js';

/** One candidate for each tool that reads, at its last look, where another tool shows the same. */
export const closures = (stage: Stage, random: Rng): Candidate[] => {
  const { reference } = stage.task;
  return looksOf(stage).flatMap((look) => {
    const { n, tool, ways } = look;
    const own = random.stream(String(n));
    const isLast = !reference.calls.some((call, at) => at > n && call.tool === tool.name);
    const moment = isLast && ways.length > 0 ? momentFor(stage, look, own) : undefined;
    if (!moment) return [];
    const event = eventOf({
      id: `closed_${n}`,
      source: 'fault',
      when: moment.when,
      effect: { fault: { profile: 'P2', tool: tool.name, seed: String(own.int(0, 9_999)) } },
      notify: { to: 'none', discoverBy: [tool.name] },
      reference: lookingBy(look, own.pick(ways)),
    });
    return [{ event, answer: reference.answer }];
  });
};
