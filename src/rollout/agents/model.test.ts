import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toyHost, toyTask } from '../../../test/rollout/toy.js';
import { canonicalJson } from '../../kit/hash.js';
import { cassette } from '../../models/cassette.js';
import { endpoint } from '../../models/client.js';
import { rolloutTask } from '../rollout.js';
import { modelPolicy } from './model.js';

interface WireMessage {
  role: string;
  content: string;
  tool_calls?: { function: { arguments: string } }[];
  reasoning_content?: string;
}

let server: Server;
let base: string;
let folder: string;
let asked: { messages: WireMessage[]; tools: unknown[]; seed?: number }[];

/** A model that looks, writes broken arguments once, then voids what it found and answers. */
const turns = (messages: WireMessage[]): object => {
  const call = (name: string, args: string) => ({
    content: null,
    reasoning_content: `So: ${name}.`,
    tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: args } }],
  });
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.length === 0) return call('list_invoices', '');
  if (results.length === 1) return call('get_invoice', '{"id": inv_2x}');
  if (results.length === 2)
    return call(
      'void_invoice',
      JSON.stringify({ id: (JSON.parse(results[0] as string) as { data: { id: string }[] }).data[1]?.id }),
    );
  return { content: 'The total was 2000.' };
};

beforeEach(async () => {
  asked = [];
  folder = mkdtempSync(join(tmpdir(), 'model-policy-'));
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as (typeof asked)[number];
      asked.push(body);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          choices: [{ message: turns(body.messages), finish_reason: 'stop' }],
          usage: { prompt_tokens: 10, completion_tokens: 2 },
        }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

it('acts against an endpoint, recovers from its own broken call, and replays offline from the cassette', async () => {
  const file = join(folder, 'tape.jsonl');
  const roll = async (client: Parameters<typeof modelPolicy>[0]) => {
    const host = toyHost();
    const trace = await rolloutTask({ host, task: toyTask(), policy: modelPolicy(client, { seed: 7 }, '7') });
    return { host, trace };
  };
  const live = await roll(cassette(endpoint({ baseUrl: base, model: 'fake-1' }), file, 'record'));
  expect(live.trace).toMatchObject({
    finish: 'answered',
    answer: 'The total was 2000.',
    producer: { policy: 'model', name: 'fake-1', seed: '7', sampling: { seed: 7 } },
    usage: { turns: 4, calls: 3, promptTokens: 40, completionTokens: 8 },
  });
  expect(live.host.rows[1]?.status).toBe('void');
  expect(live.trace.ledger.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(live.trace.messages[2]).toMatchObject({ reasoning: 'So: list_invoices.', content: '' });
  expect(asked[2]?.messages[4]).toMatchObject({
    reasoning_content: 'So: get_invoice.',
    tool_calls: [{ function: { arguments: '{"id": inv_2x}' } }],
  });
  expect(asked[0]).toMatchObject({ seed: 7, tools: [{}, {}, {}] });
  const replayed = await roll(cassette({ model: 'fake-1' }, file, 'replay'));
  expect(canonicalJson(replayed.trace)).toBe(canonicalJson(live.trace));
  expect(asked).toHaveLength(4);
});

it('a dead endpoint is a trace with a problem', async () => {
  await new Promise((done) => server.close(done));
  const trace = await rolloutTask({
    host: toyHost(),
    task: toyTask(),
    policy: modelPolicy(endpoint({ baseUrl: base, model: 'm', maxRetries: 1, backoffMs: 1 })),
  });
  expect(trace).toMatchObject({ finish: 'error', problem: { code: 'endpoint_down', fault: 'infrastructure' } });
});
