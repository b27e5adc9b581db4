/** The optional features through the same handler as everything else, without a transport. */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureFeatures } from '../../../../test/conformance/fixture.js';
import { connected, peer } from '../../../../test/conformance/peer.js';
import { noteHost } from '../../../../test/e2e/mcp-host.js';
import { envelope } from '../../../../test/e2e/mcp-raw.js';
import type { TreadleError } from '../../../errors.js';
import { mcpHandler } from '../handler.js';
import type { Reply } from '../messages.js';
import type { Exchange } from '../route.js';
import { MOST_WATCHED } from './changes.js';
import type { Features } from './features.js';
import { seal } from './seal.js';

interface Body {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

const host = noteHost();
const full = fixtureFeatures();
const handle = mcpHandler({ server: { name: 'acme', version: '9' }, features: full });
const ABLE = { sampling: {}, elicitation: {}, roots: {} };

const rpc = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 'a', method, params });
const modern = (method: string, params: object = {}, capabilities: object = ABLE, meta: object = {}): object =>
  rpc(method, {
    ...params,
    _meta: { ...envelope(), 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta },
  });
const bodyOf = (reply: Reply): Body => (reply.body === undefined ? {} : JSON.parse(reply.body));
const ask = async (message: object, exchange: Exchange = {}, handler = handle): Promise<Body> =>
  bodyOf(await handler(host, message, exchange));
const tool = (name: string, args: object = {}, rest: object = {}): object =>
  modern('tools/call', { name, arguments: args, ...rest });
const accept = (content: object): object => ({ action: 'accept', content });

describe('a server without features', () => {
  const plain = mcpHandler();

  it('knows none of their methods', async () => {
    const methods = [
      ...['resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe', 'prompts/list'],
      ...['prompts/get', 'completion/complete', 'logging/setLevel', 'subscriptions/listen'],
    ];
    for (const method of methods) {
      expect((await ask(rpc(method), {}, plain)).error?.code, method).toBe(-32601);
      const reply = await plain(host, modern(method), { outlet: peer() });
      expect([reply.status, bodyOf(reply).error?.code], method).toEqual([404, -32601]);
    }
  });

  it('makes no promise of a call, with or without a way back', () => {
    expect(plain(host, tool('count_notes'), { outlet: peer(), connection: connected() })).not.toBeInstanceOf(Promise);
    expect(handle(host, tool('count_notes'), {})).not.toBeInstanceOf(Promise);
  });
});

describe('what is declared', () => {
  it('is what is there, in both eras', async () => {
    const capabilities = {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    };
    expect((await ask(modern('server/discover'))).result?.capabilities).toEqual(capabilities);
    const opened = await ask(rpc('initialize', { protocolVersion: '2025-11-25' }));
    expect(opened.result?.capabilities).toEqual(capabilities);
    const some = mcpHandler({ features: { prompts: { list: () => [], get: () => undefined } } });
    expect((await ask(modern('server/discover'), {}, some)).result?.capabilities).toEqual({ tools: {}, prompts: {} });
  });

  it('keeps the methods of one era out of the other', async () => {
    for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel', 'ping'])
      expect((await ask(modern(method))).error?.code, method).toBe(-32601);
    expect((await ask(rpc('subscriptions/listen'))).error?.code).toBe(-32601);
  });

  it("lists the host's tools and its own", async () => {
    const { tools } = (await ask(modern('tools/list'))).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['write_note', 'test_sampling']));
    expect((await ask(tool('count_notes'))).result).toMatchObject({ structuredContent: 0 });
  });
});

