/** What a trace's tokens have to be: one sequence that is the conversation, the model's own spans marked, each with its chance. */
import type { Trace } from '../../src/artifacts/trace.js';
import type { LocalModel } from './engine.js';
import type { WireMessage } from './template.js';
import { promptOf } from './template.js';

export interface Seen {
  ids: number;
  /** Ids of the model's own. */
  own: number;
  /** What is wrong with them; empty when nothing is. */
  wrong: string[];
  /** Encoding the transcript anew would have given other ids. */
  isDifferentEncodedAnew: boolean;
  /** Mean log probability of the model's own ids. */
  meanLogprob: number;
}

/** Spans of the model's own ids, decoded. */
const ownSpans = (ids: readonly number[], mask: readonly (0 | 1)[], model: LocalModel): string[] => {
  const spans: number[][] = [];
  for (const [at, id] of ids.entries()) {
    if (mask[at] !== 1) continue;
    if (mask[at - 1] !== 1) spans.push([]);
    spans.at(-1)?.push(id);
  }
  return spans.map((span) => model.detokenize(span, true));
};

const wireOf = ({ messages }: Trace): WireMessage[] =>
  messages.map(({ role, content, toolCalls }) => ({
    role,
    content,
    ...(toolCalls
      ? {
          tool_calls: toolCalls.map(({ name, arguments: args, malformed }) => ({
            function: { name, arguments: malformed ?? args },
          })),
        }
      : {}),
  }));

export const inspect = (trace: Trace, tools: readonly object[], model: LocalModel): Seen => {
  const { tokens, messages } = trace;
  const none = { ids: 0, own: 0, isDifferentEncodedAnew: false, meanLogprob: 0 };
  if (!tokens) return { ...none, wrong: ['the trace has no tokens'] };
  const { inputIds, mask, logprobs } = tokens;
  const wrong: string[] = [];
  const check = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };
  check(mask.length === inputIds.length, 'the mask is not as long as the ids');
  check(logprobs?.length === inputIds.length, 'there is not a log probability for each id');
  const own = (logprobs ?? []).filter((_, at) => mask[at] === 1);
  check(
    own.every((value) => Number.isFinite(value) && value <= 0),
    'a log probability is not finite, or above 0',
  );
  check(
    (logprobs ?? []).every((value, at) => mask[at] === 1 || value === 0),
    'an id that is not the model’s has a log probability',
  );
  const wire = wireOf(trace);
  const opening = promptOf(
    wire.slice(
      0,
      messages.findIndex(({ role }) => role === 'assistant'),
    ),
    tools,
  );
  const text = model.detokenize(inputIds, true);
  check(text.startsWith(opening), 'the ids do not begin with the rendered prompt');
  const spans = ownSpans(inputIds, mask, model);
  const turns = messages.filter(({ role }) => role === 'assistant');
  check(spans.length === turns.length, `${spans.length} spans of the model's own for ${turns.length} turns`);
  for (const [n, { content, toolCalls = [] }] of turns.entries()) {
    const span = spans[n] ?? '';
    check(span.includes(content.trim()), `turn ${n} says what its span does not`);
    for (const { name } of toolCalls)
      check(span.includes(name), `turn ${n} calls ${name}, which its span does not name`);
  }
  for (const { content } of messages.filter(({ role }) => role === 'tool'))
    check(text.includes(content), 'a tool result is not in the ids');
  const anew = model.tokenize(promptOf(wire, tools, false), true);
  return {
    ids: inputIds.length,
    own: own.length,
    wrong,
    isDifferentEncodedAnew: inputIds.some((id, at) => anew[at] !== id),
    meanLogprob: own.length === 0 ? 0 : own.reduce((sum, value) => sum + value, 0) / own.length,
  };
};

/**
 * Differences between the captured log probabilities and those that the model gives the whole sequence at once, in the order of the
 * model's own ids. They are not 0: llama.cpp reckons one id at a time and many at once with other kernels over quantized weights.
 */
export const logprobErrors = async ({ tokens }: Trace, model: LocalModel): Promise<number[]> => {
  if (!tokens?.logprobs) return [];
  const { inputIds, mask, logprobs } = tokens;
  const positions = mask.flatMap((bit, at) => (bit === 1 && at > 0 ? [at] : []));
  const again = await model.score(inputIds, positions);
  return positions.map((at, n) => Math.abs((again[n] as number) - (logprobs[at] as number)));
};
