/** The model policy against an endpoint that misbehaves: an observation where the model did it, a problem where the server did. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toyHost, toyTask } from '../../../test/rollout/toy.js';
import type { Trace } from '../../artifacts/trace.js';
import { endpoint } from '../../models/client.js';
import { behaviourOf } from '../../verify/behaviour/registry.js';
import { outcomeOf } from '../outcome.js';
import { DEFAULT_LIMITS, rolloutTask } from '../rollout.js';
import { modelPolicy } from './model.js';

type Answer = (response: ServerResponse, nth: number) => void;
interface Asked {
  max_tokens?: number;
  messages: { role: string; content: string; tool_call_id?: string; tool_calls?: unknown[] }[];
}

let server: Server;
let base: string;
let asked: Asked[];
let answer: Answer;

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const says = (message: object, finish = 'stop', usage: object = { prompt_tokens: 10, completion_tokens: 2 }): Answer =>
  json({ choices: [{ message: { role: 'assistant', content: null, ...message }, finish_reason: finish }], usage });
const call = (name: string, args: string, id = 'call_0'): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
/** The first answers, one after the other, then the last for good. */
const inTurn =
  (...answers: Answer[]): Answer =>
  (response, nth) =>
    (answers[Math.min(nth, answers.length) - 1] as Answer)(response, nth);
const done = says({ content: 'Done.' });

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push(JSON.parse(text) as Asked);
      answer(response, asked.length);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const roll = (limits: object = {}, options: object = {}): Promise<Trace> =>
  rolloutTask({
    host: toyHost(),
    task: toyTask(),
    policy: modelPolicy(
      endpoint({ baseUrl: base, model: 'm', maxRetries: 2, backoffMs: 1, timeoutMs: 2000, ...options }),
    ),
    limits: { ...DEFAULT_LIMITS, ...limits },
  });

describe('what the server does wrong for a moment is asked again and leaves no mark', () => {
  it.each<[string, Answer]>([
    ['a dropped connection', (response) => response.destroy()],
    [
      'a connection dropped in the middle of the answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
        response.write('{"choices": [{"message": {"content": "half');
        setTimeout(() => response.destroy(), 5);
      },
    ],
    ['429 with Retry-After', json({ error: { message: 'slow down' } }, 429, { 'retry-after': '0' })],
    ['500', json({ error: { message: 'boom' } }, 500)],
    ['truncated JSON', json('{"choices": [{"mess')],
    ['invalid JSON', json('<html>502</html>')],
    ['no choice', json({ choices: [] })],
  ])('%s', async (_, broken) => {
    answer = inTurn(broken, says({ tool_calls: [call('list_invoices', '{}')] }), broken, done);
    const trace = await roll();
    expect(trace).toMatchObject({ finish: 'answered', answer: 'Done.', usage: { turns: 2, calls: 1 } });
    expect(trace.problem).toBeUndefined();
    expect(asked).toHaveLength(4);
  });
});

describe('what the server does wrong for good is its fault, with a code', () => {
  it.each<[string, Answer, string]>([
    ['dropped connections', (response) => response.destroy(), 'endpoint_down'],
    ['429', json({ error: { message: 'quota' } }, 429, { 'retry-after': '0' }), 'endpoint_busy'],
    ['500', json({ error: { message: 'boom' } }, 500), 'endpoint_down'],
    ['truncated JSON', json('{"choices": [{"mess'), 'bad_response'],
    ['a refusal', json({ error: { message: 'no such model' } }, 404), 'endpoint_rejected'],
  ])('%s', async (_, broken, code) => {
    answer = inTurn(says({ tool_calls: [call('list_invoices', '{}')] }), broken);
    const trace = await roll();
    expect(trace).toMatchObject({ finish: 'error', problem: { code, fault: 'infrastructure' }, usage: { turns: 1 } });
    // What was done until then is kept.
    expect(trace.ledger).toHaveLength(1);
    expect(outcomeOf(trace, { pass: false, fault: 'policy' })).toEqual({ outcome: 'fault', fault: 'infrastructure' });
  });

  it('an answer that never comes runs into the deadline of the rollout: it is cut', async () => {
    answer = () => undefined;
    const trace = await roll({ deadlineMs: 50 }, { timeoutMs: 60_000 });
    expect(trace).toMatchObject({ finish: 'cut', problem: { code: 'deadline' } });
    expect(outcomeOf(trace, { pass: false, fault: 'policy' })).toEqual({ outcome: 'cut' });
  });
});

