/** A rubric in words beside the checks: what a judge looks for in a rollout (weft.txt 3.2.1). */
import type { AnswerSpec } from '../artifacts/check.js';

/** One line for what is asked, one for what may change. `says` is the reference's reply. */
export const rubricOf = (
  request: string,
  { answer, says, changes }: { answer?: AnswerSpec | undefined; says: string; changes: boolean },
): string[] => [
  ...(changes || !answer ? [request] : []),
  ...(answer ? [`Replies with ${says} when asked ${answer.asks}.`] : []),
  changes ? 'Changes nothing else.' : 'Changes nothing.',
];
