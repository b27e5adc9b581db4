/** Two hundred sessions at once in one process: each ends as a lone replay of its own ledger does. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/kit/hash.js';
import { type Rng, rng } from '../../src/kit/rng.js';
import { type MegaMcp, serveMegaMcp } from '../../src/serve/megamcp.js';
import { callerOf } from '../../src/serve/sessions/caller.js';
import { Session } from '../../src/serve/sessions/session.js';
import { Engine } from '../../src/world/state/engine.js';
import { type FixtureServer, fixtureServer } from '../fixtures/server.js';

const SESSIONS = 200;
const CALLS = 14;

let engine: Engine;
let fixture: FixtureServer;
let served: MegaMcp;
beforeAll(async () => {
  engine = await Engine.start();
  fixture = fixtureServer(engine, { ledgerBytes: 200_000 });
  served = await serveMegaMcp({ server: fixture.server });
});
afterAll(async () => {
  await served.close();
  await fixture.server.shutDown();
  engine.close();
});

interface Player {
  id: string;
  url: string;
  token: string;
  draw: Rng;
  /** Ids seen so far, by tool. */
  seen: string[];
}

const call = async ({ url, token }: Player, name: string, args: Json): Promise<Json> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as { result?: { content: { text: string }[] } };
  return result ? (JSON.parse(result.content[0]?.text ?? 'null') as Json) : null;
};

const idsIn = (value: Json): string[] =>
  [...JSON.stringify(value).matchAll(/"id":"([a-z]+_[^"]+)"/g)].map(([, id]) => id as string);

/** A call that may do anything that an agent might: read, write, clash with its own earlier writes, or make no sense. */
const nextCall = ({ draw, seen }: Player): [string, Json] => {
  const n = draw.int(0, 30);
  const some = seen.length > 0 ? draw.pick(seen) : 'inv_none';
  const choices: [string, Json][] = [
    ['create_customer', { name: `N ${n}`, email: `n${n}@mail.example` }],
    ['search_customers', { query: `N ${n}` }],
    ['list_invoices', { limit: 20 }],
    ['void_invoice', { invoice_id: some }],
    ['pay_invoice', { invoice_id: some }],
    ['get_invoice', { invoice_id: some }],
    ['update_customer', { customer_id: some, name: `Renamed ${n}` }],
    ['delete_customer', { customer_id: some }],
    ['findTickets', {}],
    ['no_such_tool', { n }],
    ['create_customer', { name: n, email: [] }],
  ];
  return draw.pick(choices);
};

const play = async (player: Player): Promise<void> => {
  const { server } = fixture;
  for (let n = 0; n < CALLS; n++) {
    const [name, args] = nextCall(player);
    player.seen.push(...idsIn(await call(player, name, args)).slice(0, 10));
    // Whatever the server does with it between calls must not show.
    const live = server.live(player.id);
    const chance = player.draw.int(0, 9);
    if (chance === 0) live.park();
    if (chance === 1 && live.park()) await live.leaveMemory();
    if (chance === 2) for (const branch of await server.fork(player.id, { count: 2 })) await server.close(branch.id);
  }
};

it('each session ends as a lone replay of its own ledger', async () => {
  const players: Player[] = [];
  for (let n = 0; n < SESSIONS; n++) {
    const { id, url, token } = await fixture.server.open({ world: 'fixture' });
    players.push({ id, url, token, draw: rng('isolation', String(n)), seen: [] });
  }
  await Promise.all(players.map(play));

  const world = fixture.server.worlds.hold(fixture.worldHash);
  const ends = new Set<string>();
  let [calls, refused] = [0, 0];
  for (const { id } of players) {
    const live = fixture.server.live(id);
    const ledger = live.book.entries();
    expect(ledger).toHaveLength(CALLS);
    const alone = Session.open(world, { id, me: callerOf(live.start.me) });
    for (const entry of ledger) expect(alone.call(entry.tool, entry.args).entry).toEqual(entry);
    const state = await live.state();
    expect([alone.hash(), alone.clock]).toEqual([state.hash, state.clock]);
    ends.add(state.hash);
    calls += ledger.length;
    refused += ledger.filter(({ ok }) => !ok).length;
    alone.drop();
  }
  // The test means something only where the sessions really went different ways.
  expect(ends.size).toBeGreaterThan(SESSIONS / 2);
  expect(refused / calls).toBeGreaterThan(0.1);
  expect(refused / calls).toBeLessThan(0.9);
});
