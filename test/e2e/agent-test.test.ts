/** treadle test: agents that do well, badly, nothing, too much, or never end; and what continuous integration gets of it. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorLine, MAIN, scratch, treadle } from './cli.js';
import { warm, warmBeside } from './warm/warm.js';
import { readXml } from './xml.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const AGENT = fileURLToPath(new URL('agents/reference-agent.mjs', import.meta.url));
const INPUT = fileURLToPath(new URL('../fixtures/documents/billing.yaml', import.meta.url));
let tasks: string[];

beforeAll(() => {
  const built = warm(['build', INPUT, '--tasks', '2', '--out', corpus, '--json']);
  expect(built.status, built.stderr).toBe(0);
  const world = JSON.parse(warm(['show', corpus, '--json']).stdout).worlds[0].id;
  tasks = JSON.parse(warm(['show', corpus, world, '--json']).stdout).tasks.map(({ id }: { id: string }) => id);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const agent = (how: string): string => `node '${AGENT}' '${corpus}' ${how}`;
const test = (how: string, ...more: string[]) =>
  warm(['test', corpus, '--agent', agent(how), '--repeat', '2', ...more]);
const one = (): string[] => ['--task', tasks[0] as string];

describe('an agent', () => {
  it('that does well passes: status 0, JUnit, a baseline, runs that can be shown', () => {
    const [xml, saved, runs] = ['out.xml', 'base.json', 'runs.jsonl'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    const ran = test('ok', '--junit', xml, '--save', saved, '--traces', runs);
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/2 of 2 +\S+/);
    expect(ran.stdout).toMatch(/ 2 {2}1\.000 \(0\.\d+ to 1\.000\)/);
    expect(readXml(readFileSync(xml, 'utf8')).attributes).toMatchObject({ tests: '4', failures: '0', errors: '0' });
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ treadle: 'test/1', repeat: 2 });
    expect(readFileSync(runs, 'utf8').trim().split('\n')).toHaveLength(4);
    const id = warm(['show', runs]).stdout.slice(0, 12);
    const shown = warm(['show', runs, id, '--corpus', corpus]).stdout;
    expect(shown).toMatch(/^trace [0-9a-f]+ {2}passed/);
    expect(shown).not.toContain('changes without values');
    // Nothing of it is among the corpus's own rollouts.
    expect(warm(['show', corpus, '--traces']).stdout).not.toContain(id);
  });

  it('that does badly fails, with the call and the check; a baseline names the tasks', () => {
    const xml = join(dir, 'bad.xml');
    const ran = test('wrong', '--baseline', join(dir, 'base.json'), '--junit', xml);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toMatch(/runs 1, 2 failed: \S+: .*\n +asked: /);
    expect(ran.stdout).toMatch(/never called .*, which the reference has|where the reference has/);
    expect(ran.stdout).toMatch(/REGRESSED \S+: 2 of 2 before, 0 of 2 now/);
    const failures = readXml(readFileSync(xml, 'utf8')).children.flatMap(({ children }) =>
      children.flatMap((child) => child.children.filter(({ name }) => name === 'failure')),
    );
    expect(failures).toHaveLength(4);
    expect(failures[0]?.text).toMatch(/^First diverging call: /);
  });

  it.each([
    ['silent', /failed: /],
    ['junk', /failed: /],
    ['exit', /failed: The agent ended with status 3: Traceback: it broke/],
  ])('that is %s fails', (how, says) => {
    const xml = join(dir, `${how}.xml`);
    const ran = test(how, ...one(), '--junit', xml);
    expect(ran.status, ran.stderr).toBe(1);
    expect(ran.stdout).toMatch(says);
    expect(ran.stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(readXml(readFileSync(xml, 'utf8')).attributes).toMatchObject({ failures: '2', errors: '0' });
  });

  it('that never ends is ended with its children, and has failed', () => {
    const pids = join(dir, 'pids');
    const command = `sh -c 'sleep 300 & echo $! >> ${pids}; setsid sleep 300 & echo $! >> ${pids}; wait'`;
    const ran = treadle(['test', corpus, '--agent', command, ...one(), '--repeat', '1', '--timeout', '2', '--json']);
    expect(ran.status, ran.stderr).toBe(1);
    expect(JSON.parse(ran.stdout).results[0].runs[0]).toMatchObject({ outcome: 'failed', type: 'timeout' });
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) {
      const status = `/proc/${pid}/status`;
      expect(existsSync(status) ? readFileSync(status, 'utf8') : 'State:\tX').toMatch(/^State:\s+[ZX]/m);
    }
  });

  it('that is interrupted leaves nothing running, and is no pass', async () => {
    const started = join(dir, 'started');
    const command = `sh -c 'echo $$ > ${started}.part; mv ${started}.part ${started}; sleep 300; true'`;
    const child = spawn(process.execPath, [MAIN, 'test', corpus, '--agent', command, ...one(), '--json']);
    let stdout = '';
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString('utf8');
    });
    for (let i = 0; !existsSync(started) && i < 1_200; i++) await sleep(100);
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect(status).toBe(130);
    expect(stdout).toContain('"pass": false');
    const shell = `/proc/${readFileSync(started, 'utf8').trim()}/status`;
    expect(existsSync(shell) ? readFileSync(shell, 'utf8') : 'State:\tX').toMatch(/^State:\s+[ZX]/m);
  });

  it('gets the task, the tools and its own environment, or with --isolated next to none', () => {
    const script = join(dir, 'env.sh');
    writeFileSync(
      script,
      '#!/bin/sh\necho "[$TREADLE_TASK|$1|$MY_KEY|$OTHER|$TREADLE_ADMIN_TOKEN|$PWD]" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    const env = { MY_KEY: 'k', OTHER: 'o', TREADLE_ADMIN_TOKEN: 'secret' };
    const said = (...more: string[]): string => {
      const args = ['test', corpus, '--agent', `${script} {task}`, ...one(), '--repeat', '1', '--json', ...more];
      return JSON.parse(treadle(args, { env }).stdout).results[0].runs[0].stderr;
    };
    const [, task, argument, ...rest] = /^\[(.*)\|(.*)\|(.*)\|(.*)\|(.*)\|(.*)\]$/s.exec(said().trim()) ?? [];
    expect(task).toBe(argument);
    expect(task?.length).toBeGreaterThan(10);
    expect(rest.slice(0, 3)).toEqual(['k', 'o', '']);
    const apart = said('--isolated', '--env', 'MY_KEY');
    expect(apart).toMatch(/\|k\|\|\|/);
    expect(apart).toContain('treadle-agent-');
  });
});

describe('an agent at an address', () => {
  let server: Server;
  let url: string;
  const asked: Record<string, unknown>[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      if (request.url === '/500') response.writeHead(500).end('<h1>\u001b[31mno</h1>');
      else response.end('{"answer": "nothing found"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  const at = (address: string) => warmBeside(['test', corpus, '--agent-url', address, ...one(), '--repeat', '1']);

  it('is posted the task and answers; what goes wrong in it is its failure', async () => {
    expect((await at(`${url}/run`)).status).toBe(1);
    expect(asked[0]).toMatchObject({ mcp_url: expect.stringMatching(/^http/), mcp_token: expect.any(String) });
    const broken = await at(`${url}/500`);
    expect(broken.status).toBe(1);
    expect(broken.stdout).toContain('The agent answered with status 500');
  });
  it('that cannot be reached is an error, not a failure', async () => {
    const xml = join(dir, 'down.xml');
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const ran = await warmBeside([
      'test',
      corpus,
      '--agent-url',
      `http://127.0.0.1:${port}/`,
      '--repeat',
      '1',
      '--junit',
      xml,
    ]);
    expect(ran.status, ran.stderr).toBe(2);
    expect(readXml(readFileSync(xml, 'utf8')).attributes).toMatchObject({ failures: '0', errors: '2' });
  });
});

describe('what cannot be tested', () => {
  it.each([
    [[], 'bad_option'],
    [['--agent', 'ls', '--task', 'nix'], 'no_task'],
    [['--agent', 'ls', '--kind', 'nix'], 'no_task'],
    [['--agent', 'ls', '--junit', '/dev/null/x/out.xml'], ''],
  ])('is said before anything runs: %j', (args, code) => {
    const ran = warm(['test', corpus, ...args]);
    expect(ran.status, ran.stdout).toBe(2);
    expect(errorLine(ran)).toContain(`error ${code}`);
    expect(ran.stdout).toBe('');
  });
});
