/** Prefix-preserving rejection sampling of one task (weft.txt 3.3.1): accepted whole, or the prefix that passed and why it ends. */
import type { Trace } from '../../artifacts/trace.js';
import type { End } from '../loop.js';
import { traceOf } from '../rollout.js';
import { Climb, type ClimbSettings, climbSettings } from './climb.js';
import type { Cost } from './cost.js';
import type { SamplingHost } from './host.js';
import { type Ended, type Judged, type Ready, ready, type SamplingPlan } from './plan.js';
import { stagesOf } from './stages.js';

export interface Sampled {
  accepted: boolean;
  /** The kept segments as one trajectory; where nothing was accepted, the prefix that passed. */
  kept: Judged;
  /** Failed attempts, each with the whole history before it; or rejected trajectories. */
  dropped: Judged[];
  cost: { kept: Cost; dropped: Cost };
  ended?: Ended;
}

const settingsOf = (plan: Ready): ClimbSettings => climbSettings(plan, { method: 'prefix' });

/** The id that the kept trace will have. */
export const prefixId = (plan: SamplingPlan): string => settingsOf(ready(plan)).id;

/** How the trace of a prefix ends: by its policy's failure, or by what broke it off. */
const endOf = ({ why, message }: Ended, broken: End | undefined): End => {
  if (why === 'never_passed')
    return { finish: 'error', answer: '', problem: { code: 'stage_never_passed', message, fault: 'policy' } };
  if (why === 'verifier')
    return { finish: 'error', answer: '', problem: { code: 'verifier_broken', message, fault: 'verifier' } };
  const problem = broken?.problem ?? { code: why, message, fault: why === 'user' ? 'user' : 'infrastructure' };
  return { finish: broken?.finish ?? 'error', answer: '', problem };
};

/**
 * Takes the task's stages in order and keeps what passes. A failed attempt is dropped and tried again from exactly where its
 * stage began, at most `retries` times. `onEnd` sees the host as the kept stages left it, before it is dropped. Throws
 * `not_forkable`, `unjudged_stage` and `bad_retries` before anything has run; what policies and endpoints do is in the outcome.
 */
export const samplePrefix = async (
  plan: SamplingPlan,
  onEnd?: (host: SamplingHost) => void | Promise<void>,
): Promise<Sampled> => {
  const own = ready(plan);
  const { task, hash, detail, retries, limits } = own;
  const stages = stagesOf(task, own.user !== undefined, own.limits.stageTurns);
  const settings = settingsOf(own);
  const { id, producer } = settings;
  const climb = await Climb.open(settings);
  try {
    for (const stage of stages) if (!((await climb.ask(stage)) && (await climb.take(stage)))) break;
    const { ended, stand, passed, negatives } = climb;
    const end = ended ? endOf(ended, climb.end) : (climb.end as End);
    const whole = climb.whole ?? {
      ...(await stand.host.judge({ answer: '', answers: { ...stand.answers } })),
      trace: id,
    };
    const about = { id, hash, task, producer, user: own.user ? 'simulated' : 'none', detail, limits } as const;
    const trace: Trace = { ...traceOf(stand.run, end, about), origin: { kind: 'prefix', retries, stages: passed } };
    await onEnd?.(stand.host);
    return {
      accepted: ended === undefined,
      kept: { trace, verdict: whole, ...(own.user ? { stages: [...stand.verdicts] } : {}) },
      dropped: negatives,
      cost: { kept: climb.kept, dropped: climb.dropped },
      ...(ended ? { ended } : {}),
    };
  } finally {
    await climb.drop();
  }
};
