/** An OpenAI-compatible server without a model: it replays a task's reference under whatever names the harness shows. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Task } from '../../src/artifacts/task.js';
import type { Message } from '../../src/artifacts/trace.js';
import type { Json } from '../../src/kit/hash.js';
import { argumentsOf, callId, offeredName } from '../../src/rollout/agents/replay.js';
import type { SessionTool } from '../../src/serve/tool-host.js';

export interface WireMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; type?: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface WireRequest {
  model: string;
  stream?: boolean;
  messages: WireMessage[];
  tools?: { function: { name: string } }[];
}

export interface WireReply {
  content: string;
  calls?: { name: string; args: Record<string, Json> | string }[];
}

export type Script = (request: WireRequest) => WireReply;

export interface FakeModel {
  /** Ends in /v1. */
  baseUrl: string;
  requests: WireRequest[];
  close(): Promise<void>;
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? '').join('')
      : '';

/** JSON in a tool's result, which a harness may have wrapped in words of its own. */
const jsonIn = (text: string): string => {
  for (let at = text.search(/[[{]/); at >= 0 && at < text.length; at++) {
    for (let end = text.length; end > at; end--) {
      if (!'}]'.includes(text[end - 1] as string)) continue;
      try {
        JSON.parse(text.slice(at, end));
        return text.slice(at, end);
      } catch {
        // Another bracket then.
      }
    }
    const next = text.slice(at + 1).search(/[[{]/);
    if (next < 0) break;
    at += next;
  }
  return text;
};

const isShown = (shown: string, name: string): boolean => shown === name || shown.endsWith(`__${name}`);

/** The reference, one call a turn, then its answer. Requests without a tool of the world (titles, summaries) get a word. */
export const replaying =
  (task: Task, tools: readonly SessionTool[]): Script =>
  (request) => {
    const offered = (request.tools ?? []).map((tool) => tool.function.name);
    const names = task.reference.calls.map((call) => offeredName(call, tools));
    const isOurs = (shown: string): boolean => tools.some(({ name }) => isShown(shown, name));
    if (!offered.some(isOurs)) return { content: 'ok' };
    const made = request.messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.filter((call) => isOurs(call.function.name)),
    );
    const history = made.map(({ id }, n): Message => {
      const result = request.messages.find((message) => message.role === 'tool' && message.tool_call_id === id);
      return { role: 'tool', toolCallId: callId(n), content: jsonIn(textOf(result?.content)) };
    });
    const name = names[made.length];
    if (name === undefined) return { content: task.reference.answer || 'Done.' };
    const shown = offered.find((one) => isShown(one, name));
    if (shown === undefined) return { content: `No tool ${name} among ${offered.join(', ')}` };
    return { content: '', calls: [{ name: shown, args: argumentsOf(task, made.length, history) }] };
  };

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const answer = (response: ServerResponse, request: WireRequest, reply: WireReply, n: number): void => {
  const calls = reply.calls?.map(({ name, args }, i) => ({
    index: i,
    id: `call_${n}_${i}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  const finish = calls?.length ? 'tool_calls' : 'stop';
  const message = { role: 'assistant', content: reply.content, ...(calls?.length ? { tool_calls: calls } : {}) };
  const usage = { prompt_tokens: 100 + n, completion_tokens: 10, total_tokens: 110 + n };
  const head = { id: `fake-${n}`, created: 0, model: request.model };
  if (!request.stream) {
    response.setHeader('content-type', 'application/json');
    const choices = [{ index: 0, message, finish_reason: finish }];
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (value: object): void => {
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...value })}\n\n`);
  };
  send({ choices: [{ index: 0, delta: message, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
};

export const fakeModel = async (script: Script): Promise<FakeModel> => {
  const requests: WireRequest[] = [];
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'm1', object: 'model' }] }));
      return;
    }
    const wire = JSON.parse(text) as WireRequest;
    requests.push(wire);
    answer(response, wire, script(wire), requests.length);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
};
