/** Which rollouts become no training row, and why. */
import { says } from '../../tasks/disclosure/holds.js';
import type { ExportItem } from './row.js';

export type Exclusion =
  | 'failed'
  | 'unfinished'
  | 'verifier_fault'
  | 'malformed_call'
  | 'not_told'
  | 'other_task'
  | 'no_conversation'
  | 'duplicate';

/** A replay knows what nobody told it: such a row would teach to make values up. */
const usesUntold = ({ trace, task }: ExportItem): boolean => {
  const { producer, detail, messages } = trace;
  if (detail === 'full' || (producer.policy !== 'reference' && producer.policy !== 'scripted')) return false;
  const told = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n');
  return task.reference.sources.some(({ from }) => 'brief' in from && !says(told, from.brief));
};

/** Why the rollout is left out; undefined when it becomes a row. With `onlyPassing` off, failed ones stay (they are the negatives). */
export const exclusionOf = (item: ExportItem, onlyPassing: boolean): Exclusion | undefined => {
  const { trace, verdict, task } = item;
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
  if (onlyPassing && usesUntold(item)) return 'not_told';
  if (!trace.messages.some(({ role }) => role === 'assistant')) return 'no_conversation';
  return undefined;
};
