/** Which rollouts become no training row, and why. */
import type { ExportItem } from './row.js';

export type Exclusion =
  | 'failed'
  | 'unfinished'
  | 'verifier_fault'
  | 'malformed_call'
  | 'other_task'
  | 'no_conversation'
  | 'duplicate';

/** Why the rollout is left out; undefined when it becomes a row. With `onlyPassing` off, failed ones stay (they are the negatives). */
export const exclusionOf = ({ trace, verdict, task }: ExportItem, onlyPassing: boolean): Exclusion | undefined => {
  if (verdict.trace !== trace.id || verdict.task !== trace.task || trace.taskId !== task.id) return 'other_task';
  if (verdict.fault === 'verifier') return 'verifier_fault';
  if (trace.finish === 'error' || trace.finish === 'cut') return 'unfinished';
  if (onlyPassing && !verdict.pass) return 'failed';
  // A passing conversation must not teach to write broken arguments.
  if (
    onlyPassing &&
    trace.messages.some(({ toolCalls }) => toolCalls?.some(({ malformed }) => malformed !== undefined))
  )
    return 'malformed_call';
  if (!trace.messages.some(({ role }) => role === 'assistant')) return 'no_conversation';
  return undefined;
};
