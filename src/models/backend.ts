/** Where a model is served and how it is spoken to. */
import type { Sampling } from './types.js';

/** `kind` chooses how exact tokens are asked for (rollout.md, "The recording gateway"); `openai` asks for none. */
export interface Backend {
  kind: 'openai' | 'vllm' | 'sglang' | 'llamacpp';
  /** As an OpenAI client takes it: it usually ends in /v1. */
  baseUrl: string;
  /** Asked for whatever the harness asks for. */
  model: string;
  apiKey?: string;
  /** Laid over what the harness asks for. */
  sampling?: Sampling;
  /** US dollars a million tokens. */
  prices?: { prompt: number; completion: number };
}