describe('questions since 2026-07-28', () => {
  const name = 'test_input_required_result_multi_round';
  const first = async (on = name): Promise<string> => (await ask(tool(on))).result?.requestState as string;

  it('go round by round, and remember the answers', async () => {
    const one = await ask(tool(name));
    expect(one.result).toMatchObject({ resultType: 'input_required', inputRequests: { step1: {} } });
    const two = await ask(
      tool(name, {}, { inputResponses: { step1: accept({ name: 'Ada' }) }, requestState: one.result?.requestState }),
    );
    expect(Object.keys(two.result?.inputRequests as object)).toEqual(['step2']);
    const three = await ask(
      tool(name, {}, { inputResponses: { step2: accept({ color: 'blue' }) }, requestState: two.result?.requestState }),
    );
    expect(three.result?.resultType).toBe('complete');
    expect(JSON.stringify(three.result?.content)).toMatch(/Ada.*blue/);
  });

  it('ask again for what does not answer them', async () => {
    const only = 'test_input_required_result_elicitation';
    for (const answer of [12, null, [], {}, { action: 'maybe' }, { action: 'accept', content: [] }, 'yes'])
      expect((await ask(tool(only, {}, { inputResponses: { user_name: answer } }))).result).toMatchObject({
        resultType: 'input_required',
        inputRequests: { user_name: { method: 'elicitation/create' } },
      });
    for (const inputResponses of [null, [], 'x', 7])
      expect((await ask(tool(only, {}, { inputResponses }))).error?.code).toBe(-32602);
    const hostile = JSON.parse('{"__proto__":{"action":"accept","content":{}}}');
    expect((await ask(tool(only, {}, { inputResponses: hostile }))).error?.code).toBe(-32602);
    for (const key of ['constructor', 'toString'])
      expect((await ask(tool(only, {}, { inputResponses: { [key]: accept({}) } }))).result?.resultType).toBe(
        'input_required',
      );
  });

  it('take no state that was altered or made up', async () => {
    const state = await first();
    const refuses = async (requestState: unknown): Promise<void> => {
      expect((await ask(tool(name, {}, { requestState }))).error?.code, String(requestState)).toBe(-32602);
    };
    for (const other of ['', '.', `${state}x`, `${state}.`, `${state}=`, state.slice(1), 7, null, {}])
      await refuses(other);
    await fc.assert(
      fc.asyncProperty(fc.nat(state.length - 1), fc.constantFrom('A', 'z', '0', '-', '.', ' '), async (at, letter) => {
        if (state[at] !== letter) await refuses(`${state.slice(0, at)}${letter}${state.slice(at + 1)}`);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it('take no state of another tool, other arguments, another session or another server', async () => {
    const state = await first();
    const asking = (on: string, args: object): object => tool(on, args, { requestState: state });
    expect((await ask(asking(name, {}))).result?.resultType).toBe('input_required');
    expect((await ask(asking('test_input_required_result_elicitation', {}))).error?.code).toBe(-32602);
    expect((await ask(asking(name, { x: 1 }))).error?.code).toBe(-32602);
    expect(bodyOf(await handle(noteHost(), asking(name, {}), {})).error?.code).toBe(-32602);
    const elsewhere = mcpHandler({ features: fixtureFeatures() });
    expect((await ask(asking(name, {}), {}, elsewhere)).error?.code).toBe(-32602);
  });

  it('take no state that is too old', () => {
    let now = 0;
    const sealed = seal(Buffer.alloc(32), () => now);
    const text = sealed.close({ a: 1 }, 'p');
    expect([sealed.open(text, 'p'), sealed.open(text, 'q')]).toEqual([{ a: 1 }, undefined]);
    now = 3600;
    expect(sealed.open(text, 'p')).toBeUndefined();
  });

  it('are not put to a client that did not declare it could answer', async () => {
    const reply = await handle(host, modern('tools/call', { name: 'test_missing_capability' }, {}), {});
    expect(reply.status).toBe(400);
    expect(bodyOf(reply)).toMatchObject({
      id: 'a',
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
    const many = await ask(modern('tools/call', { name: 'test_input_required_result_multiple_inputs' }, { roots: {} }));
    expect(many.error?.data).toEqual({ requiredCapabilities: { elicitation: {}, sampling: {} } });
  });

  it('are put even by a tool that swallows what asking throws', async () => {
    const features: Features = {
      tools: {
        list: () => [],
        run: () => async (_args, caller) => {
          await caller.ask({ where: { method: 'roots/list' } }).catch(() => {});
          return { content: [] };
        },
      },
    };
    expect((await ask(tool('any'), {}, mcpHandler({ features }))).result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { where: { method: 'roots/list', params: {} } },
    });
  });
});

describe('questions before 2026-07-28', () => {
  const call = (name: string, args: object = {}, meta: object = {}): object =>
    rpc('tools/call', { name, arguments: args, _meta: meta });
  const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } };

  it('are answered on the connection that was asked', async () => {
    const connection = connected();
    const outlet = peer();
    const pending = ask(call('test_sampling', { prompt: 'x' }), { connection, outlet });
    await turn();
    const [question] = outlet.heard;
    expect(question).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 100 } });
    const answer = { jsonrpc: '2.0', id: question?.id, result: sampled };
    // Another session's client knows no such question.
    expect(await handle(host, answer, { connection: connected() })).toEqual({ status: 202 });
    expect(await handle(host, answer, {})).toEqual({ status: 202 });
    expect(await handle(host, answer, { connection })).toEqual({ status: 202 });
    expect(JSON.stringify((await pending).result)).toContain('Paris');
    expect(await handle(host, answer, { connection })).toEqual({ status: 202 });
  });

  it('end by themselves when nobody answers', async () => {
    const connection = connected(20);
    const outlet = peer();
    const { result } = await ask(call('test_sampling', { prompt: 'x' }), { connection, outlet });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain('did not answer sampling/createMessage');
    expect(outlet.heard[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: outlet.heard[0]?.id },
    });
    expect(connection.running.size).toBe(0);
  });

  it.each([
    ['an error', { error: { code: 1, message: 'not today' } }, 'not today'],
    ['an error of no form', { error: 'no' }, 'no reason'],
    ['nothing of the form', { result: { role: 'assistant' } }, 'form'],
    ['null', { result: null }, 'form'],
  ])('are told as refused when the answer is %s', async (_what, response, said) => {
    const connection = connected();
    const outlet = peer();
    const pending = ask(call('test_sampling', { prompt: 'x' }), { connection, outlet });
    await turn();
    await handle(host, { jsonrpc: '2.0', id: outlet.heard[0]?.id, ...response }, { connection });
    const { result } = await pending;
    expect(result?.isError).toBe(true);
    expect(JSON.stringify(result)).toContain(said);
  });

  it('do not get in by an answer that is too deep', async () => {
    const connection = connected();
    const outlet = peer();
    const pending = ask(call('test_sampling', { prompt: 'x' }), { connection, outlet });
    await turn();
    let deep: object = {};
    for (let i = 0; i < 100; i++) deep = { deep };
    const id = outlet.heard[0]?.id;
    expect((await handle(host, { jsonrpc: '2.0', id, result: deep }, { connection })).status).toBe(400);
    await handle(host, { jsonrpc: '2.0', id, result: sampled }, { connection });
    expect((await pending).result?.isError).toBeUndefined();
  });

  it('fail where there is no session, no stream, no capability, or nobody left', async () => {
    const without = { ...connected(), capabilities: {} };
    expect(await ask(call('test_sampling'), { connection: without, outlet: peer() })).toMatchObject({
      error: { code: -32021 },
    });
    const cases: Exchange[] = [
      { connection: { capabilities: ABLE }, outlet: peer() },
      { connection: connected() },
      { connection: connected(), outlet: peer(false) },
    ];
    for (const exchange of cases) {
      const { result } = await ask(call('test_sampling'), exchange);
      expect(result?.isError).toBe(true);
      expect(JSON.stringify(result)).toContain('could not be asked');
    }
    const connection = connected();
    const pending = ask(call('test_sampling'), { connection, outlet: peer() });
    await turn();
    connection.asks.close();
    expect(JSON.stringify((await pending).result)).toContain('its session has ended');
    const outlet = peer();
    const left = handle(host, call('test_sampling'), { connection: connected(), outlet });
    await turn();
    outlet.leave();
    expect(await left).toEqual({ status: 202 });
  });

  it('are not heaped up without end', async () => {
    const connection = connected();
    const outlet = peer();
    const all = Array.from({ length: 70 }, () => ask(call('test_sampling'), { connection, outlet }));
    await turn();
    expect(outlet.heard).toHaveLength(64);
    connection.asks.close();
    expect((await Promise.all(all)).every(({ result }) => result?.isError === true)).toBe(true);
  });

  it('stop with the request that is cancelled', async () => {
    const connection = connected();
    const outlet = peer();
    const reply = handle(host, call('test_tool_with_logging'), { connection, outlet });
    await turn();
    for (const requestId of ['b', null, {}, ['a']])
      await handle(host, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, { connection });
    expect(connection.running.size).toBe(1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } };
    await handle(host, cancel, { connection: connected() });
    expect(connection.running.get('a')?.signal.aborted).toBe(false);
    await handle(host, cancel, { connection });
    expect(await reply).toEqual({ status: 202 });
    expect(outlet.heard.length).toBeLessThan(3);
    expect(connection.running.size).toBe(0);
  });
});

