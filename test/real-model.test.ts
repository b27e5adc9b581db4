/** The parts of `npm run bench -- real-model` that need no model: its server, template, grammar and looks, through the gateway. */
import { afterEach, describe, expect, it } from 'vitest';
import { drawToken } from '../bench/real-model/draw.js';
import type { LocalModel } from '../bench/real-model/engine.js';
import { grammarOf } from '../bench/real-model/grammar.js';
import { inspect, logprobErrors } from '../bench/real-model/inspect.js';
import { type LlamaServer, startLlamaServer } from '../bench/real-model/server.js';
import { promptOf, readReply } from '../bench/real-model/template.js';
import type { Trace } from '../src/artifacts/trace.js';
import { rng } from '../src/kit/rng.js';
import { endpoint } from '../src/models/client.js';
import { modelPolicy } from '../src/rollout/agents/model.js';
import { startGateway } from '../src/rollout/gateway/gateway.js';
import type { Gateway } from '../src/rollout/gateway/types.js';
import { rolloutTask } from '../src/rollout/rollout.js';
import { TOOLS, toyHost, toyTask } from './rollout/toy.js';

const SPECIAL = ['<|im_start|>', '<|im_end|>'];
const FIRST_SPECIAL = 0x110000;
const encode = (text: string, special: boolean): number[] =>
  (special ? text.split(/(<\|im_start\|>|<\|im_end\|>)/) : [text]).flatMap((part) =>
    special && SPECIAL.includes(part)
      ? [FIRST_SPECIAL + SPECIAL.indexOf(part)]
      : [...part].map((letter) => letter.codePointAt(0) as number),
  );
const decode = (ids: readonly number[], special: boolean): string =>
  ids
    .map((id) => (id < FIRST_SPECIAL ? String.fromCodePoint(id) : special ? (SPECIAL[id - FIRST_SPECIAL] ?? '') : ''))
    .join('');

/** A model that says what it is told to, a letter an id. */
const letters = (contextSize: number, ...turns: string[]): LocalModel => {
  let n = 0;
  return {
    template: '',
    contextSize,
    tokenize: encode,
    detokenize: decode,
    generate: async function* ({ most }) {
      const ids = [...encode(turns[Math.min(n++, turns.length - 1)] as string, false), FIRST_SPECIAL + 1];
      for (const id of ids.slice(0, most)) yield { id, logprob: -0.5, isEnd: id === FIRST_SPECIAL + 1 };
    },
    score: async (_, positions) => positions.map(() => -0.25),
    close: async () => {},
  };
};

let server: LlamaServer | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await server?.close();
  gateway = undefined;
  server = undefined;
});

const rolled = async (model: LocalModel): Promise<Trace> => {
  server = await startLlamaServer(model);
  gateway = await startGateway({ retries: 0 });
  const open = gateway.open({
    backend: { kind: 'llamacpp', baseUrl: server.url, model: 'm', sampling: { max_tokens: 90 } },
  });
  const client = endpoint({ baseUrl: open.openaiBaseUrl, model: 'm', apiKey: open.token, maxRetries: 0 });
  const trace = await rolloutTask({ host: toyHost(), task: toyTask(), policy: modelPolicy(client) });
  const { tokens, facts } = open.close();
  return { ...trace, ...(tokens ? { tokens } : {}), gateway: facts };
};
const WIRE = TOOLS.map(({ name, description, inputSchema: parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}));
const CALL = '<tool_call>\n{"name": "get_invoice", "arguments": {"id":  "inv_2x"}}\n</tool_call>';

describe('a model behind llama.cpp’s endpoints, through the gateway', () => {
  it('leaves ids, mask and log probabilities of the whole conversation', async () => {
    const model = letters(50_000, `I look.\n${CALL}`, 'It is 2000.');
    const trace = await rolled(model);
    expect(trace).toMatchObject({
      finish: 'answered',
      answer: 'It is 2000.',
      gateway: { exchanges: 2, rewritten: false },
    });
    expect(trace.ledger).toMatchObject([{ tool: 'get_invoice', args: { id: 'inv_2x' }, ok: true }]);
    const seen = inspect(trace, WIRE, model);
    // Two spaces in the call: the transcript rendered again would have one.
    expect(seen).toMatchObject({ wrong: [], isDifferentEncodedAnew: true, meanLogprob: -0.5 });
    expect(seen.own).toBe(`I look.\n${CALL}`.length + 'It is 2000.'.length + 2);
    expect(new Set(await logprobErrors(trace, model))).toEqual(new Set([0.25]));
  });
  it('is looked at: what does not fit is said', async () => {
    const model = letters(50_000, 'It is 2000.');
    const trace = await rolled(model);
    const tokens = trace.tokens as NonNullable<Trace['tokens']>;
    const wrong = (other: Partial<typeof tokens>): string[] =>
      inspect({ ...trace, tokens: { ...tokens, ...other } }, WIRE, model).wrong;
    expect(wrong({})).toEqual([]);
    expect(wrong({ mask: tokens.mask.map(() => 0) }).join()).toMatch(
      /spans.*says what its span does not|not the model’s/,
    );
    expect(wrong({ logprobs: tokens.inputIds.map(() => Number.NaN) }).join()).toMatch(/not finite/);
    expect(wrong({ logprobs: [] }).join()).toMatch(/for each id/);
    expect(wrong({ inputIds: tokens.inputIds.map((id) => id + 1) }).join()).toMatch(/rendered prompt/);
    expect(inspect({ ...trace, tokens: undefined } as unknown as Trace, WIRE, model).wrong).toEqual([
      'the trace has no tokens',
    ]);
  });
  it('cuts a turn at its limit and a prompt at its context', async () => {
    expect(await rolled(letters(50_000, 'word '.repeat(100)))).toMatchObject({
      finish: 'length',
      problem: { code: 'turn_cut' },
    });
    await gateway?.close();
    await server?.close();
    expect(await rolled(letters(200, 'x'))).toMatchObject({ finish: 'length', problem: { code: 'context_exceeded' } });
  });
});

