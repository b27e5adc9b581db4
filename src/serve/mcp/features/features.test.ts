/** The optional features through the same handler as everything else, without a transport. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, type Body, bodyOf, full, handle, host, modern, rpc, tool } from '../../../../test/conformance/asking.js';
import { connected, peer } from '../../../../test/conformance/peer.js';
import type { TreadleError } from '../../../errors.js';
import { mcpHandler } from '../handler.js';
import type { Features } from './features.js';

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
