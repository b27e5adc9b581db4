/** What a server asks of its client, in both eras, and clients that answer badly, late or never. */

import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ABLE, accept, ask, bodyOf, handle, host, modern, rpc, tool } from '../../../../test/conformance/asking.js';
import { fixtureFeatures } from '../../../../test/conformance/fixture.js';
import { connected, peer } from '../../../../test/conformance/peer.js';
import { noteHost } from '../../../../test/e2e/mcp-host.js';
import { mcpHandler } from '../handler.js';
import type { Exchange } from '../route.js';
import type { Features } from './features.js';
import { seal } from './seal.js';

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

  it('have no answer once cancelled, even from a tool that goes on', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const features: Features = {
      tools: { list: () => [], run: () => () => gate.then(() => ({ content: [] })) },
    };
    const handler = mcpHandler({ features });
    const connection = connected();
    const reply = handler(host, call('any'), { connection, outlet: peer() });
    const params = { requestId: 'a' };
    await handler(host, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, { connection });
    open();
    expect(await reply).toEqual({ status: 202 });
  });
});
