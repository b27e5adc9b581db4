/** What is verified: the row with the model's response, and the answer in it. */
import { z } from 'zod';
import { TreadleError } from '../../../errors.js';
import { isRecord } from '../record.js';
import { LONGEST_ANSWER } from '../reward.js';

const Verify = z.looseObject({
  responses_create_params: z.record(z.string(), z.unknown()),
  response: z.looseObject({ output: z.array(z.unknown()).max(100_000) }),
});

export type VerifyBody = z.infer<typeof Verify>;

/** Throws `bad_rollout`. */
export const readVerify = (body: unknown): VerifyBody => {
  const result = Verify.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new TreadleError({
    code: 'bad_rollout',
    message: `The rollout does not fit: ${issue?.path.join('.') || 'body'}: ${issue?.message}`,
    next: 'Send the row with responses_create_params and response.output as the Responses API gives them.',
  });
};

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isRecord(part) && part.type === 'output_text' && typeof part.text === 'string' ? part.text : ''))
    .join('');
};

/**
 * The last assistant text of a response's output. Text before another tool call is no answer, as in our own rollouts: the
 * model was still at work, and what cut it off did not make a guess an answer.
 */
export const answerOf = (output: readonly unknown[]): string => {
  for (const item of output.toReversed()) {
    if (!isRecord(item)) continue;
    if (item.type === 'function_call') return '';
    if (item.role === 'assistant' && (item.type === 'message' || item.type === undefined)) {
      const text = textOf(item.content);
      if (text !== '') return text.slice(0, LONGEST_ANSWER);
    }
  }
  return '';
};
