/** vLLM: `/tokenize` renders, `/v1/completions` goes on from ids and gives ids back (`return_token_ids`). */
import { z } from 'zod';
import { badAnswer, postJson, type Server } from '../post.js';
import type { Sampling } from '../types.js';
import { toWire } from '../wire.js';
import { type IdServer, mostTokens, sharedSampling } from './id-server.js';
import { shaped } from './shaped.js';

const ids = z.array(z.number().int());
const Tokenized = z.object({ tokens: ids, max_model_len: z.number().nullish() });
const Detokenized = z.object({ prompt: z.string() });
const Completed = z.object({
  choices: z
    .array(
      z.object({
        text: z.string(),
        token_ids: ids,
        prompt_token_ids: ids.nullish(),
        finish_reason: z.string().nullish(),
        logprobs: z.object({ token_logprobs: z.array(z.number().nullable()) }).nullish(),
      }),
    )
    .min(1),
});

export const vllm = (server: Server, model: string): IdServer => {
  /** What prompt and answer may have together; a request for more is refused, though programs ask for 32,000 tokens as a rule. */
  let longest: number | undefined;
  const limit = (prompt: readonly number[], sampling: Sampling): number | null => {
    const asked = mostTokens(sampling);
    if (asked === undefined || longest === undefined || longest <= prompt.length) return asked ?? null;
    return Math.min(asked, longest - prompt.length);
  };
  return {
    render: async ({ messages, tools, template }, signal) => {
      const wire = toWire(model, { messages: [...messages], tools: [...tools] });
      const body = { ...wire, add_generation_prompt: true, ...(template ? { chat_template_kwargs: template } : {}) };
      const { tokens, max_model_len: most } = shaped(
        Tokenized,
        (await postJson(server, `${server.root}/tokenize`, body, signal)).json,
      );
      if (most && most > 0) longest = most;
      return tokens;
    },
    generate: async (prompt, sampling, signal) => {
      const body = {
        ...sharedSampling(sampling),
        ...(sampling.seed == null ? {} : { seed: sampling.seed }),
        ...(sampling.response_format == null ? {} : { response_format: sampling.response_format }),
        model,
        prompt,
        // Without a limit of its own a completion ends after 16 tokens; null lets it fill the context.
        max_tokens: limit(prompt, sampling),
        logprobs: 1,
        return_token_ids: true,
        skip_special_tokens: false,
        spaces_between_special_tokens: false,
        add_special_tokens: false,
      };
      const { json } = await postJson(server, `${server.root}/v1/completions`, body, signal);
      const choice = shaped(Completed, json).choices[0]!;
      const seen = choice.prompt_token_ids;
      if (seen && (seen.length !== prompt.length || seen.some((id, at) => id !== prompt[at])))
        throw badAnswer('The model endpoint changed the prompt', `${seen.length} ids for ${prompt.length}`);
      const logprobs = choice.logprobs?.token_logprobs;
      return {
        ids: choice.token_ids,
        text: choice.text,
        finish: choice.finish_reason === 'length' ? 'length' : choice.finish_reason === 'stop' ? 'stop' : 'other',
        ...(logprobs?.length === choice.token_ids.length && logprobs.every((each) => each !== null)
          ? { logprobs }
          : {}),
      };
    },
    text: async (tokens, signal) =>
      shaped(Detokenized, (await postJson(server, `${server.root}/detokenize`, { model, tokens }, signal)).json).prompt,
  };
};
