/**
 * The reference with a slip in some of its stages, each drawn on its own: error rates per stage are what sampling methods differ
 * in. It only ever acts on the stage that is asked for, so that kept history is respected whatever earlier attempts did.
 */
import type { Task } from '../../artifacts/task.js';
import type { Producer } from '../../artifacts/trace.js';
import { rng } from '../../kit/rng.js';
import { callsByStage } from '../../tasks/stage-calls.js';
import { askingNodes } from '../../verify/stage-answer.js';
import type { Policy, View } from '../policy.js';
import type { Mistake } from './mistakes.js';
import { answering, madeCalls } from './replay.js';
import { stepsAt } from './scripted.js';
import { stageReply } from './stages.js';
import { guess } from './wrong-answers.js';

/** `wrong_answer` and `gives_up` are of a stage, the others of one of its calls. */
export const SLIPS = [
  'gives_up',
  'skipped_step',
  'wrong_entity',
  'wrong_answer',
  'extra_write',
  'repeated_call',
  'malformed_call',
] as const;
export type SlipKind = (typeof SLIPS)[number];

/** Slips after which a stage cannot pass: nothing of it is done, or its question has a wrong answer. */
export const FATAL_SLIPS: readonly SlipKind[] = ['gives_up', 'wrong_answer'];

export interface Slipping {
  /** Chance of a slip in each stage. */
  rate: number;
  /** All of them when absent. */
  kinds?: readonly SlipKind[];
}

interface Span {
  node: string;
  from: number;
  to: number;
}

interface Slip {
  kind: SlipKind;
  step: number;
}

/** The calls of each stage. */
const spansOf = (task: Task): Span[] => {
  const ends = callsByStage(task);
  const nodes = task.disclosure.stages.map(({ node }) => node);
  return ends.map((to, n) => ({
    node: nodes[n] ?? task.nodes[0]?.id ?? 'a1',
    from: n === 0 ? 0 : (ends[n - 1] ?? 0),
    to,
  }));
};

const answerOf = (task: Task, { node }: Span): { answer: NonNullable<Task['answer']>; says: string } | undefined => {
  const own = task.milestones.find((milestone) => milestone.node === node && milestone.answer !== undefined);
  if (own?.answer) return { answer: own.answer, says: own.says ?? '' };
  const isOnly = task.disclosure.stages.length <= 1;
  return isOnly && task.answer ? { answer: task.answer, says: task.reference.answer } : undefined;
};

const canHappen = (task: Task, span: Span, kind: SlipKind): boolean => {
  if (kind === 'gives_up') return true;
  if (kind === 'wrong_answer') return (answerOf(task, span)?.answer.distractors.length ?? 0) > 0;
  if (span.to <= span.from) return false;
  if (kind !== 'wrong_entity') return true;
  return task.reference.sources.some(({ call, from }) => call >= span.from && call < span.to && 'observed' in from);
};

/** The slip of a stage, from its own stream; undefined where there is none. */
const slipOf = (task: Task, span: Span, seed: string, { rate, kinds = SLIPS }: Slipping): Slip | undefined => {
  const random = rng(seed, task.id, 'slip', span.node);
  if (!random.chance(rate)) return undefined;
  const possible = kinds.filter((kind) => canHappen(task, span, kind));
  if (possible.length === 0) return undefined;
  const kind = random.pick(possible);
  const pointed = task.reference.sources.flatMap(({ call, from }) => ('observed' in from ? [call] : []));
  const all = Array.from({ length: span.to - span.from }, (_, n) => span.from + n);
  const steps = kind === 'wrong_entity' ? all.filter((n) => pointed.includes(n)) : all;
  // The last steps are where the work is done.
  return { kind, step: random.chance(0.6) ? (steps.at(-1) ?? span.from) : random.pick(steps.length > 0 ? steps : [0]) };
};

const GAVE_UP = 'I could not find what is needed for this, so I am leaving it.';

/** Whoever looked at the wrong thing, or not at all, answers wrongly where something is asked. */
const GUESSES: readonly (SlipKind | undefined)[] = ['wrong_answer', 'wrong_entity', 'skipped_step'];

const replyAfter = (task: Task, span: Span, slip: Slip | undefined, right: string, seed: string): string => {
  if (slip?.kind === 'gives_up') return GAVE_UP;
  const asked = answerOf(task, span);
  if (!asked || !GUESSES.includes(slip?.kind)) return right;
  const { answer, says } = asked;
  const wrong = { ...task, answer, reference: { ...task.reference, answer: says } };
  return guess(wrong, rng(seed, task.id, 'guess', span.node));
};

/** The final message of a rollout that nobody asked stage by stage. */
const finalReply = (task: Task, spans: readonly Span[], slips: readonly (Slip | undefined)[], seed: string): string => {
  const asking = askingNodes(task);
  const replies = asking.map((node) => {
    const n = spans.findIndex((span) => span.node === node);
    const span = spans[n];
    return span ? replyAfter(task, span, slips[n], answerOf(task, span)?.says ?? '', seed) : '';
  });
  if (replies.length > 1) return replies.map((reply, n) => `${n + 1}. ${reply}`).join('\n');
  const only = spans.find(({ node }) => node === asking[0]) ?? spans.at(-1);
  const at = only ? spans.indexOf(only) : -1;
  return only ? replyAfter(task, only, slips[at], task.reference.answer, seed) : task.reference.answer;
};

/** Stateless: what comes next follows from the history. `seed` fixes the slips; `producer` names the policy whatever the seed. */
export const slippingPolicy = (task: Task, seed: string, slipping: Slipping, producer: Producer): Policy => {
  const spans = spansOf(task);
  const slips = spans.map((span) => slipOf(task, span, seed, slipping));
  const stepsIn = (n: number): ReturnType<typeof stepsAt> => {
    const { from, to } = spans[n] as Span;
    const slip = slips[n];
    if (slip?.kind === 'gives_up') return [];
    const plan: Mistake[] = slip && slip.kind !== 'wrong_answer' ? [{ kind: slip.kind, step: slip.step }] : [];
    return Array.from({ length: to - from }, (_, i) => stepsAt(task, from + i, plan, seed)).flat();
  };
  return {
    producer,
    next: (view: View) => {
      const made = madeCalls(view.messages);
      const { stage } = view;
      // A stage beyond the last only asks for the final reply: all is done.
      const due = stage === undefined ? spans.map((_, n) => n) : stage < spans.length ? [stage] : [];
      for (const step of due.flatMap(stepsIn)) {
        const action = made.has(step.id) ? undefined : step.act(view);
        if (action) return action;
      }
      const span = spans[stage ?? -1];
      if (stage === undefined) return answering(finalReply(task, spans, slips, seed), view);
      const right = stageReply(task, view);
      return answering(span ? replyAfter(task, span, slips[stage], right, seed) : right, view);
    },
  };
};

/** Its producer: the rate and the kinds are its name. */
export const slippingProducer = ({ rate, kinds }: Slipping, seed: string): Producer => ({
  policy: 'scripted',
  name: `slips@${rate}${kinds ? `:${kinds.join('+')}` : ''}`,
  seed,
});
