/** treadle serve api.yaml --rest as a person starts it: own rows, forks by name, the trainers' door over all of them, and its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DESK_TEXT } from '../../src/fake/desk.fixture.js';
import { connect } from '../../src/serve/client/client.js';
import { errorLine, MAIN, scratch, treadle } from './cli.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const dir = scratch();
const at = (name: string): string => join(dir, name);

interface Served {
  url: string;
  adminUrl: string;
  adminToken: string;
  operations: number;
  bound: number;
}
let served: Served;
let server: ChildProcess;

const started = async (args: readonly string[]): Promise<{ process: ChildProcess; said: Served }> => {
  const child = spawn(process.execPath, [MAIN, 'serve', ...args, '--rest', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk;
    if (text.trimEnd().endsWith('}')) return { process: child, said: JSON.parse(text) as Served };
  }
  throw new Error(errors);
};

beforeAll(async () => {
  writeFileSync(at('desk.json'), DESK_TEXT);
  writeFileSync(at('customer.csv'), 'id,name,email\nc-own-1,Mara Lind,mara@lind.example\n');
  ({ process: server, said: served } = await started([at('desk.json'), '--data', at('customer.csv')]));
});
afterAll(async () => {
  server.kill('SIGTERM');
  const [code] = await once(server, 'exit');
  rmSync(dir, { recursive: true, force: true });
  expect(code).toBe(0);
});

const get = async (path: string, session: string): Promise<Record<string, unknown>> => {
  const answer = await fetch(served.url + path, { headers: { 'x-treadle-session': session } });
  return (await answer.json()) as Record<string, unknown>;
};

it('says how much of the document keeps state', () => {
  expect(served).toMatchObject({ operations: 14, bound: 13 });
});

it('has the user’s own rows', async () => {
  expect(await get('/customers/c-own-1', 'own')).toMatchObject({ name: 'Mara Lind', email: 'mara@lind.example' });
});

it('lists, compares, forks and resets all callers at the trainers’ door', async () => {
  const made = await fetch(`${served.url}/customers`, {
    method: 'POST',
    headers: { 'x-treadle-session': 'one', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ana', email: 'ana@mail.example' }),
  });
  expect(made.status).toBe(201);
  await get('/customers', 'two');
  const trainer = connect({ url: served.adminUrl, token: served.adminToken });
  const sessions = await trainer.sessions({ run: 'rest' });
  const ids = Object.fromEntries(sessions.map(({ id, labels }) => [labels.group, id]));
  expect(Object.keys(ids)).toEqual(expect.arrayContaining(['one', 'two']));
  const changed = async (id: string): Promise<number> => Object.values((await trainer.state(id)).changes).flat().length;
  expect([await changed(ids.one as string), await changed(ids.two as string)]).toEqual([1, 0]);
  const [branch] = await trainer.fork(ids.one as string);
  const seen = await fetch(`${served.url}/customers?email=ana%40mail.example`, {
    headers: { authorization: `Bearer ${branch?.token}` },
  });
  expect(await seen.json()).toMatchObject({ total: 1 });
  await trainer.reset(ids.one as string);
  expect(await get('/customers?email=ana%40mail.example', 'one')).toMatchObject({ total: 0 });
  trainer.disconnect();
});

it('refuses what it cannot serve with a line', () => {
  writeFileSync(
    at('bad.csv'),
    'id,name,email,created_at\nc1,Ann,ann@x.example,2025-01-01T00:00:00Z\nc2,Bo,bo@x.example,tomorrow\n',
  );
  const refused: [string[], RegExp][] = [
    [['nowhere.yaml'], /nowhere\.yaml/],
    [[at('desk.json'), '--data', `customer=${at('bad.csv')}`], /bad\.csv, line 3/],
    [[at('desk.json'), '--workers', '2'], /one process/],
    [[at('desk.json'), '--task', 'x'], /no tasks/],
    [[at('customer.csv')], /OpenAPI|openapi|document/],
  ];
  for (const [args, line] of refused) {
    const ran = treadle(['serve', ...args, '--rest']);
    expect([args, ran.status, errorLine(ran)]).toEqual([args, 2, expect.stringMatching(line)]);
  }
});
