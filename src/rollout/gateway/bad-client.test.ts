/** Clients that send too much, too little, too slowly, or go away; budgets; several requests at once on one token. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  completion,
  delta,
  type FakeServer,
  fakeServer,
  json,
  reply,
  stream,
} from '../../models/fake-server.fixture.js';
import { startGateway } from './gateway.js';
import type { Budget, Gateway, GatewayRollout } from './types.js';

let backend: FakeServer;
let gateway: Gateway;
beforeEach(async () => {
  backend = await fakeServer((seen, response) => reply(seen, response, { content: 'Hello.' }));
  gateway = await startGateway({ retries: 1, backoffMs: 1, bodyBytes: 100_000 });
});
afterEach(async () => {
  await gateway.close();
  await backend.close();
});

const opened = (budget: Budget = {}, prices = { prompt: 1, completion: 10 }): GatewayRollout =>
  gateway.open({ backend: { kind: 'openai', baseUrl: `${backend.url}/v1`, model: 'm1', prices }, budget });
const send = ({ openaiBaseUrl, token }: GatewayRollout, body: unknown, path = '/chat/completions', method = 'POST') =>
  fetch(`${openaiBaseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  });
interface Failure {
  error: { message: string; type: string; code: string };
}
const errorOf = async (response: Response): Promise<Failure['error']> => ((await response.json()) as Failure).error;
const messages = [{ role: 'user', content: 'Hi' }];
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(2);
};

describe('a request', () => {
  it.each([
    ['', 'no JSON'],
    ['{"messages": [', 'no JSON'],
    ['[]', 'no JSON object'],
    ['{}', 'messages is empty'],
    [{ messages: [] }, 'messages is empty'],
    [{ messages: [null] }, 'messages[0] has no role'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0] has no role'],
    [{ messages, tools: 3 }, 'tools is no list'],
    [{ messages, tools: [{}] }, 'tools[0] is no function'],
    [{ messages, n: 2 }, 'Only one choice'],
  ])('that is none (%j) is refused and costs nothing', async (body, why) => {
    const rollout = opened({ turns: 1 });
    const response = await send(rollout, body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain(why);
    expect((await send(rollout, { messages })).status).toBe(200);
    expect(rollout.close()).toMatchObject({ usage: { turns: 1 }, facts: { exchanges: 1 } });
    expect(backend.seen).toHaveLength(1);
  });

  it('to another path is not found', async () => {
    const rollout = opened();
    expect((await send(rollout, {}, '/embeddings')).status).toBe(404);
    expect((await send(rollout, {}, '/chat/completions', 'GET')).status).toBe(404);
    expect((await send(rollout, {}, '/models/%E0%A4%A', 'GET')).status).toBe(404);
  });

  it('that is too large is refused, announced or not', async () => {
    const rollout = opened();
    const large = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(200_000) }] });
    const response = await send(rollout, large);
    expect([response.status, (await errorOf(response)).code]).toEqual([413, 'too_large']);
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest(`${rollout.openaiBaseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rollout.token}` },
      });
      sent.on('response', ({ statusCode }) => resolve(statusCode));
      sent.on('error', reject);
      for (let at = 0; at < large.length; at += 20_000) sent.write(large.slice(at, at + 20_000));
    });
    expect(status).toBe(413);
    expect(backend.seen).toHaveLength(0);
  });

  it('that is no UTF-8 is refused', async () => {
    const rollout = opened();
    const response = await fetch(`${rollout.openaiBaseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rollout.token}` },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect(response.status).toBe(400);
  });

  it('that trickles in is answered all the same', async () => {
    const rollout = opened();
    const body = JSON.stringify({ messages });
    const { port } = new URL(gateway.url);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
        if (answer.includes('Hello.')) {
          socket.destroy();
          resolve(answer);
        }
      });
      const lines = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${rollout.token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      void (async () => {
        for (let at = 0; at < lines.length; at += 40) {
          socket.write(lines.slice(at, at + 40));
          await sleep(1);
        }
      })();
    });
    expect(text).toContain('200 OK');
  });
});

describe('a client that goes away', () => {
  it('in the middle of a stream ends the backend’s work, and nothing is recorded', async () => {
    let ended = false;
    backend.handle = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta({ content: 'Hel' }))}\n\n`);
      response.on('close', () => {
        ended = true;
      });
    };
    const rollout = opened();
    const leaving = new AbortController();
    const response = await fetch(`${rollout.openaiBaseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rollout.token}` },
      body: JSON.stringify({ messages, stream: true }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await until(() => ended);
    backend.handle = (seen, next) => reply(seen, next, { content: 'Hello.' });
    expect((await send(rollout, { messages })).status).toBe(200);
    const { usage, problem, facts } = rollout.close();
    expect([usage.turns, facts.exchanges, problem]).toEqual([1, 1, undefined]);
  });

  it('reads slowly: what is written waits for it', async () => {
    const part = 'x'.repeat(10_000);
    let written = 0;
    backend.handle = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (written < 3000) {
          written++;
          if (!response.write(`data: ${JSON.stringify(delta({ content: part }))}\n\n`)) {
            response.once('drain', more);
            return;
          }
        }
        response.end(`data: ${JSON.stringify(delta({}, 'stop'))}\n\ndata: [DONE]\n\n`);
      };
      more();
    };
    const rollout = opened();
    const response = await send(rollout, { messages, stream: true });
    const reader = response.body!.getReader();
    await reader.read();
    await sleep(150);
    // 30 MB would have been taken by now if nobody waited.
    expect(written).toBeLessThan(2900);
    let bytes = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) bytes += next.value.length;
    expect(bytes).toBeGreaterThan(29_000_000);
    expect(rollout.close().messages.at(-1)?.content).toHaveLength(30_000_000);
  });
});

describe('budgets', () => {
  it('of turns hold, also for requests at once', async () => {
    const rollout = opened({ turns: 3 });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => send(rollout, { messages }).then((r) => r.status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 402)).toHaveLength(5);
    expect(backend.seen).toHaveLength(3);
    expect(await rollout.spent).toMatchObject({ code: 'turn_budget', fault: 'policy' });
    expect(rollout.close()).toMatchObject({ problem: { code: 'turn_budget' }, usage: { turns: 3 } });
  });

  it('are told in OpenAI’s form, and clients do not try again', async () => {
    const rollout = opened({ turns: 1 });
    await send(rollout, { messages });
    const over = await send(rollout, { messages, stream: true });
    expect([over.status, over.headers.get('x-should-retry')]).toEqual([402, 'false']);
    expect(await errorOf(over)).toMatchObject({ type: 'insufficient_quota', code: 'turn_budget' });
  });

  it('of tokens and money count what the backend counts', async () => {
    const tokens = opened({ tokens: 15 });
    for (const status of [200, 200, 402])
      expect((await send(tokens, { messages, max_tokens: 50 })).status).toBe(status);
    expect(backend.seen.map(({ body }) => body.max_tokens)).toEqual([15, 5]);
    expect(tokens.close().problem).toMatchObject({ code: 'token_budget', value: 20 });
    const money = opened({ cost: 0.00005 });
    // 7 prompt tokens at 1 and 3 completion tokens at 10 dollars a million.
    for (const status of [200, 200, 402]) expect((await send(money, { messages })).status).toBe(status);
    const { usage, problem } = money.close();
    expect(usage.cost).toBeCloseTo(0.000074, 9);
    expect(problem?.code).toBe('cost_budget');
  });

  it('of tokens end also where the backend counts none', async () => {
    backend.handle = (_, response) => json(response, completion({ content: 'x'.repeat(400) }, 'stop', { usage: null }));
    const rollout = opened({ tokens: 100 });
    for (const status of [200, 402]) expect((await send(rollout, { messages })).status).toBe(status);
    expect(rollout.close().usage).toEqual({ turns: 1 });
  });

  it('that are none are refused', () => {
    expect(() => opened({ turns: 0 })).toThrow('above 0');
    expect(() => opened({ tokens: Number.NaN })).toThrow('above 0');
    expect(() =>
      gateway.open({ backend: { kind: 'openai', baseUrl: backend.url, model: 'm' }, budget: { cost: 1 } }),
    ).toThrow('needs prices');
    expect(() => gateway.open({ backend: { kind: 'openai', baseUrl: 'ftp://x', model: 'm' } })).toThrow('http(s)');
  });

  it('do not end when a request failed', async () => {
    backend.handle = (_, response) => json(response, { error: { message: 'no' } }, 400);
    const rollout = opened({ turns: 1 });
    expect((await send(rollout, { messages })).status).toBe(400);
    backend.handle = (seen, response) => reply(seen, response, { content: 'Hello.' });
    expect((await send(rollout, { messages })).status).toBe(200);
  });
});

describe('a rollout', () => {
  it('answers two requests at once, each its own', async () => {
    const held: (() => void)[] = [];
    backend.handle = (seen, response) => {
      const [{ content }] = seen.body.messages as [{ content: string }];
      held.push(() => reply(seen, response, { content: `to ${content}` }));
    };
    const rollout = opened();
    const asks = ['a', 'b'].map((content) =>
      send(rollout, { messages: [{ role: 'user', content }], stream: content === 'b' }),
    );
    await until(() => held.length === 2);
    for (const go of held.reverse()) go();
    const [one, two] = await Promise.all(asks.map(async (each) => (await each).text()));
    expect(one).toContain('to a');
    expect(two).toContain('"o"');
    const { usage, facts } = rollout.close();
    expect([usage.turns, facts.exchanges, facts.rewritten]).toEqual([2, 2, false]);
  });

  it('that is closed ends what is under way, and is recorded once', async () => {
    backend.handle = () => {};
    const rollout = opened();
    const asking = send(rollout, { messages });
    await until(() => backend.seen.length === 1);
    const recording = rollout.close();
    expect((await asking).status).toBe(503);
    expect(rollout.close()).toBe(recording);
    expect(recording).toEqual({
      messages: [],
      tools: [],
      usage: { turns: 0 },
      facts: { dialect: 'openai', exchanges: 0, retried: 0, rewritten: false },
    });
  });

  it('that is called off ends, and says so', async () => {
    backend.handle = (_, response) => stream(response, [delta({ content: 'x' })]);
    const calling = new AbortController();
    const rollout = gateway.open({
      backend: { kind: 'openai', baseUrl: backend.url, model: 'm' },
      signal: calling.signal,
    });
    calling.abort();
    expect(await rollout.spent).toMatchObject({ code: 'cut' });
    expect((await send(rollout, { messages })).status).toBe(503);
    expect(rollout.close().problem).toMatchObject({ code: 'cut' });
  });

  it('ends with the gateway', async () => {
    const other = await startGateway();
    const { token, openaiBaseUrl } = other.open({ backend: { kind: 'openai', baseUrl: backend.url, model: 'm' } });
    await other.close();
    await expect(fetch(`${openaiBaseUrl}/models`, { headers: { 'x-api-key': token } })).rejects.toThrow();
    await expect(startGateway({ port: Number(new URL(gateway.url).port) })).rejects.toMatchObject({
      code: 'cannot_listen',
    });
  });
});
