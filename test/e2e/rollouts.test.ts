/** Runs by the executable, stopped in every way: nothing finished is lost, and gone on with they leave the same bytes. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MAIN, scratch } from './cli.js';
import { treeOf } from './tree.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const built = join(dir, 'built');
const RUN = ['--policy', 'scripted', '--n', '80', '--json'];
const PLANNED = 160;
let whole: unknown;
let world = '';

const copy = (name: string): string => {
  const to = join(dir, name);
  cpSync(built, to, { recursive: true });
  return to;
};
const fileOf = (at: string): string => join(at, 'traces', `${world}.jsonl`);
const text = (at: string): string => (existsSync(fileOf(at)) ? readFileSync(fileOf(at), 'utf8') : '');
const lines = (at: string): string[] => text(at).split('\n').slice(0, -1);
const start = (at: string, ...more: string[]): ChildProcess =>
  spawn(process.execPath, [MAIN, 'rollout', at, ...RUN, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
const ended = (child: ChildProcess): Promise<{ status: number | null; stdout: string }> =>
  new Promise((resolve) => {
    let stdout = '';
    child.stdout?.on('data', (data: Buffer) => {
      stdout += data.toString('utf8');
    });
    child.on('close', (status) => resolve({ status, stdout }));
  });
/** Waits until so many rollouts are kept. */
const until = async (at: string, kept: number): Promise<void> => {
  while (lines(at).length < kept) await sleep(5);
};
/** The same command once more: everything is there, in the same bytes as of a run that nobody stopped. */
const goesOn = (at: string, kept: number, ...more: string[]): void => {
  const ran = warm(['rollout', at, ...RUN, ...more]);
  expect(ran.status, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ planned: PLANNED, rollouts: PLANNED, unfinished: 0 });
  expect(JSON.parse(ran.stdout).skipped).toBeGreaterThanOrEqual(kept);
  expect(treeOf(join(at, 'traces'))).toEqual(whole);
};

beforeAll(() => {
  const ran = warm(['build', 'A kitchen supplies wholesaler in Leeds', '--tasks', '2', '--out', built]);
  expect(ran.status, ran.stderr).toBe(0);
  rmSync(join(built, 'traces'), { recursive: true });
  world = readdirSync(join(built, 'worlds'))[0] as string;
  const at = copy('whole');
  expect(warm(['rollout', at, ...RUN]).status).toBe(0);
  expect(lines(at)).toHaveLength(PLANNED);
  whole = treeOf(join(at, 'traces'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('killed at once, twice, and half a line left behind', async () => {
  const at = copy('killed');
  let kept = 0;
  for (const more of [20, 20]) {
    const child = start(at);
    const end = ended(child);
    await until(at, kept + more);
    child.kill('SIGKILL');
    await end;
    for (const line of lines(at)) expect(JSON.parse(line)).toHaveProperty('verdict');
    kept = lines(at).length;
  }
  expect(JSON.parse(readFileSync(join(at, 'traces', 'run.json'), 'utf8')).ended).toBe('running');
  execFileSync('sh', ['-c', 'head -c 900 "$1" > "$1.head" && cat "$1.head" >> "$1" && rm "$1.head"', 'sh', fileOf(at)]);
  goesOn(at, kept);
});

it('interrupted: what is in flight is cut or done, the status and the record say so', async () => {
  const at = copy('interrupted');
  const child = start(at);
  const end = ended(child);
  await until(at, 20);
  child.kill('SIGINT');
  const { status, stdout } = await end;
  expect(status).toBe(130);
  const said = JSON.parse(stdout);
  expect(said).toMatchObject({ planned: PLANNED, error: { code: 'interrupted' } });
  expect(said.rollouts + said.notStarted).toBe(PLANNED);
  expect(JSON.parse(readFileSync(join(at, 'traces', 'run.json'), 'utf8'))).toMatchObject({ ended: 'interrupted' });
  goesOn(at, said.passed + said.failed);
});

it('a disk that fills: the run stops with what it kept, and says why', () => {
  const at = copy('full');
  // A limit on file sizes is a full disk that needs no root: 150 blocks of 1 KiB or of 512 bytes.
  const args = ['-c', 'ulimit -f 300; exec "$0" "$@"', process.execPath, MAIN, 'rollout', at, ...RUN];
  const ran = spawnSync('bash', args, { encoding: 'utf8' });
  expect(ran.status, ran.stderr).toBe(2);
  const said = JSON.parse(ran.stdout);
  expect(said).toMatchObject({ error: { code: 'disk_full' }, planned: PLANNED });
  expect(said.lost).toBeGreaterThan(0);
  expect(said.rollouts + said.lost + said.notStarted).toBe(PLANNED);
  expect(lines(at)).toHaveLength(said.rollouts);
  expect(text(at).endsWith('\n')).toBe(true);
  const record = readFileSync(join(at, 'traces', 'run.json'), 'utf8');
  expect(JSON.parse(record)).toMatchObject({ ended: 'disk_full', kept: said.rollouts });
  expect(record).not.toContain(dir);
  goesOn(at, said.rollouts);
});

it('a second run on the corpus is refused while the first one works, and a killed worker process is replaced', async () => {
  const at = copy('two');
  const child = start(at, '--jobs', '2');
  const end = ended(child);
  await until(at, 5);
  const second = warm(['rollout', at, ...RUN]);
  expect(second.status).toBe(2);
  expect(second.stdout).toMatch(/traces_in_use/);
  const [worker] = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');
  if (worker) process.kill(Number(worker), 'SIGKILL');
  const { status, stdout } = await end;
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ planned: PLANNED, rollouts: PLANNED, notStarted: 0 });
  expect(treeOf(join(at, 'traces'))).toEqual(whole);
});

it.each([
  [['--jobs', '2', '--policy', 'model', '--model', 'm', '--base-url', 'http://127.0.0.1:9/v1'], 'bad_option'],
  [['--mistakes', 'giving_up=1'], 'bad_option'],
  [['--policy', 'scripted', '--mistakes', 'sleeping=1'], 'bad_option'],
  [['--max-cost', '1'], 'bad_budget'],
  [['--budget-cost', '0', '--price-prompt', '1'], 'bad_budget'],
  [['--concurrency', '2000'], 'bad_option'],
  [['--task', 'no-such-task'], 'no_task'],
  [['--kind', 'composed'], 'no_task'],
  [['--world', 'atlantis'], 'no_world'],
])('%j is refused in one line', (args, code) => {
  const ran = warm(['rollout', built, ...args]);
  expect(ran.status, ran.stderr).toBe(2);
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  expect(ran.stderr).toContain(code);
});
