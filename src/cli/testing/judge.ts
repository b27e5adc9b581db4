/** One run of a task judged: passed, failed with what failed, or an error that is nobody's failing. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Task } from '../../artifacts/task.js';
import type { Verdict } from '../../artifacts/verdict.js';
import type { TraceLine } from '../../corpus/traces/line.js';
import { outcomeOf } from '../../rollout/outcome.js';
import { checkWords } from '../review/check-words.js';
import type { FailedCheck, TestRun } from './result.js';

export type Judged = Pick<TestRun, 'outcome' | 'why' | 'type' | 'checks'>;

export const failedChecks = (task: Task, { milestones }: Verdict, services: readonly ServiceSpec[]): FailedCheck[] =>
  milestones.flatMap(({ id, checks }) =>
    checks
      .filter(({ pass }) => !pass)
      .map(({ check, kind, evidence }) => {
        const asked = task.milestones.find((one) => one.id === id)?.checks.find((one) => one.id === check);
        return { milestone: id, check, evidence, asked: asked ? checkWords(asked, services) : kind };
      }),
  );

const firstWhy = (checks: readonly FailedCheck[]): string => {
  const [first] = checks;
  if (!first) return 'its milestones are not met';
  const more = checks.length > 1 ? ` (and ${checks.length - 1} more)` : '';
  return `${first.check}: ${first.evidence}${more}`;
};

/** A time that was up and an exit status are the agent's own; `cut` from outside is not a run at all and is for the caller. */
export const judge = ({ trace, verdict }: TraceLine, task: Task, services: readonly ServiceSpec[]): Judged => {
  const checks = failedChecks(task, verdict, services);
  const { problem } = trace;
  const { outcome, fault } = outcomeOf(trace, verdict);
  if (outcome === 'fault') {
    const why = problem ? `${problem.message} (fault: ${problem.fault})` : `a check broke (fault: ${fault})`;
    return { outcome: 'error', why, type: problem?.code ?? 'verifier', checks: [] };
  }
  if (outcome === 'cut') return { outcome: 'failed', why: problem?.message ?? 'cut', type: 'timeout', checks };
  // Who says that it failed has failed, whatever it left behind.
  if (trace.finish === 'error')
    return { outcome: 'failed', why: problem?.message ?? '', type: problem?.code ?? 'error', checks };
  if (outcome === 'passed') return { outcome: 'passed', checks: [] };
  const said = trace.finish === 'answered' ? '' : `${trace.finish.replaceAll('_', ' ')}; `;
  return { outcome: 'failed', why: said + firstWhy(checks), type: 'check', checks };
};
