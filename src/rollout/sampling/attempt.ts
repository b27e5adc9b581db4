/** One attempt at a stage, on copies of everything it could change, and what its milestone says of it. */
import type { Verdict } from '../../artifacts/verdict.js';
import type { SessionTool } from '../../serve/tool-host.js';
import { act, type End } from '../loop.js';
import { outcomeOf } from '../outcome.js';
import type { Policy } from '../policy.js';
import { forkRun, type Run } from '../run.js';
import { userProblem } from '../users/fault.js';
import { addCost, type Cost, metered } from './cost.js';
import type { SamplingHost } from './host.js';
import { attemptLimits, type Ended, keepBudget, type Ready } from './plan.js';
import type { SampledStage } from './stages.js';

/** Where a rollout stands: all that the next attempt begins from. Attempts get copies; nothing in it changes under them. */
export interface Stand {
  host: SamplingHost;
  run: Run;
  /** Replies at the ends of the stages, by node. */
  answers: Readonly<Record<string, string>>;
  verdicts: readonly Verdict[];
}

export interface Tried {
  /** As the attempt left it. */
  stand: Stand;
  end: End;
  passed: boolean;
  /** At the stage's end, or as things stood when it broke off. */
  verdict: Verdict;
  /** With the last stage: of the whole. */
  whole?: Verdict;
  /** The attempt broke off for a reason that is not the policy's. */
  broken?: Ended['why'];
  cost: Cost;
}

/** What broke it off, where that is not the policy's failure. */
export const brokenBy = (
  end: Pick<End, 'finish' | 'problem'>,
  verdict: Pick<Verdict, 'pass' | 'fault'>,
): Ended['why'] | undefined => {
  const { outcome, fault } = outcomeOf(end, verdict);
  if (outcome === 'cut') return end.finish === 'budget' ? 'budget' : 'cut';
  if (outcome !== 'fault') return undefined;
  return fault === 'verifier' || fault === 'user' ? fault : 'infrastructure';
};

/** What the user did wrong in a stage, where anything: a pass that it gave away is none, and a failure that it caused neither. */
export const userSaid = ({ conversation, ledger }: Run, node: string): Pick<End, 'problem'> => {
  const dialogue = conversation?.dialogue(ledger.length);
  const problem = dialogue && userProblem({ ...dialogue, turns: dialogue.turns.filter(({ stage }) => stage === node) });
  return problem ? { problem } : {};
};

/** Judges a stage at its end; the last one as a whole too, because later stages may have undone earlier ones. */
const judge = async (
  { host, run, answers }: Stand,
  stage: SampledStage,
  answer: string,
  trace: string,
): Promise<{ verdict: Verdict; whole?: Verdict }> => {
  const { at, isLast } = stage;
  const atEnd = at === undefined ? undefined : await host.judge({ answer, answers: { ...answers }, at });
  if (atEnd && !isLast) return { verdict: { ...atEnd, trace } };
  // Without a user the final reply itself holds the answers, as the brief asks for them.
  const asWhole = await host.judge({ answer, ...(run.conversation ? { answers: { ...answers } } : {}) });
  const whole = { ...asWhole, trace };
  // What is wrong with the whole alone is the whole's to say.
  return { verdict: atEnd && (!atEnd.pass || whole.pass) ? { ...atEnd, trace } : whole, whole };
};

/** `trace` names what its verdicts are about. Never throws for what a policy or an endpoint does. */
export const tryStage = async (
  plan: Ready,
  from: Stand,
  stage: SampledStage,
  policy: Policy,
  { tools, spent, trace }: { tools: readonly SessionTool[]; spent: Cost; trace: string },
): Promise<Tried> => {
  const host = await from.host.fork();
  const run = forkRun(from.run);
  const callsBefore = run.calls;
  try {
    const meter = metered(policy, (now) => keepBudget(plan, spent, now, run.calls - callsBefore));
    const place = {
      host,
      task: plan.task,
      policy: meter.policy,
      tools,
      stage: stage.index,
      limits: attemptLimits(plan, run.turns + stage.turns),
      ...(plan.signal ? { signal: plan.signal } : {}),
    };
    const halt = await act(run, place, 'stage');
    const end: End = halt.end ?? { finish: 'answered', answer: halt.stage?.reply ?? '' };
    const hasEnded = run.conversation ? halt.stage !== undefined : end.finish === 'answered';
    const reply = halt.stage?.reply ?? end.answer;
    const isAnswered = hasEnded && (stage.at !== undefined || run.conversation !== undefined);
    const answers = isAnswered ? { ...from.answers, [stage.node]: reply } : from.answers;
    const now: Stand = { host, run, answers, verdicts: from.verdicts };
    const { verdict, whole } = await judge(now, stage, reply, trace);
    const broken = brokenBy({ ...end, ...userSaid(run, stage.node) }, verdict);
    const passed = hasEnded && broken === undefined && verdict.pass && (whole?.pass ?? true);
    const cost = meter.cost(run.calls - callsBefore);
    return {
      stand: { ...now, verdicts: [...from.verdicts, verdict] },
      end,
      passed,
      verdict,
      ...(whole ? { whole } : {}),
      ...(broken ? { broken } : {}),
      cost,
    };
  } catch (thrown) {
    await host.drop();
    throw thrown;
  }
};

/** Gives back what an attempt holds, and counts it among what was dropped. */
export const dismiss = async (tried: Tried, dropped: Cost): Promise<void> => {
  addCost(dropped, tried.cost);
  await tried.stand.host.drop();
};