describe('logs and progress', () => {
  const heardBy = async (message: object, exchange: Exchange = {}): Promise<string[]> => {
    const outlet = peer();
    await handle(host, message, { ...exchange, outlet });
    return outlet.heard.map(({ method }) => method);
  };
  const logging = (level?: string): object =>
    modern(
      'tools/call',
      { name: 'test_logging_tool' },
      {},
      level === undefined
        ? {}
        : {
            'io.modelcontextprotocol/logLevel': level,
          },
    );

  it('are heard from the level that a request asks for, and never without one', async () => {
    expect(await heardBy(logging())).toEqual([]);
    expect(await heardBy(logging('info'))).toEqual(['notifications/message']);
    expect(await heardBy(logging('debug'))).toEqual(['notifications/message']);
    expect(await heardBy(logging('warning'))).toEqual([]);
  });

  it('are heard from the level that a session has set', async () => {
    const connection = connected();
    const line = rpc('tools/call', { name: 'test_logging_tool' });
    expect(await heardBy(line, { connection })).toEqual(['notifications/message']);
    expect((await ask(rpc('logging/setLevel', { level: 'error' }), { connection })).result).toEqual({});
    expect(await heardBy(line, { connection })).toEqual([]);
    for (const level of ['loud', 7, undefined, 'constructor'])
      expect((await ask(rpc('logging/setLevel', { level }), { connection })).error?.code).toBe(-32602);
    expect((await ask(rpc('logging/setLevel', { level: 'info' }))).error?.code).toBe(-32600);
  });

  it('tell progress to who asked for it', async () => {
    const outlet = peer();
    await handle(host, modern('tools/call', { name: 'test_tool_with_progress' }, {}, { progressToken: 7 }), { outlet });
    expect(outlet.heard.map(({ params }) => params)).toEqual(
      [0, 50, 100].map((progress) => ({ progressToken: 7, progress, total: 100 })),
    );
    expect(await heardBy(tool('test_tool_with_progress'))).toEqual([]);
  });

  it('tell no progress that does not grow', async () => {
    const features: Features = {
      tools: {
        list: () => [],
        run: () => (_args, caller) => {
          for (const done of [1, 1, 0, Number.NaN, 2]) caller.progress(done);
          return { content: [] };
        },
      },
    };
    const outlet = peer();
    await mcpHandler({ features })(host, modern('tools/call', { name: 'x' }, {}, { progressToken: 'p' }), { outlet });
    expect(outlet.heard.map(({ params }) => params?.progress)).toEqual([1, 2]);
  });
});

