import { expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Trace } from '../../artifacts/trace.js';
import { headOf, type TraceHead } from '../../corpus/traces/line.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { progressOf, sourceWords } from './roll/progress.js';
import { RolloutSums } from './rollout-sums.js';

const headWith = async (change: Partial<Trace>, pass: boolean): Promise<TraceHead> => {
  const task = toyTask();
  const trace = { ...(await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) })), ...change };
  return headOf({ trace, verdict: toyVerdict(trace, pass) });
};
const within = (...sources: NonNullable<Trace['scenario']>['sources']): Pick<Trace, 'scenario'> => ({
  scenario: { id: 'e1', hash: 'a'.repeat(64), sources },
});

it('counts passes in scenarios by source, one of several for each, and what did not finish for none', async () => {
  const [one, other] = [new RolloutSums(), new RolloutSums()];
  one.add(await headWith(within('fault', 'requirement'), true));
  one.add(await headWith(within('fault'), false));
  one.add(await headWith({ ...within('fault'), finish: 'cut' }, false));
  one.add(await headWith({}, true));
  other.add(await headWith(within('state'), true));
  other.add(await headWith(within('fault'), true));
  one.merge(other.data());
  expect(one.summary().sources).toEqual({
    requirement: { passed: 1, of: 1 },
    state: { passed: 1, of: 1 },
    fault: { passed: 2, of: 3 },
  });
  expect(sourceWords(one.sources)).toBe('requirement 1 of 1, state 1 of 1, fault 2 of 3');
  const lines: string[] = [];
  progressOf(6, (line) => lines.push(line)).show(6, 0, one);
  expect(lines[0]).toMatch(
    /^6 of 6 rollouts.*: 4 passed, 1 failed, 1 cut; requirement 1 of 1, state 1 of 1, fault 2 of 3$/,
  );
});

it('says nothing of sources where no rollout was in a scenario', async () => {
  const sums = new RolloutSums();
  sums.add(await headWith({}, true));
  expect(sums.summary()).not.toHaveProperty('sources');
  const lines: string[] = [];
  progressOf(1, (line) => lines.push(line)).show(1, 0, sums);
  expect(lines[0]).toMatch(/: 1 passed, 0 failed$/);
});
