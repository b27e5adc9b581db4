/** How a harness's rollout ended, and whose fault it was where it did not end well. */
import type { Trace } from '../../artifacts/trace.js';
import type { TreadleError } from '../../errors.js';
import type { Ended } from './program.js';

export type End = Pick<Trace, 'finish' | 'answer' | 'problem'>;

export interface Facts {
  ended: Ended;
  /** What the gateway says against the model, the backend or the budget. */
  problem?: TreadleError | undefined;
  exchanges: number;
  calls: number;
  /** The final answer, printed or said; undefined where there is none. */
  answer: string | undefined;
  /** What it last complained of, shortened and without anything of this machine. */
  complaint: string;
  /** Its model speaks through the gateway; else only its calls and its words show that it did anything. */
  isHeard: boolean;
  /** Its model was shown tools, and none of the world's among them. */
  isWithoutTools: boolean;
}

const OVER_BUDGET: Readonly<Record<string, End['finish']>> = {
  turn_budget: 'turn_limit',
  // As many calls as no task takes: it has lost its way.
  call_budget: 'turn_limit',
  token_budget: 'budget',
  cost_budget: 'budget',
};

const problemOf = (error: TreadleError): NonNullable<End['problem']> => ({
  code: error.code,
  message: error.line(),
  fault: error.fault,
});

const broke = (code: string, message: string, fault: string): End => ({
  finish: 'error',
  answer: '',
  problem: { code, message, fault },
});

const stoppedBy = (by: TreadleError): End => ({
  finish: by.code === 'deadline' || by.code === 'cut' ? 'cut' : (OVER_BUDGET[by.code] ?? 'error'),
  answer: '',
  problem: problemOf(by),
});

/** What is said of a program that ended with status or signal; a jail tells of a signal by a status above 128. */
const statusText = (code: number | null, signal: string | null): string =>
  signal !== null ? `by ${signal}` : code !== null && code > 128 ? `by signal ${code - 128}` : `with status ${code}`;

/**
 * A harness that breaks once it has begun has failed its task, as an agent fails that gives up: fault `policy`, and its verdict
 * counts. One that breaks before it spoke to model or tools, or never showed its model the world's tools, says nothing of who
 * acts: fault `infrastructure` (its installation, or a machine too slow for its patience).
 */
export const endOf = ({ ended, problem, exchanges, calls, answer, complaint, isHeard, isWithoutTools }: Facts): End => {
  if (ended.how === 'not_started') return { finish: 'error', answer: '', problem: problemOf(ended.by) };
  if (ended.how === 'stopped') return stoppedBy(problem ?? ended.by);
  if (problem) return stoppedBy(problem);
  const { code, signal } = ended;
  const hasBegun = exchanges > 0 || calls > 0;
  const said = complaint === '' ? '' : `: ${complaint}`;
  if (signal !== null || code !== 0) {
    const isKilled = signal !== null || (code ?? 0) > 128;
    const message = `The harness ended ${statusText(code, signal)}${hasBegun ? '' : ' before it spoke to its model'}${said}`;
    return broke(isKilled ? 'harness_killed' : 'harness_failed', message, hasBegun ? 'policy' : 'infrastructure');
  }
  if (!hasBegun && (isHeard || !answer))
    return broke(
      'harness_idle',
      `The harness ended well and never spoke to its model or called a tool${said}`,
      'policy',
    );
  if (isWithoutTools && calls === 0)
    return broke(
      'harness_without_tools',
      'The harness showed its model none of the tools of the world: it did not reach them over MCP in its time',
      'infrastructure',
    );
  return { finish: 'answered', answer: answer ?? '' };
};

const COMPLAINT = /error|exception|cannot|can't|fail|refused|denied|not found|no such|invalid/i;

/** The last line that sounds like a complaint, else the last that is not empty; shortened, with what must not be kept replaced. */
export const complaintOf = (text: string, secrets: readonly (readonly [secret: string, shown: string])[]): string => {
  const lines = text
    .slice(-20_000)
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean);
  const line = lines.findLast((each) => COMPLAINT.test(each)) ?? lines.at(-1) ?? '';
  const safe = secrets.reduce((kept, [secret, shown]) => kept.replaceAll(secret, shown), line);
  return safe.length > 300 ? `${safe.slice(0, 297)}...` : safe;
};
