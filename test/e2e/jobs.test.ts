/** The queue of a command in its corpus: whatever is killed, deleted or damaged, the same command ends with the bytes of an undisturbed one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { errorLine, MAIN, scratch } from './cli.js';
import { treeOf } from './tree.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const dir = scratch();
const built = join(dir, 'built');
const killed = join(dir, 'killed');
const WORLDS = 3;
const OPTIONS = ['--coverage', '0.4', '--rounds', '1', '--json'];
let undisturbed: Record<string, string>;

const tasks = (out: string, ...more: string[]) => warm(['tasks', out, ...OPTIONS, ...more], { timeoutMs: 200_000 });
const start = (out: string, jobs: number): ChildProcess =>
  spawn(process.execPath, [MAIN, 'tasks', out, ...OPTIONS, '--jobs', String(jobs)], { stdio: 'ignore' });
const queueOf = (out: string): string => join(out, '.treadle', 'tasks', 'store.db');
const madeIn = (out: string): string[] =>
  readdirSync(join(out, 'worlds')).filter((id) => existsSync(join(out, 'worlds', id, 'tasks', 'library.json')));
const workersOf = ({ pid }: ChildProcess): number[] =>
  spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes('library/child'))
    .map((line) => Number.parseInt(line, 10));

/** Jobs that a queue knows as done; it belongs to another process, so it is only read. */
const doneIn = (file: string): number => {
  if (!existsSync(file)) return 0;
  try {
    const db = new Database(file, { readonly: true });
    const row = db.prepare("select count(*) as n from jobs where state = 'done'").get() as { n: number };
    db.close();
    return row.n;
  } catch {
    // It is being made.
    return 0;
  }
};

beforeAll(async () => {
  const args = ['build', 'a bakery in Lyon', '--services', 'inventory', '--tasks', '1', '--out', built];
  const ran = warm([...args, '--worlds', String(WORLDS)], { timeoutMs: 200_000 });
  expect(ran.status, ran.stderr).toBe(0);
  const whole = join(dir, 'whole');
  for (const to of [whole, killed]) cpSync(built, to, { recursive: true });
  const made = tasks(whole, '--jobs', '1');
  expect([0, 1], made.stderr).toContain(made.status);
  undisturbed = treeOf(whole);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('leaves nothing behind where all is done', () => {
  expect(Object.keys(undisturbed).filter((path) => path.startsWith('.treadle'))).toEqual([]);
  expect(existsSync(join(built, '.treadle'))).toBe(false);
});

it('one process at a time does the work, and kill -9 of it loses nothing', async () => {
  const first = start(killed, 1);
  const closed = once(first, 'close');
  while (first.exitCode === null && !existsSync(queueOf(killed))) await sleep(5);
  const second = tasks(killed, '--jobs', '1');
  expect([second.status, errorLine(second)]).toEqual([2, expect.stringMatching(/^error corpus_in_use: .*process \d+/)]);
  while (first.exitCode === null && madeIn(killed).length === 0) await sleep(5);
  first.kill('SIGKILL');
  await closed;
  expect(existsSync(queueOf(killed))).toBe(true);
  expect(madeIn(killed).length).toBeLessThan(WORLDS);
});

it('a queue that is damaged is told in one line, and nothing is lost with it', () => {
  const damaged = join(dir, 'damaged');
  cpSync(killed, damaged, { recursive: true });
  writeFileSync(queueOf(damaged), 'SQLite format 3\0 and nothing that follows');
  const before = treeOf(join(damaged, 'worlds'));
  const ran = tasks(damaged);
  expect([ran.status, ran.stderr.trim().split('\n')]).toEqual([
    2,
    [expect.stringMatching(/^error damaged_jobs: .*\.treadle\/tasks.*Delete that folder/)],
  ]);
  expect(treeOf(join(damaged, 'worlds'))).toEqual(before);
  rmSync(join(damaged, '.treadle'), { recursive: true });
  const again = tasks(damaged);
  expect(again.stderr.match(/made before/g)).toHaveLength(madeIn(killed).length);
  expect(treeOf(damaged)).toEqual(undisturbed);
});

it('what was composed is in the queue until all of it is written', async () => {
  const options = ['--composed', '2', '--mix', 'simple=1', '--jobs', '1', '--json'];
  const [whole, at] = ['composed', 'composed-killed'].map((name) => join(dir, name)) as [string, string];
  const brief = ['build', 'a bakery in Lyon', '--services', 'inventory,billing', '--worlds', '2', '--tasks', '1'];
  expect(warm([...brief, '--out', whole], { timeoutMs: 200_000 }).status).toBe(0);
  cpSync(whole, at, { recursive: true });
  const made = warm(['tasks', whole, ...options], { timeoutMs: 200_000 });
  expect(JSON.parse(made.stdout).tasks.length, made.stderr).toBeGreaterThan(0);
  const run = spawn(process.execPath, [MAIN, 'tasks', at, ...options], { stdio: 'ignore' });
  const closed = once(run, 'close');
  const file = join(at, '.treadle', 'composed', 'store.db');
  while (run.exitCode === null && doneIn(file) === 0) await sleep(5);
  run.kill('SIGKILL');
  await closed;
  // As if it had been killed while it wrote the tasks of a world; unless it was faster than we are.
  const [world = ''] = readdirSync(join(at, 'worlds'));
  if (existsSync(file)) rmSync(join(at, 'worlds', world, 'tasks', 'index.json'));
  const again = warm(['tasks', at, ...options], { timeoutMs: 200_000 });
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(made.stdout));
  expect(treeOf(at)).toEqual(treeOf(whole));
});

it('the same command goes on, makes again what was deleted, and replaces a worker that is killed', async () => {
  const [done = ''] = madeIn(killed);
  const at = join(killed, 'worlds', done, 'tasks');
  const { tasks: listed } = JSON.parse(readFileSync(join(at, 'index.json'), 'utf8'));
  rmSync(join(at, `${listed[0].id}.yaml`));
  const run = start(killed, 2);
  const closed = once(run, 'close');
  while (run.exitCode === null && workersOf(run).length === 0) await sleep(5);
  const [victim] = workersOf(run);
  if (victim) process.kill(victim, 'SIGKILL');
  const [status] = (await closed) as [number];
  expect([0, 1]).toContain(status);
  expect(treeOf(killed)).toEqual(undisturbed);
});
