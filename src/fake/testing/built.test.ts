/** A world of a corpus folder in tests: agents reach it over MCP; it is forked, looked at and reset as a document's is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixtureParts } from '../../../test/fixtures/world.js';
import { Corpus } from '../../corpus/corpus.js';
import { Engine } from '../../world/state/engine.js';
import { startWorld, type TestWorld } from './testing.js';
import './vitest.js';

let dir: string;
let id: string;
let world: TestWorld;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-testing-'));
  const engine = await Engine.start();
  const parts = fixtureParts(engine, { only: ['billing', 'directory'] });
  const corpus = Corpus.open(dir, true);
  ({ id } = parts.world);
  corpus.writeWorld({ ...parts, certificates: {} });
  corpus.writeWorld({ ...parts, world: { ...parts.world, id: 'other' }, certificates: {} });
  engine.close();
  world = await startWorld({ corpus: dir, world: id });
});
afterAll(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

const call = async ({ mcp }: TestWorld, name: string, args: Record<string, unknown>): Promise<string> => {
  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers: mcp.headers } }));
  const said = await agent.callTool({ name, arguments: args });
  await agent.close();
  return JSON.stringify(said);
};

it('is changed by agents, each fork for itself', async () => {
  const [one, two] = [await world.fork(), await world.fork()];
  const before = one.rows('billing.customer').length;
  const said = await call(one, 'create_customer', { name: 'Ana', email: 'ana@mail.example' });
  expect(said).toContain('ana@mail.example');
  expect(one).toHaveRow('customer', { email: 'ana@mail.example' });
  expect(one.rows('customer')).toHaveLength(before + 1);
  expect(one).toHaveCalled('create_customer', { args: { name: 'Ana' }, times: 1 });
  expect(two).not.toHaveRow('customer', { email: 'ana@mail.example' });
  expect(Object.keys(one.diff())).toEqual(['billing']);
  expect(two.sql('select count(*) as n from directory.employee')[0]?.n).toBeGreaterThan(0);
  await one.reset();
  expect([one.diff(), one.ledger()]).toEqual([{}, []]);
});

it('has no API of its own, and says so', async () => {
  const answer = await fetch(`${world.url}/customers`);
  expect([answer.status, (await answer.json()) as unknown]).toEqual([
    404,
    expect.objectContaining({ detail: expect.stringContaining('MCP') }),
  ]);
  expect(() => expect(world).toHaveCalled('GET /customers')).toThrow(
    expect.objectContaining({ code: 'unknown_operation' }) as Error,
  );
});

it('is one world of the folder: which, is said where there are several', async () => {
  await expect(startWorld(dir)).rejects.toMatchObject({ code: 'unknown_world', message: 'The folder has 2 worlds' });
  await expect(startWorld({ corpus: dir, world: 'othr' })).rejects.toMatchObject({
    code: 'unknown_world',
    next: expect.stringContaining("'other'"),
  });
  await expect(startWorld({ corpus: dir, world: '../other' })).rejects.toMatchObject({ code: 'unknown_world' });
});
