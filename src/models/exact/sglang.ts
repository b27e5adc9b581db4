/**
 * SGLang: `/generate` goes on from ids and gives ids back. Its chat endpoint says how it would render a prompt
 * (`return_prompt_token_ids`); the one token that it must make for that fills the cache which the real request reads.
 */
import { z } from 'zod';
import { postJson, type Server } from '../post.js';
import { toWire } from '../wire.js';
import { answerSchema, type IdServer, mostTokens, sharedSampling } from './id-server.js';
import { shaped } from './shaped.js';

const ids = z.array(z.number().int());
const Rendered = z
  .object({
    prompt_token_ids: ids.nullish(),
    choices: z.array(z.object({ prompt_token_ids: ids.nullish() })).nullish(),
  })
  .transform(({ prompt_token_ids, choices }) => prompt_token_ids ?? choices?.[0]?.prompt_token_ids)
  .refine((found) => found !== undefined && found !== null, 'no prompt_token_ids: SGLang 0.5.13 or newer is needed');
const Completed = z.object({
  text: z.string(),
  meta_info: z.object({
    finish_reason: z.object({ type: z.string() }).nullish(),
    output_token_logprobs: z.array(z.tuple([z.number().nullable(), z.number().int()]).rest(z.unknown())),
    weight_version: z.string().nullish(),
  }),
});
const Text = z.object({ text: z.string() });

export const sglang = (server: Server, model: string): IdServer => ({
  render: async ({ messages, tools, template }, signal) => {
    const body = {
      ...toWire(model, { messages: [...messages], tools: [...tools] }),
      max_tokens: 1,
      return_prompt_token_ids: true,
      return_token_ids: true,
      ...(template ? { chat_template_kwargs: template } : {}),
    };
    const { json } = await postJson(server, `${server.root}/v1/chat/completions`, body, signal);
    return shaped(Rendered, json) as number[];
  },
  generate: async (prompt, sampling, signal) => {
    const schema = answerSchema(sampling);
    const body = {
      input_ids: prompt,
      return_logprob: true,
      sampling_params: {
        ...sharedSampling(sampling),
        ...(sampling.seed == null ? {} : { sampling_seed: sampling.seed }),
        ...(schema === undefined ? {} : { json_schema: JSON.stringify(schema) }),
        // Without a limit of its own it ends after 128 tokens; null lets it fill the context.
        max_new_tokens: mostTokens(sampling) ?? null,
        no_stop_trim: true,
        skip_special_tokens: false,
        spaces_between_special_tokens: false,
      },
    };
    const { text, meta_info: meta } = shaped(
      Completed,
      (await postJson(server, `${server.root}/generate`, body, signal)).json,
    );
    const logprobs = meta.output_token_logprobs.map(([logprob]) => logprob);
    const type = meta.finish_reason?.type;
    return {
      ids: meta.output_token_logprobs.map(([, id]) => id),
      text,
      finish: type === 'length' || type === 'stop' ? type : 'other',
      ...(logprobs.every((each) => each !== null) ? { logprobs } : {}),
      ...(meta.weight_version ? { weights: meta.weight_version } : {}),
    };
  },
  text: async (tokens, signal) => {
    const body = { model, tokens, skip_special_tokens: false };
    return shaped(Text, (await postJson(server, `${server.root}/v1/detokenize`, body, signal)).json).text;
  },
});
