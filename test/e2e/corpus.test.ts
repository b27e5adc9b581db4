/** Many worlds: several processes make what one does, to the byte, whatever happens to them on the way. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorLine, MAIN, scratch } from './cli.js';
import { treeOf } from './tree.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
const dir = scratch();
const whole = join(dir, 'whole');
const WORLDS = 4;
const swept = ['build', '--countries', 'FR,KE,BR', '--industries', '62,7225,11', '--tasks', '2', '--json'];
const args = (out: string, jobs: number): string[] => [
  ...swept,
  '--worlds',
  String(WORLDS),
  '--jobs',
  String(jobs),
  '--out',
  out,
];
let undisturbed: Record<string, string>;

beforeAll(() => {
  const ran = warm(args(whole, 1), { timeoutMs: 300_000 });
  expect(ran.status, ran.stderr).toBe(0);
  undisturbed = treeOf(whole);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const start = (out: string, jobs = 2): ChildProcess =>
  spawn(process.execPath, [MAIN, ...args(out, jobs)], { stdio: 'pipe', env: { ...process.env, NO_COLOR: '1' } });

/** Worker processes of a build. */
const workersOf = (build: ChildProcess): number[] => {
  try {
    return execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(build.pid)], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes('crew/child'))
      .map((line) => Number.parseInt(line, 10));
  } catch {
    return [];
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

const gone = async (pids: readonly number[]): Promise<void> => {
  for (let i = 0; i < 600 && pids.some(isAlive); i++) await sleep(100);
};

/** Waits until a world is whole. */
const firstWorld = async (build: ChildProcess, out: string): Promise<void> => {
  const worlds = join(out, 'worlds');
  const isThere = (): boolean =>
    existsSync(worlds) && readdirSync(worlds).some((id) => existsSync(join(worlds, id, 'world.yaml')));
  while (build.exitCode === null && !isThere()) await sleep(20);
};

const rest = (out: string, jobs = 2): void => {
  const ran = warm(args(out, jobs), { timeoutMs: 300_000 });
  expect(ran.status, ran.stderr).toBe(0);
  expect(treeOf(out)).toEqual(undisturbed);
};

it('two processes make what one makes', () => {
  rest(join(dir, 'two'));
  const record = JSON.parse(readFileSync(join(dir, 'two', 'build.json'), 'utf8'));
  expect(Object.keys(record.slots)).toEqual(['0', '1', '2', '3']);
  expect(existsSync(join(dir, 'two', 'slots.jsonl'))).toBe(false);
});

it('worlds keep the tasks asked for, with no trace of the others, and choose the same when one is made again', () => {
  const { worlds } = JSON.parse(readFileSync(join(whole, 'index.json'), 'utf8'));
  for (const { tasks, rollouts, passed } of worlds) expect([tasks, rollouts, passed]).toEqual([2, 2, 2]);
  const out = join(dir, 'two');
  const { slots } = JSON.parse(readFileSync(join(out, 'build.json'), 'utf8'));
  for (const slot of ['1', '3']) rmSync(join(out, 'worlds', slots[slot].world, 'tasks', 'index.json'));
  rest(out);
});

it('a worker that is killed is replaced, and nobody sees it', async () => {
  const out = join(dir, 'worker');
  const build = start(out);
  const closed = once(build, 'close');
  await firstWorld(build, out);
  const [victim] = workersOf(build);
  if (victim) process.kill(victim, 'SIGKILL');
  expect((await closed)[0]).toBe(0);
  expect(treeOf(out)).toEqual(undisturbed);
});

it('a build that is killed leaves no worker behind, and goes on with any number of jobs', async () => {
  const out = join(dir, 'parent');
  const build = start(out);
  const closed = once(build, 'close');
  await firstWorld(build, out);
  const workers = workersOf(build);
  build.kill('SIGKILL');
  await closed;
  await gone(workers);
  expect(workers.filter(isAlive)).toEqual([]);
  rest(out, 1);
});

it('Ctrl-C finishes what is begun', async () => {
  const out = join(dir, 'interrupted');
  const build = start(out);
  const closed = once(build, 'close');
  await firstWorld(build, out);
  const workers = workersOf(build);
  // As a terminal does: to every process of the group.
  for (const pid of [build.pid, ...workers]) if (pid) process.kill(pid, 'SIGINT');
  const [status] = (await closed) as [number | null];
  expect([0, 130]).toContain(status);
  await gone(workers);
  expect(workers.filter(isAlive)).toEqual([]);
  const begun = readdirSync(join(out, 'worlds'));
  for (const id of begun) expect(existsSync(join(out, 'worlds', id, 'tasks', 'index.json')), id).toBe(true);
  rest(out);
});

it('a full disk ends the build in one line, and loses nothing', () => {
  const out = join(dir, 'full');
  const largest = Math.max(...Object.keys(undisturbed).map((path) => statSync(join(whole, path)).size));
  const ran = spawnSync(
    'bash',
    [
      '-c',
      'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"',
      'bash',
      `${Math.floor(largest / 1024 / 4)}`,
      process.execPath,
      MAIN,
      ...args(out, 2),
    ],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  );
  expect(ran.status, ran.stderr).toBe(2);
  expect(ran.stderr).toMatch(/^error disk_full: .*run the same command again/m);
  expect((readdirSync(out, { recursive: true }) as string[]).filter((path) => path.endsWith('.part'))).toEqual([]);
  rest(out);
});

it('a bad line among briefs costs its own world', () => {
  const file = join(dir, 'briefs.txt');
  writeFileSync(file, '# three\na bakery in Lyon\n\n!!! ???\na dental practice in Leeds\n');
  const out = join(dir, 'briefs');
  const ran = warm(
    ['build', '--briefs', file, '--worlds', '3', '--tasks', '1', '--jobs', '2', '--out', out, '--json'],
    {
      timeoutMs: 300_000,
    },
  );
  expect(ran.status, ran.stderr).toBe(1);
  const summary = JSON.parse(ran.stdout);
  expect(summary).toMatchObject({ worlds: 2, certified: 2 });
  expect(summary.dropped).toEqual(
    expect.arrayContaining([{ what: 'world 2 of 3', why: expect.stringMatching(/^unreadable_brief: .*no words/) }]),
  );
});

it.each([
  { given: ['--worlds', '4', '--jobs', '0'], code: 'bad_option' },
  { given: ['--worlds', '4', '--jobs', '99'], code: 'bad_option' },
  { given: ['--countries', 'XX'], code: 'bad_option' },
  { given: ['--industries', 'bread'], code: 'bad_option' },
  { given: ['a bakery', '--countries', '5'], code: 'bad_usage' },
  { given: ['a bakery', '--briefs', 'x.txt'], code: 'bad_usage' },
  { given: ['--countries', '5', '--country', 'FR'], code: 'bad_usage' },
  { given: [], code: 'bad_usage' },
  { given: ['--briefs', 'nowhere.txt'], code: 'no_file' },
  { given: ['a bakery', '--model', 'm'], code: 'no_model' },
])('treadle build $given says what is wrong', ({ given, code }) => {
  const ran = warm(['build', ...given, '--out', join(dir, 'never')]);
  expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(new RegExp(`^error ${code}: `))]);
  expect(existsSync(join(dir, 'never'))).toBe(false);
});