describe('what the model does wrong it is told, and goes on', () => {
  it('a tool that does not exist, arguments that are no object, and a good call beside them, all in one message', async () => {
    answer = inTurn(
      says({
        tool_calls: [
          call('delete_everything', '{}', 'a'),
          call('get_invoice', '{"id": inv', 'b'),
          call('get_invoice', '[1]', 'c'),
          call('list_invoices', '{}', 'a'),
          call('', '{}', ''),
        ],
      }),
      done,
    );
    const trace = await roll();
    expect(trace).toMatchObject({ finish: 'answered', usage: { turns: 2, calls: 5 } });
    expect(trace.ledger.map(({ ok, error }) => [ok, error?.fault])).toEqual([
      [false, 'agent'],
      [false, 'agent'],
      [false, 'agent'],
      [true, undefined],
      [false, 'agent'],
    ]);
    // Each call has its own id and its own answer, in the order of the calls, and the model reads its own broken text again.
    const [, second] = asked;
    const ids = trace.messages[2]?.toolCalls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(5);
    expect(second?.messages.slice(3).map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual(
      ids.map((id) => ['tool', id]),
    );
    expect(second?.messages[2]?.tool_calls?.[1]).toMatchObject({ function: { arguments: '{"id": inv' } });
    expect(Object.keys(behaviourOf(trace))).toContain('malformed_call');
    expect(outcomeOf(trace, { pass: false, fault: 'policy' })).toEqual({ outcome: 'failed' });
  });

  it('an empty reply is its answer, and flagged', async () => {
    for (const message of [{ content: '' }, { content: null }, {}]) {
      answer = says(message);
      const trace = await roll();
      expect(trace).toMatchObject({ finish: 'answered', answer: '', usage: { turns: 1 } });
      expect(behaviourOf(trace)).toHaveProperty('degenerate_text');
    }
  });

  it('ten thousand tokens of repetition are kept once, flagged, and end the rollout where a token limit cut them', async () => {
    const babble = 'I will look that up now. '.repeat(2500);
    answer = inTurn(
      says({ content: babble, tool_calls: [call('list_invoices', '{}')] }),
      says({ content: babble }, 'length', { prompt_tokens: 20_000, completion_tokens: 10_000 }),
    );
    const trace = await roll({ tokens: 100_000 });
    expect(trace).toMatchObject({
      finish: 'length',
      problem: { code: 'turn_cut', fault: 'policy' },
      usage: { turns: 2 },
    });
    expect(Object.keys(behaviourOf(trace)).sort()).toEqual(['degenerate_text', 'truncation']);
    // The budget bounds each message.
    expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([100_000, 99_988]);
    expect(outcomeOf(trace, { pass: false, fault: 'policy' })).toEqual({ outcome: 'failed' });
  });

  it('repetition without end, turn after turn, is ended by the budget', async () => {
    answer = says({ content: 'again '.repeat(2000), tool_calls: [call('list_invoices', '{}')] }, 'tool_calls', {
      prompt_tokens: 5000,
      completion_tokens: 10_000,
    });
    const trace = await roll({ tokens: 40_000 });
    expect(trace).toMatchObject({ finish: 'budget', problem: { code: 'token_budget' }, usage: { turns: 3 } });
    expect(Object.keys(behaviourOf(trace))).toContain('degenerate_text');
  });

  it('a thousand calls in one message are all answered', async () => {
    const calls = Array.from({ length: 1000 }, () => call('list_invoices', '{}'));
    answer = inTurn(says({ tool_calls: calls }), done);
    const trace = await roll();
    expect(trace.usage.calls).toBe(1000);
    expect(new Set(trace.messages[2]?.toolCalls?.map(({ id }) => id)).size).toBe(1000);
  });
});