describe('the server', () => {
  const post = async (path: string, body: string): Promise<{ status: number; json: Record<string, unknown> }> => {
    const answer = await fetch(`${server?.url.replace('/v1', '')}${path}`, { method: 'POST', body });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  it('refuses what is wrong', async () => {
    server = await startLlamaServer(letters(100, 'x'));
    for (const [path, body, status] of [
      ['/completion', '{', 400],
      ['/completion', '[]', 400],
      ['/completion', '{"prompt": []}', 400],
      ['/completion', '{"prompt": [1.5]}', 400],
      ['/apply-template', '{"messages": []}', 400],
      ['/nothing', '{}', 404],
    ] as const)
      expect((await post(path, body)).status, path + body).toBe(status);
    expect((await post('/completion', JSON.stringify({ prompt: 'x'.repeat(100) }))).json).toMatchObject({
      error: { code: 400, type: 'exceed_context_size_error' },
    });
  });
  it('ends at a stop word, and answers chats with calls, whole and streamed', async () => {
    server = await startLlamaServer(letters(1000, 'one two three'));
    expect((await post('/completion', '{"prompt": "a", "stop": ["two"], "return_tokens": true}')).json).toMatchObject({
      content: 'one ',
      stop_type: 'word',
      stopping_word: 'two',
    });
    await server.close();
    server = await startLlamaServer(letters(1000, CALL));
    const { json } = await post('/v1/chat/completions', '{"messages": [{"role": "user", "content": "hi"}]}');
    expect(json.choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { content: null, tool_calls: [{ function: { name: 'get_invoice' } }] } },
    ]);
    const streamed = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: '{"messages": [{"role": "user", "content": "hi"}], "stream": true}',
    });
    expect(await streamed.text()).toMatch(/^data: .*get_invoice[\s\S]*data: \[DONE\]\n\n$/);
  });
});

describe('its parts', () => {
  it('a prompt holds tools, calls and results in ChatML', () => {
    const prompt = promptOf(
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] },
        { role: 'tool', content: 'one' },
        { role: 'tool', content: 'two' },
      ],
      [{ type: 'function', function: { name: 'f' } }],
    );
    expect(prompt).toContain('<tools>\n{"type": "function", "function": {"name": "f"}}\n</tools>');
    expect(prompt).toMatch(
      /<\|im_start\|>assistant\n<tool_call>\n\{"name": "f", "arguments": \{"a": 1\}\}\n<\/tool_call><\|im_end\|>\n<\|im_start\|>user\n<tool_response>\none\n<\/tool_response>\n<tool_response>\ntwo\n<\/tool_response><\|im_end\|>\n<\|im_start\|>assistant\n$/,
    );
  });
  it('a broken call stays text', () => {
    expect(readReply('x <tool_call>{"name": 1}</tool_call> <tool_call>{</tool_call>').calls).toEqual([]);
    expect(readReply(CALL)).toEqual({ content: '', calls: [{ name: 'get_invoice', arguments: '{"id":"inv_2x"}' }] });
  });
  it('a grammar names each tool and argument, and every rule that it uses', () => {
    const grammar = grammarOf(TOOLS, false);
    for (const word of ['list_invoices', 'get_invoice', 'void_invoice', 'reason', 'open'])
      expect(grammar).toContain(word);
    const made = new Set(grammar.split('\n').map((line) => line.split(' ')[0]));
    for (const used of grammar.match(/\br\d+\b/g) ?? []) expect(made).toContain(used);
    expect(grammarOf(TOOLS, true).split('\n')[0]).toBe('root ::= call');
  });
  it('a draw keeps to the likeliest tokens that were asked for', () => {
    const chances = new Map([
      [7, 0.5],
      [8, 0.3],
      [9, 0.15],
      [10, 0.05],
    ]);
    const drawn = (settings: { topK?: number; topP?: number; minP?: number; temperature?: number }): number[] => {
      const random = rng('draw');
      const all = { temperature: 1, topK: 0, topP: 1, minP: 0, ...settings };
      return [...new Set(Array.from({ length: 300 }, () => drawToken(chances, all, random)))].sort((a, b) => a - b);
    };
    expect(drawn({})).toEqual([7, 8, 9, 10]);
    expect(drawn({ topK: 2 })).toEqual([7, 8]);
    expect(drawn({ topP: 0.8 })).toEqual([7, 8]);
    expect(drawn({ minP: 0.2 })).toEqual([7, 8, 9]);
    expect(drawn({ temperature: 0 })).toEqual([7]);
  });
});
