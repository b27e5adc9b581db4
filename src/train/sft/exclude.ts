/** Which rollouts become no training row, and why. */
import { outcomeOf } from '../../rollout/outcome.js';
import { says } from '../../tasks/disclosure/holds.js';
import { isNegative } from './facets.js';
import type { ExportItem } from './row.js';

/** By reason, with the words of the card: "12 did not pass their verifier". */
export const WHY = {
  failed: 'did not pass their verifier',
  dropped_attempt: 'are attempts at one stage that sampling dropped',
  unfinished: 'were cut off or broke',
  verifier_fault: 'could not be judged (a check threw)',
  malformed_call: 'pass, but hold a malformed tool call',
  empty_turn: 'pass, but hold an assistant turn that says and calls nothing',
  not_told: 'replay a solution with values that nobody in the conversation had said',
  other_task: 'do not belong to the task or verdict they came with',
  task_gone: 'are of tasks that the corpus no longer holds, or made anew',
  scenario_gone: 'are of scenarios that the corpus no longer holds, or made anew',
  not_reviewed: 'are of tasks that no reviewer accepted as they are now',
  no_conversation: 'hold no assistant message',
  not_chosen: 'are not of what --only asks for',
  other_source: 'are of other event sources than --source and --without-source ask for',
  too_many_chars: 'are longer than --max-chars',
  too_many_turns: 'have more assistant turns than --max-turns',
  too_many_tokens: 'are longer than --max-tokens',
  duplicate: 'say the same as another row of their task',
  near_duplicate: 'say nearly the same as another row',
  not_expressible: 'hold text that the format cannot tell from its own tags',
  control_tokens: 'hold text that a tokenizer would take for control tokens',
  template_refused: 'are refused by the chat template',
  template_drops: 'would lose calls, tools, results or reasoning in the chat template',
  history_rewritten: 'have a history that the chat template rewrites between turns',
  does_not_decode: 'have token ids that do not decode to the rendered text',
  no_tokens: 'have no token ids, and no tokenizer was named',
} as const;

export type Exclusion = keyof typeof WHY;

/** A replay knows what nobody told it: such a row would teach to make values up. */
const usesUntold = ({ trace, task }: ExportItem): boolean => {
  const { producer, detail, messages } = trace;
  if (detail === 'full' || (producer.policy !== 'reference' && producer.policy !== 'scripted')) return false;
  const told = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n');
  return task.reference.sources.some(({ from }) => 'brief' in from && !says(told, from.brief));
};

/** A conversation that teaches must not teach to write broken arguments, to say nothing, or to make values up. */
const unfitToTeach = (item: ExportItem): Exclusion | undefined => {
  const { messages } = item.trace;
  if (messages.some(({ toolCalls }) => toolCalls?.some(({ malformed }) => malformed !== undefined)))
    return 'malformed_call';
  const isEmpty = messages.some(
    ({ role, content, reasoning, toolCalls }) =>
      role === 'assistant' && !content.trim() && !reasoning?.trim() && !toolCalls?.length,
  );
  if (isEmpty) return 'empty_turn';
  return usesUntold(item) ? 'not_told' : undefined;
};

/** Why the rollout is left out; undefined when it becomes a row. With `onlyPassing` off, failed ones and dropped attempts stay. */
export const exclusionOf = (item: ExportItem, onlyPassing: boolean): Exclusion | undefined => {
  const { trace, verdict, task } = item;
  if (verdict.trace !== trace.id || verdict.task !== trace.task || trace.taskId !== task.id) return 'other_task';
  const { outcome } = outcomeOf(trace, verdict);
  if (verdict.fault === 'verifier') return 'verifier_fault';
  if (outcome === 'cut' || outcome === 'fault') return 'unfinished';
  if (onlyPassing && trace.origin?.kind === 'negative') return 'dropped_attempt';
  if (onlyPassing && outcome === 'failed') return 'failed';
  if (!trace.messages.some(({ role }) => role === 'assistant')) return 'no_conversation';
  return isNegative(item) ? undefined : unfitToTeach(item);
};
