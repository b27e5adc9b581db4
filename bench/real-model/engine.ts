/** A GGUF model on llama.cpp's binary: ids in, ids with their log probabilities out, one generation at a time. */
import { rng } from '../../src/kit/rng.js';
import { drawToken } from './draw.js';

/** What we use of node-llama-cpp 3; it is installed on demand, so its own types are not there to compile against. */
interface Sequence {
  readonly contextTokens: number[];
  adaptStateToTokens(tokens: number[], allowShift?: boolean): Promise<void>;
  clearHistory(): Promise<void>;
  controlledEvaluate(
    input: (number | [number, { generateNext: { probabilities: true; options: { temperature: 0 } } }])[],
  ): Promise<({ next?: { probabilities?: Map<number, number> } } | undefined)[]>;
  evaluateWithMetadata(
    tokens: number[],
    metadata: { confidence: true; probabilities?: true },
    options: { temperature: 0; yieldEogToken: true; grammarEvaluationState?: unknown },
  ): AsyncGenerator<
    { token: number; confidence: number; probabilities?: Map<number, number> },
    void,
    number | undefined
  >;
}
interface Model {
  readonly fileInfo: { metadata: { general: Record<string, unknown>; tokenizer: { chat_template?: string } } };
  tokenize(text: string, specialTokens?: boolean): number[];
  detokenize(tokens: readonly number[], specialTokens?: boolean): string;
  isEogToken(token: number): boolean;
  createContext(options: object): Promise<{ contextSize: number; getSequence(): Sequence }>;
}
interface Package {
  getLlama(options: object): Promise<{ loadModel(options: object): Promise<Model>; dispose(): Promise<void> }>;
  LlamaLogLevel: { error: unknown };
  LlamaGrammar: new (llama: unknown, options: { grammar: string }) => unknown;
  LlamaGrammarEvaluationState: new (options: { model: Model; grammar: unknown }) => unknown;
}

export interface Draw {
  /** 0: the likeliest token. */
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: string;
}

export interface Wanted {
  prompt: readonly number[];
  /** Tokens at most. */
  most: number;
  draw: Draw;
  /** GBNF; only the likeliest token can be taken under one. */
  grammar?: string;
  signal?: AbortSignal;
}

/** One generated token. `logprob` is that of the plain softmax, before any sampling setting (under a grammar: among what it allows). */
export interface Drawn {
  id: number;
  logprob: number;
  isEnd: boolean;
}

export interface LocalModel {
  template: string;
  contextSize: number;
  tokenize(text: string, special: boolean): number[];
  detokenize(ids: readonly number[], special: boolean): string;
  /** One after the other. The shared beginning of prompts is evaluated once. */
  generate(wanted: Wanted): AsyncGenerator<Drawn>;
  /** Log probabilities of the ids at these positions, each given all ids before it. */
  score(ids: readonly number[], positions: readonly number[]): Promise<number[]>;
  close(): Promise<void>;
}

/** `threads`: llama.cpp's threads wait actively, so more of them than free cores make it slower. */
export const loadModel = async (
  entry: string,
  file: string,
  { contextSize = 6144, threads = 1 } = {},
): Promise<LocalModel> => {
  const { getLlama, LlamaLogLevel, LlamaGrammar, LlamaGrammarEvaluationState } = (await import(
    entry.startsWith('/') ? `file://${entry}` : entry
  )) as Package;
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    logLevel: LlamaLogLevel.error,
    maxThreads: threads,
  });
  const model = await llama.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({ contextSize, threads });
  const sequence = context.getSequence();
  let last: Promise<void> = Promise.resolve();
  /** Waits for its turn and answers with what ends it. */
  const turn = async (): Promise<() => void> => {
    const before = last;
    let done = (): void => {};
    last = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    return done;
  };
  const generate = async function* ({ prompt, most, draw, grammar, signal }: Wanted): AsyncGenerator<Drawn> {
    const done = await turn();
    try {
      await sequence.adaptStateToTokens([...prompt.slice(0, -1)], false);
      const rest = prompt.slice(sequence.contextTokens.length);
      const isGreedy = draw.temperature <= 0;
      const state = grammar
        ? new LlamaGrammarEvaluationState({ model, grammar: new LlamaGrammar(llama, { grammar }) })
        : undefined;
      const tokens = sequence.evaluateWithMetadata(
        [...rest],
        { confidence: true, ...(isGreedy ? {} : { probabilities: true }) },
        { temperature: 0, yieldEogToken: true, ...(state ? { grammarEvaluationState: state } : {}) },
      );
      const random = rng(draw.seed, 'tokens');
      let next = await tokens.next();
      for (let n = 0; n < most && !next.done && !signal?.aborted; n++) {
        const { token, confidence, probabilities } = next.value;
        const id = isGreedy || !probabilities ? token : drawToken(probabilities, draw, random);
        const chance = probabilities?.get(id) ?? confidence;
        const isEnd = model.isEogToken(id);
        yield { id, logprob: Math.log(Math.max(chance, Number.MIN_VALUE)), isEnd };
        if (isEnd || n + 1 >= most) break;
        next = await tokens.next(id === token ? undefined : id);
      }
      await tokens.return();
    } finally {
      done();
    }
  };
  const score = async (ids: readonly number[], positions: readonly number[]): Promise<number[]> => {
    const done = await turn();
    try {
      await sequence.clearHistory();
      const wanted = new Set(positions.map((at) => at - 1));
      const seen = await sequence.controlledEvaluate(
        ids.map((id, at) =>
          wanted.has(at) ? [id, { generateNext: { probabilities: true, options: { temperature: 0 } } }] : id,
        ),
      );
      return positions.map((at) => Math.log(seen[at - 1]?.next?.probabilities?.get(ids[at] as number) ?? Number.NaN));
    } finally {
      done();
    }
  };
  return {
    score,
    template: model.fileInfo.metadata.tokenizer.chat_template ?? '',
    contextSize: context.contextSize,
    tokenize: (text, special) => model.tokenize(text, special),
    detokenize: (ids, special) => model.detokenize(ids, special),
    generate,
    close: () => llama.dispose(),
  };
};
