/** A corpus that was built from a document, served as that document's API beside MCP, as its users see it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, it } from 'vitest';
import { DESK } from '../../src/fake/desk.fixture.js';
import { errorLine, MAIN, scratch, treadle } from './cli.js';

const dir = scratch();
const corpus = join(dir, 'out');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const built = (): { worlds: number; api?: true } => {
  const api = join(dir, 'desk.json');
  writeFileSync(api, JSON.stringify(DESK));
  const ran = treadle(['build', api, '--tasks', '2', '--no-rows', '--out', corpus, '--json']);
  expect(ran.stderr).not.toContain('error ');
  return JSON.parse(ran.stdout);
};

interface Started {
  restUrl: string;
  sessions: { id: string; url: string; token: string; rest: string }[];
}

it('answers over REST and MCP on one state; a folder that lost its document is mended by the same build', async () => {
  expect(built()).toMatchObject({ worlds: 1, api: true });
  const [world = ''] = readdirSync(join(corpus, 'worlds'));
  rmSync(join(corpus, 'documents'), { recursive: true });
  expect(errorLine(treadle(['serve', corpus, '--rest']))).toMatch(/^error missing_file: .*documents/);
  rmSync(join(corpus, 'worlds', world, 'faces.json'));
  expect(errorLine(treadle(['serve', corpus, '--rest']))).toMatch(/^error no_face: .*Build it again/);
  expect(built()).toMatchObject({ worlds: 1, api: true });
  for (const [flags, code] of [
    [['--workers', '2'], 'rest_alone'],
    [['--stdio'], 'rest_alone'],
    [['--webhook', 'http://127.0.0.1:1'], 'not_for_a_corpus'],
  ] as const)
    expect(errorLine(treadle(['serve', corpus, '--rest', ...flags]))).toContain(`error ${code}: `);
  expect(errorLine(treadle(['serve', corpus, '--strict']))).toContain('error not_for_a_corpus: ');
  expect(treadle(['show', corpus, world]).stdout).toContain('API Help desk: 13 of 14 operations keep state');
  expect(treadle(['explain', corpus, 'createTicket']).stdout).toContain('tool createTicket on table ticket');

  const server = spawn(process.execPath, [MAIN, 'serve', corpus, '--rest', '--json', '--no-warm']);
  try {
    let said = '';
    while (!said.endsWith('\n')) said += String(((await once(server.stdout, 'data')) as [Buffer])[0]);
    const { restUrl, sessions } = JSON.parse(said) as Started;
    const [session] = sessions;
    if (!session) throw new Error('no session');
    expect(session.rest).toBe(restUrl);
    const headers = { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Ana', email: 'ana@mail.example' });
    const made = await fetch(`${session.rest}/customers`, { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    const agent = new Client({ name: 'test', version: '1' });
    const to = new URL(session.url);
    await agent.connect(
      new StreamableHTTPClientTransport(to, { requestInit: { headers: { authorization: headers.authorization } } }),
    );
    const seen = await agent.callTool({ name: 'listCustomers', arguments: { email: 'ana@mail.example' } });
    expect(JSON.stringify(seen)).toContain('Ana');
    await agent.close();
    expect((await fetch(`${session.rest}/_treadle/reset`, { method: 'POST', headers })).status).toBe(403);
  } finally {
    server.kill('SIGTERM');
    expect((await once(server, 'exit'))[0]).toBe(0);
  }
});
