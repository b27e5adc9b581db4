/** llama.cpp's server: `/apply-template` and `/tokenize` render, `/completion` goes on from ids and gives ids back. */
import { z } from 'zod';
import { postJson, type Server } from '../post.js';
import { toWire } from '../wire.js';
import { answerSchema, type IdServer, mostTokens, sharedSampling } from './id-server.js';
import { shaped } from './shaped.js';

const ids = z.array(z.number().int());
const Rendered = z.object({ prompt: z.string() });
const Tokenized = z.object({ tokens: ids });
const Detokenized = z.object({ content: z.string() });
const Completed = z.object({
  content: z.string(),
  tokens: ids,
  stop_type: z.string().nullish(),
  completion_probabilities: z.array(z.object({ id: z.number().int(), logprob: z.number() })).nullish(),
});

export const llamaCpp = (server: Server, model: string): IdServer => {
  const text = async (tokens: readonly number[], signal: AbortSignal): Promise<string> =>
    shaped(Detokenized, (await postJson(server, `${server.root}/detokenize`, { tokens }, signal)).json).content;
  return {
    text,
    render: async ({ messages, tools, template }, signal) => {
      const wire = toWire(model, { messages: [...messages], tools: [...tools] });
      const asked = { ...wire, ...(template ? { chat_template_kwargs: template } : {}) };
      const { prompt } = shaped(
        Rendered,
        (await postJson(server, `${server.root}/apply-template`, asked, signal)).json,
      );
      const body = { content: prompt, add_special: true, parse_special: true };
      return shaped(Tokenized, (await postJson(server, `${server.root}/tokenize`, body, signal)).json).tokens;
    },
    generate: async (prompt, sampling, signal) => {
      const schema = answerSchema(sampling);
      const body = {
        // Its own defaults cut the distribution: log probabilities would not be those that were sampled from.
        temperature: 1,
        top_k: 0,
        top_p: 1,
        min_p: 0,
        ...sharedSampling(sampling),
        ...(sampling.seed == null ? {} : { seed: sampling.seed }),
        ...(schema === undefined ? {} : { json_schema: schema }),
        prompt,
        n_predict: mostTokens(sampling) ?? -1,
        n_probs: 1,
        return_tokens: true,
        cache_prompt: true,
        stream: false,
      };
      const { json } = await postJson(server, `${server.root}/completion`, body, signal);
      const { tokens, stop_type: type, completion_probabilities: probabilities, content } = shaped(Completed, json);
      const isWhole = probabilities?.length === tokens.length && probabilities.every(({ id }, at) => id === tokens[at]);
      return {
        ids: tokens,
        // `content` leaves special tokens out, among them those that begin a tool call.
        text: tokens.length > 0 ? await text(tokens, signal) : content,
        finish: type === 'limit' ? 'length' : type === 'eos' || type === 'word' ? 'stop' : 'other',
        ...(isWhole ? { logprobs: probabilities.map(({ logprob }) => logprob) } : {}),
      };
    },
  };
};