describe('subscriptions', () => {
  const listening = (notifications: unknown, id: unknown = 'a'): object => ({
    ...modern('subscriptions/listen', { notifications }),
    id,
  });
  const KEY = 'io.modelcontextprotocol/subscriptionId';

  it('acknowledge what they agree to, tell that and no more, and end with the client', async () => {
    const features = fixtureFeatures();
    const handler = mcpHandler({ features });
    const outlet = peer();
    const wanted = {
      promptsListChanged: true,
      toolsListChanged: false,
      resourceSubscriptions: ['test://a'],
      odd: true,
    };
    const reply = handler(host, listening(wanted, 9), { outlet });
    const { changes } = features;
    for (const kind of ['tools', 'prompts', 'resources'] as const) changes.tell({ kind });
    for (const uri of ['test://a', 'test://b']) changes.tell({ kind: 'resource', uri });
    expect(outlet.heard.map(({ method, params }) => [method, params])).toEqual([
      [
        'notifications/subscriptions/acknowledged',
        { notifications: { promptsListChanged: true, resourceSubscriptions: ['test://a'] }, _meta: { [KEY]: 9 } },
      ],
      ['notifications/prompts/list_changed', { _meta: { [KEY]: 9 } }],
      ['notifications/resources/updated', { uri: 'test://a', _meta: { [KEY]: 9 } }],
    ]);
    outlet.leave();
    expect(await reply).toEqual({ status: 200 });
    expect(changes.listeners).toBe(0);
  });

  it('refuse filters of no form, and clients that read no stream', async () => {
    const many = Array(MOST_WATCHED + 1).fill('test://a');
    for (const filter of [
      undefined,
      null,
      [],
      'x',
      { toolsListChanged: 1 },
      { resourceSubscriptions: [1] },
      { resourceSubscriptions: many },
    ])
      expect((await ask(listening(filter), { outlet: peer() })).error?.code).toBe(-32602);
    expect((await handle(host, listening({}), {})).status).toBe(406);
    expect((await handle(host, listening({}), { outlet: peer(false) })).status).toBe(503);
    expect(full.changes.listeners).toBe(0);
  });

  it('are held by ten thousand clients, and let go of by all', async () => {
    const features = fixtureFeatures();
    const handler = mcpHandler({ features });
    const outlets = Array.from({ length: 10_000 }, () => peer());
    const replies = outlets.map((outlet, id) => handler(host, listening({ toolsListChanged: true }, id), { outlet }));
    features.changes.tell({ kind: 'tools' });
    expect(outlets.every(({ heard }) => heard.length === 2)).toBe(true);
    expect(outlets[77]?.heard[1]?.params?._meta).toEqual({ [KEY]: 77 });
    for (const outlet of outlets.slice(0, 5000)) outlet.leave();
    expect(features.changes.listeners).toBe(5000);
    features.changes.close();
    const bodies = await Promise.all(replies);
    expect(features.changes.listeners).toBe(0);
    expect(bodies[0]).toEqual({ status: 200 });
    expect(bodyOf(bodies[9999]!)).toMatchObject({
      id: 9999,
      result: { resultType: 'complete', _meta: { [KEY]: 9999 } },
    });
  });

  it('of an earlier session are bounded', async () => {
    const connection = connected();
    const watch = (uri: unknown, on = true): Promise<Body> =>
      ask(rpc(`resources/${on ? 'subscribe' : 'unsubscribe'}`, { uri }), { connection });
    for (let i = 0; i < MOST_WATCHED; i++) await watch(`test://${i}`);
    expect((await watch('test://more')).error?.code).toBe(-32602);
    expect((await watch('test://7')).result).toEqual({});
    expect((await watch('test://7', false)).result).toEqual({});
    expect((await watch('test://more')).result).toEqual({});
    expect((await watch(7)).error?.code).toBe(-32602);
    expect((await ask(rpc('resources/subscribe', { uri: 'test://a' }))).error?.code).toBe(-32600);
  });
});

