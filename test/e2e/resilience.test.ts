/** Whatever stops a build in the middle, the same command goes on and ends with the bytes of an undisturbed one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { errorLine, MAIN, scratch } from './cli.js';
import { treeOf } from './tree.js';
import { warm } from './warm/warm.js';

const DOCUMENT = fileURLToPath(new URL('../fixtures/documents/verbs.yaml', import.meta.url));
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const whole = join(dir, 'whole');
const args = (out: string): string[] => ['build', DOCUMENT, '--worlds', '2', '--tasks', '2', '--out', out, '--json'];
let undisturbed: Record<string, string>;

beforeAll(() => {
  const ran = warm(args(whole));
  expect(ran.status, ran.stderr).toBe(0);
  undisturbed = treeOf(whole);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const start = (out: string): ChildProcess =>
  spawn(process.execPath, [MAIN, ...args(out)], { stdio: 'pipe', env: { ...process.env, NO_COLOR: '1' } });

/** Paths in the folder, as they are right now; none while it is changing under our feet. */
const pathsIn = (at: string): string[] => {
  try {
    return readdirSync(at, { recursive: true }) as string[];
  } catch {
    return [];
  }
};

/** Sends the signal as soon as a path like that is there; false when the build was faster. */
const stopAt = async (child: ChildProcess, out: string, pattern: RegExp, signal: NodeJS.Signals): Promise<boolean> => {
  const gone = once(child, 'exit');
  while (child.exitCode === null) {
    if (pathsIn(out).some((path) => pattern.test(path))) {
      child.kill(signal);
      await gone;
      return true;
    }
    await sleep(2);
  }
  return false;
};

it('kill -9 at every stage', async () => {
  const out = join(dir, 'killed');
  const stages = [/^treadle\.json/, /world\.yaml$/, /tasks\/.*\.yaml$/, /traces\/.*\.jsonl$/, /sft$/];
  for (const pattern of stages) await stopAt(start(out), out, pattern, 'SIGKILL');
  const ran = warm(args(out));
  expect(ran.status, ran.stderr).toBe(0);
  expect(treeOf(out)).toEqual(undisturbed);
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends with status 130 and one line',
  async (signal) => {
    const out = join(dir, signal);
    const child = start(out);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (data) => {
      stdout += data;
    });
    child.stderr?.on('data', (data) => {
      stderr += data;
    });
    const closed = once(child, 'close');
    await stopAt(child, out, /^treadle\.json$/, 'SIGINT');
    const [status, by] = (await closed) as [number | null, string | null];
    // Where a stage holds the thread, the system ends the process: shells call that 130 as well.
    if (by === null) {
      expect(status, stderr).toBe(130);
      expect(stderr).toMatch(/^error interrupted: .*same command again: it goes on/m);
      expect(JSON.parse(stdout).error.code).toBe('interrupted');
    } else expect(by).toBe('SIGINT');
    const ran = warm(args(out));
    expect(ran.status, ran.stderr).toBe(0);
    expect(treeOf(out)).toEqual(undisturbed);
  },
  120_000,
);

it('a full disk loses nothing that was done', () => {
  const out = join(dir, 'full');
  const limited = (blocks: number): { status: number | null; stderr: string } =>
    spawnSync(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'bash', process.execPath, MAIN, ...args(out)],
      { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    );
  // First not even a database fits, then all but the largest file do.
  const largest = Math.max(...Object.keys(undisturbed).map((path) => statSync(join(whole, path)).size));
  for (const blocks of [8, Math.floor(largest / 1024) - 1]) {
    const ran = limited(blocks);
    expect(ran.status, ran.stderr).toBe(2);
    expect(ran.stderr).toMatch(/^error disk_full: .*run the same command again/m);
    expect(pathsIn(out).filter((path) => path.endsWith('.part'))).toEqual([]);
  }
  const ran = warm(args(out));
  expect(ran.status, ran.stderr).toBe(0);
  expect(treeOf(out)).toEqual(undisturbed);
});

it('a full disk behind a redirection, and a reader that goes away', () => {
  const to = (script: string): { status: number | null; stderr: string } =>
    spawnSync('bash', ['-c', script, 'bash', process.execPath, MAIN, 'show', whole, '--json'], { encoding: 'utf8' });
  if (existsSync('/dev/full')) {
    const full = to('"$@" > /dev/full');
    expect([full.status, full.stderr]).toEqual([2, expect.stringMatching(/^error cannot_print: .*ENOSPC/)]);
  }
  const gone = to('"$@" | true');
  expect(gone.stderr).toBe('');
});

it('a corpus that lost its world makes it again, to the byte', () => {
  const [world] = readdirSync(join(whole, 'worlds'));
  rmSync(join(whole, 'worlds', world as string), { recursive: true });
  const ran = warm(args(whole));
  expect(ran.status, ran.stderr).toBe(0);
  expect(treeOf(whole)).toEqual(undisturbed);
});

it('tells the input from the output', () => {
  const ran = warm(['build', join(whole, 'build.json'), '--out', join(dir, 'odd')]);
  expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(/^error not_openapi: /)]);
  expect(readFileSync(join(whole, 'build.json'), 'utf8')).toContain('build/1');
});