it('another sweep is another build', () => {
  const ran = warm([...args(whole, 1), '--industries', '62']);
  expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(/^error other_build: /)]);
});

describe('treadle stats', () => {
  it('counts', () => {
    const ran = warm(['stats', whole, '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    const figures = JSON.parse(ran.stdout);
    expect(figures).toMatchObject({ worlds: WORLDS, certified: WORLDS, certified_share: 1, tasks: 8, countries: 3 });
    expect(figures.industries).toBe(WORLDS);
    expect(figures.distinct_tool_schemas).toBeGreaterThan(100);
    expect(figures.text.nearest_of).toBe(8);
    expect(warm(['stats', whole]).stdout).toMatch(/^worlds, certified +4, 100\.0 %/m);
  });

  it('counts the same where the small files are lost', () => {
    const before = JSON.parse(warm(['stats', whole, '--json']).stdout);
    const worlds = join(whole, 'worlds');
    for (const id of readdirSync(worlds)) {
      writeFileSync(join(worlds, id, 'surface.json'), '{"treadle": "surf');
      const listing = join(worlds, id, 'tasks', 'index.json');
      const { tasks, dropped } = JSON.parse(readFileSync(listing, 'utf8'));
      const bare = tasks.map(({ id: task, hash, family, brief }: Record<string, string>) => ({
        id: task,
        hash,
        family,
        brief,
      }));
      writeFileSync(listing, JSON.stringify({ tasks: bare, dropped }));
    }
    rmSync(join(whole, 'index.json'));
    expect(JSON.parse(warm(['stats', whole, '--json']).stdout)).toEqual(before);
  });

  it('says where there is nothing to count', () => {
    expect(errorLine(warm(['stats', join(dir, 'nowhere')]))).toMatch(/^error no_corpus: /);
  });
});
