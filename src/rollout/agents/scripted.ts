/** The reference with seeded mistakes: rollouts whose failure has a known cause, for verifiers, attribution, sampling and credit. */
import type { Task } from '../../artifacts/task.js';
import { type Rng, rng } from '../../kit/rng.js';
import type { Action, Policy, View } from '../policy.js';
import { DEFAULT_RATES, type Mistake, type MistakeRates, planMistakes, planName } from './mistakes.js';
import { answering, argumentsOf, callId, madeCalls, offeredName, referenceCall, resultOf } from './replay.js';
import { callsDue, isLastStage, stageReply } from './stages.js';
import { looksRefused, STRAY_TRIES, strayWrite } from './stray.js';
import { nearMiss, wrongArguments } from './wrong.js';
import { guess, shotgun } from './wrong-answers.js';

export interface Step {
  /** The reference call that it belongs to. */
  n: number;
  /** Id of the call it makes; a step whose call was made is done. */
  id: string;
  /** Undefined: there is nothing to do after all. */
  act: (view: View) => Action | undefined;
}

const one = (id: string, name: string, args: Action['calls'][number]['args']): Action => ({
  text: '',
  calls: [{ id, name, args }],
});

/** Tries until a write nobody asked for goes through. */
const strayTries = (task: Task, n: number, random: Rng): Step[] =>
  Array.from({ length: STRAY_TRIES }, (_, nth) => {
    const id = `extra_${n}_${nth}`;
    return {
      n,
      id,
      act: (view: View) => {
        const before = resultOf(view.messages, `extra_${n}_${nth - 1}`);
        if (nth > 0 && !looksRefused(before)) return undefined;
        const stray = strayWrite(view.tools, view.messages, random.stream(task.id), nth);
        return stray ? one(id, stray.name, { ok: true, args: stray.args }) : undefined;
      },
    };
  });

/** What a plan makes of reference call `n`. */
export const stepsAt = (task: Task, n: number, plan: readonly Mistake[], seed: string): Step[] => {
  const has = (kind: Mistake['kind']): boolean => plan.some((mistake) => mistake.kind === kind && mistake.step === n);
  const random = () => rng(seed, task.id, 'step', String(n));
  const call = task.reference.calls[n];
  if (!call) return [];
  // Who looked up the wrong thing, or nothing, has no id to go by and guesses.
  const unseen = plan.some(({ kind }) => kind === 'wrong_entity' || kind === 'skipped_step') ? nearMiss : undefined;
  const steps: Step[] = [];
  if (has('malformed_call')) {
    steps.push({
      n,
      id: `${callId(n)}_malformed`,
      act: (view) => {
        const raw = JSON.stringify(argumentsOf(task, n, view.messages)).slice(0, -1);
        return one(`${callId(n)}_malformed`, offeredName(call, view.tools), {
          ok: false,
          raw,
          why: 'the arguments are not JSON: they end too early',
        });
      },
    });
  }
  if (has('wrong_entity')) {
    steps.push({
      n,
      id: callId(n),
      act: (view) => {
        const args = wrongArguments(task, n, argumentsOf(task, n, view.messages, unseen), view.messages, random());
        return one(callId(n), offeredName(call, view.tools), { ok: true, args });
      },
    });
  } else if (!has('skipped_step'))
    steps.push({ n, id: callId(n), act: (view) => referenceCall(task, n, view, callId(n), unseen) });
  if (has('repeated_call'))
    steps.push({
      n,
      id: `${callId(n)}_again`,
      act: (view) => referenceCall(task, n, view, `${callId(n)}_again`, unseen),
    });
  if (has('extra_write')) steps.push(...strayTries(task, n, random()));
  return steps;
};

/** The final message: who looked at the wrong thing, or not at all, answers wrongly. */
const lastWords = (task: Task, plan: readonly Mistake[], seed: string): string => {
  const has = (...kinds: Mistake['kind'][]): boolean => plan.some(({ kind }) => kinds.includes(kind));
  if (has('giving_up')) return 'I could not find what is needed for this, so I am leaving it.';
  if (has('shotgun_answer')) return shotgun(task, rng(seed, task.id, 'shotgun'));
  return has('wrong_entity', 'skipped_step') ? guess(task, rng(seed, task.id, 'guess')) : task.reference.answer;
};

/** Stateless, like the reference: what comes next follows from the history. `seed` fixes the mistakes; their plan is the name. */
export const scriptedPolicy = (task: Task, seed: string, rates: MistakeRates = DEFAULT_RATES): Policy =>
  plannedPolicy(task, planMistakes(task, rates, seed), seed);

/** The reference with just these mistakes; `seed` draws what they are about. */
export const plannedPolicy = (task: Task, plan: readonly Mistake[], seed: string): Policy => {
  const end = plan.find(({ kind }) => kind === 'giving_up');
  const calls = task.reference.calls.slice(0, end?.step);
  const steps = calls.flatMap((_, n) => stepsAt(task, n, plan, seed));
  const last = lastWords(task, plan, seed);
  return {
    producer: { policy: 'scripted', name: planName(plan), seed },
    next: (view) => {
      const made = madeCalls(view.messages);
      const due = callsDue(task, view);
      for (const step of steps) {
        if (step.n >= due) break;
        const action = made.has(step.id) ? undefined : step.act(view);
        if (action) return action;
      }
      const hasGivenUp = end !== undefined && end.step < due;
      return answering(isLastStage(task, view) || hasGivenUp ? last : stageReply(task, view), view);
    },
  };
};
