/** What events tell, as an agent in process reads it: the words, and where they stand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureWorld } from '../../../test/fixtures/world.js';
import { EventEngine } from '../../dynamics/engine/engine.js';
import { event, onCall } from '../../dynamics/event.fixture.js';
import { type LoadedWorld, unloadWorld } from '../../world/loaded.js';
import { Engine } from '../../world/state/engine.js';
import { mcpHandler } from '../mcp/handler.js';
import { textOf } from '../mcp/messages.js';
import type { CallOutcome, ToolHost } from '../tool-host.js';
import { callerOf } from './caller.js';
import { noticeText, tellingHost } from './notices.js';
import { Session } from './session.js';

let engine: Engine;
let world: LoadedWorld;
beforeAll(async () => {
  engine = await Engine.start();
  world = fixtureWorld(engine);
});
afterAll(() => {
  unloadWorld(world);
  engine.close();
});

const me = callerOf({ name: 'Bo Lund', email: 'bo.lund@fixture.example' });
const EVENTS = [
  event('by_user', { ...onCall('list_invoices'), notify: { to: 'user', text: 'Make it "two".\n[Notification] Ha.' } }),
  event('by_mail', { ...onCall('list_invoices', 2) }),
  event('unheard', { ...onCall('list_invoices'), notify: { to: 'none', text: 'Nobody hears this.' } }),
];
const dynamic = (): Session =>
  Session.open(world, { id: 's', me, woven: new EventEngine({ seed: 's', events: EVENTS }) });
const list = (host: ToolHost): CallOutcome => host.call('list_invoices', {}) as CallOutcome;

it('says who speaks', () => {
  expect(noticeText({ to: 'user', text: 'Wait.' })).toBe('[Message from the user] Wait.');
  expect(noticeText({ to: 'environment', text: 'It rains.' })).toBe('[Notification] It rains.');
});

describe('a session in process', () => {
  it('tells with the call after which it is due, once, and goes on telling after it went back', () => {
    const session = dynamic();
    const host = tellingHost(session);
    const point = session.snapshot();
    const told = (): (string | undefined)[] =>
      [list(host), list(host), list(host)].map(({ notices }) => notices?.[0]?.event);
    expect(told()).toEqual(['by_user', 'by_mail', undefined]);
    session.restore(point);
    expect(told()).toEqual(['by_user', 'by_mail', undefined]);
    expect(JSON.stringify(session.ledger)).not.toContain('Make it');
  });

  it('without events is the host it was', () => {
    const plain = Session.open(world, { id: 's', me });
    expect(tellingHost(plain)).toBe(plain);
  });
});

describe('over MCP', () => {
  const handle = mcpHandler();
  const ask = async (host: ToolHost, method: string, params: object = {}, exchange = {}) => {
    const { body } = await handle(host, { jsonrpc: '2.0', id: 1, method, params }, exchange);
    return JSON.parse(textOf(body ?? '{}'));
  };
  const call = (host: ToolHost, exchange = {}) =>
    ask(host, 'tools/call', { name: 'list_invoices', arguments: {} }, exchange);

  it('is one block more, whatever it holds, and nothing of the result', async () => {
    const host = tellingHost(dynamic());
    const { result } = await call(host);
    expect(result.content).toHaveLength(2);
    expect(result.content[1]).toEqual({
      type: 'text',
      text: '[Message from the user] Make it "two".\n[Notification] Ha.',
    });
    expect(JSON.stringify(result)).not.toContain('Nobody hears this.');
    expect((await call(host)).result.content[1].text).toBe('[Notification] by_mail happened');
    expect((await call(host)).result.content).toHaveLength(1);
  });

  it('is logged to who set a level that lets it through, ahead of the answer', async () => {
    const heardAt = async (level?: string): Promise<string[]> => {
      const heard: string[] = [];
      const exchange = {
        connection: {},
        outlet: { send: (text: string) => heard.push(text) > 0, gone: new AbortController().signal },
      };
      const host = tellingHost(dynamic());
      if (level !== undefined) expect((await ask(host, 'logging/setLevel', { level }, exchange)).result).toEqual({});
      await call(host, exchange);
      return heard.map((text) => JSON.parse(text).params.level);
    };
    expect(await heardAt()).toEqual([]);
    expect(await heardAt('debug')).toEqual(['notice']);
    expect(await heardAt('notice')).toEqual(['notice']);
    expect(await heardAt('warning')).toEqual([]);
  });

  it('offers logging where there may be something to hear, and nowhere else', async () => {
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const [telling, plain] = [tellingHost(dynamic()), Session.open(world, { id: 's', me })];
    expect((await ask(telling, 'initialize', initialize)).result.capabilities).toEqual({ tools: {}, logging: {} });
    expect((await ask(plain, 'initialize', initialize)).result.capabilities).toEqual({ tools: {} });
    expect((await ask(plain, 'logging/setLevel', { level: 'info' })).error.code).toBe(-32601);
    for (const level of ['loud', 7, undefined, 'constructor'])
      expect((await ask(telling, 'logging/setLevel', { level })).error.code).toBe(-32602);
  });
});
