/** What a server tells unasked: logs, progress and changes. */
import { describe, expect, it } from 'vitest';
import { ask, type Body, bodyOf, full, handle, host, modern, rpc, tool } from '../../../../test/conformance/asking.js';
import { fixtureFeatures } from '../../../../test/conformance/fixture.js';
import { connected, peer } from '../../../../test/conformance/peer.js';
import { mcpHandler } from '../handler.js';
import type { Exchange } from '../route.js';
import { MOST_WATCHED } from './changes.js';
import type { Features } from './features.js';

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
