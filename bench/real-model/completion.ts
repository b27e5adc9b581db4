/** One generation in the terms of llama.cpp server's `/completion`. */
import type { Drawn, LocalModel } from './engine.js';

type Body = Record<string, unknown>;

export interface Made {
  prompt: number[];
  drawn: Drawn[];
  /** Without the token or the words that ended it. */
  text: string;
  /** A limit ended it. */
  isCut: boolean;
  /** The stop words that ended it. */
  stoppedBy: string;
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

const stopsOf = ({ stop }: Body): string[] =>
  (Array.isArray(stop) ? stop : [stop]).filter((word): word is string => typeof word === 'string' && word !== '');

/** Throws a RangeError for a prompt that fills the context. Defaults are those of llama.cpp's server. */
export const completionOf = async (
  model: LocalModel,
  prompt: number[],
  body: Body,
  signal: AbortSignal,
): Promise<Made> => {
  const room = model.contextSize - prompt.length - 1;
  if (room < 1)
    throw new RangeError(
      `request (${prompt.length} tokens) exceeds the available context size (${model.contextSize} tokens), try increasing it`,
    );
  const asked = numberOf(body.n_predict ?? body.max_tokens ?? body.max_completion_tokens, -1);
  const grammar = typeof body.grammar === 'string' && body.grammar !== '' ? body.grammar : undefined;
  const stops = stopsOf(body);
  const drawn: Drawn[] = [];
  const made = { prompt, drawn, text: '', isCut: true, stoppedBy: '' };
  for await (const one of model.generate({
    prompt,
    most: asked < 0 ? room : Math.min(asked, room),
    draw: {
      // A grammar goes with the likeliest token only (engine.ts).
      temperature: grammar ? 0 : numberOf(body.temperature, 0.8),
      topK: numberOf(body.top_k, 40),
      topP: numberOf(body.top_p, 0.95),
      minP: numberOf(body.min_p, 0.05),
      seed: String(body.seed ?? 'local'),
    },
    ...(grammar ? { grammar } : {}),
    signal,
  })) {
    drawn.push(one);
    if (one.isEnd) {
      made.isCut = false;
      break;
    }
    if (stops.length === 0) continue;
    const text = model.detokenize(
      drawn.map(({ id }) => id),
      false,
    );
    const stop = stops.find((word) => text.includes(word));
    if (stop === undefined) continue;
    return { ...made, text: text.slice(0, text.indexOf(stop)), isCut: false, stoppedBy: stop };
  }
  const ids = drawn.filter(({ isEnd }) => !isEnd).map(({ id }) => id);
  return { ...made, text: model.detokenize(ids, false) };
};

const chances = (model: LocalModel, { id, logprob }: Drawn): Body => {
  const token = model.detokenize([id], true);
  const one = { id, token, bytes: [...Buffer.from(token)], logprob };
  return { ...one, top_logprobs: [one] };
};

/** One token of a stream. */
export const pieceOf = (model: LocalModel, one: Drawn): Body => ({
  index: 0,
  content: one.isEnd ? '' : model.detokenize([one.id], false),
  tokens: [one.id],
  stop: false,
  completion_probabilities: [chances(model, one)],
});

/** The whole answer. As with llama.cpp's server, `tokens` has the token that ended the turn, `content` does not. */
export const endOf = (model: LocalModel, { prompt, drawn, text, isCut, stoppedBy }: Made, body: Body): Body => ({
  index: 0,
  content: text,
  tokens: body.return_tokens === true ? drawn.map(({ id }) => id) : [],
  stop: true,
  model: 'local',
  tokens_predicted: drawn.length,
  tokens_evaluated: prompt.length,
  truncated: false,
  stop_type: stoppedBy ? 'word' : isCut ? 'limit' : 'eos',
  stopping_word: stoppedBy,
  tokens_cached: prompt.length + drawn.length,
  ...(numberOf(body.n_probs, 0) > 0 ? { completion_probabilities: drawn.map((one) => chances(model, one)) } : {}),
});