describe('resources, prompts, completion', () => {
  it('say what is wrong', async () => {
    const wrong: [string, object][] = [
      ['resources/read', {}],
      ['resources/read', { uri: 7 }],
      ['resources/read', { uri: 'test://nowhere' }],
      ['resources/list', { cursor: 'x' }],
      ['prompts/get', {}],
      ['prompts/get', { name: 'toString' }],
      ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'x' } }],
      ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 1, arg2: 2 } }],
      ['prompts/get', { name: 'test_simple_prompt', arguments: [] }],
      ['completion/complete', {}],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } }],
      ['completion/complete', { ref: { type: 'ref/else', name: 'x' }, argument: { name: 'a', value: '' } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 1 } }],
    ];
    for (const [method, params] of wrong)
      expect((await ask(modern(method, params))).error?.code, `${method} ${JSON.stringify(params)}`).toBe(-32602);
    expect((await ask(modern('resources/read', { uri: 'test://nowhere' }))).error?.data).toEqual({
      uri: 'test://nowhere',
    });
    expect((await ask(rpc('resources/read', { uri: 'test://nowhere' }))).error?.code).toBe(-32002);
  });

  it('complete with a hundred at most', async () => {
    const words = Array.from({ length: 250 }, (_, i) => `w${i}`);
    const handler = mcpHandler({ features: { complete: () => words } });
    const params = { ref: { type: 'ref/resource', uri: 'x' }, argument: { name: 'a', value: 'w' } };
    expect((await ask(modern('completion/complete', params), {}, handler)).result?.completion).toEqual({
      values: words.slice(0, 100),
      total: 250,
      hasMore: true,
    });
  });

  it('that throw are defects, and say nothing of it', async () => {
    const defects: TreadleError[] = [];
    const broken = (): never => {
      throw new Error('secret detail');
    };
    const features: Features = {
      tools: { list: () => [], run: () => broken },
      prompts: { list: broken, get: broken },
      resources: { list: broken, templates: broken, read: async () => broken() },
      complete: broken,
    };
    const handler = mcpHandler({ features, onDefect: (error) => defects.push(error) });
    const ref = { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } };
    const all: [string, object][] = [
      ['tools/call', { name: 'x' }],
      ['prompts/list', {}],
      ['prompts/get', { name: 'x' }],
      ['resources/read', { uri: 'x' }],
      ['completion/complete', ref],
    ];
    for (const [method, params] of all) {
      const { error } = await ask(modern(method, params), {}, handler);
      expect(error, method).toEqual({ code: -32603, message: 'The server could not answer' });
    }
    expect(defects.map(({ message }) => message)).toEqual(Array(5).fill('secret detail'));
  });
});

describe('mirrored arguments', () => {
  const call = (args: object, param: Record<string, string>): Promise<Body> =>
    ask(tool('test_header_param', args), {
      headers: {
        version: '2026-07-28',
        method: 'tools/call',
        name: 'test_header_param',
        param: (name) => param[name],
      },
    });

  it('are held against their headers', async () => {
    expect((await call({ region: 'eu' }, { Region: 'eu' })).result?.resultType).toBe('complete');
    const wrapped = `=?base64?${Buffer.from('größe').toString('base64')}?=`;
    expect((await call({ region: 'größe' }, { Region: wrapped })).result?.resultType).toBe('complete');
    for (const given of [{}, { Region: 'us' }, { Region: '=?base64?!?=' }] as Record<string, string>[])
      expect((await call({ region: 'eu' }, given)).error?.code).toBe(-32020);
    expect((await call({}, { Region: 'eu' })).error?.code).toBe(-32020);
    expect((await call({ region: null }, {})).result?.resultType).toBe('complete');
  });
});

describe('anything at all', () => {
  it('gets one well-formed reply, whatever the client has left', async () => {
    const methods = fc.constantFrom(
      ...['tools/call', 'resources/read', 'prompts/get', 'completion/complete', 'subscriptions/listen'],
      ...['logging/setLevel', 'resources/subscribe', 'initialize', 'notifications/cancelled'],
    );
    const target = fc.constantFrom('test_sampling', 'test_elicitation', 'test_simple_prompt', 'test://static-text', '');
    const junk = fc.jsonValue({ maxDepth: 2 });
    const params = fc.record(
      { name: target, uri: target, arguments: junk, inputResponses: junk, requestState: junk, notifications: junk },
      { requiredKeys: [] },
    );
    const gone = peer();
    gone.leave();
    await fc.assert(
      fc.asyncProperty(methods, params, fc.boolean(), fc.boolean(), async (method, sent, isModern, isSession) => {
        const message = isModern ? modern(method, sent) : rpc(method, sent);
        const exchange = { outlet: gone, ...(isSession ? { connection: connected(5) } : {}) };
        const reply = await handle(host, JSON.parse(JSON.stringify(message)), exchange);
        expect([200, 202, 400, 404]).toContain(reply.status);
        const body = bodyOf(reply);
        if (reply.body !== undefined) expect('result' in body).toBe(!('error' in body));
        expect(body.error?.code).not.toBe(-32603);
      }),
      { numRuns: 1000, seed: 11 },
    );
    expect(full.changes.listeners).toBe(0);
  });
});
