/** `treadle tasks` as a library: by one process or two the same bytes, resumed world by world, refused where it makes no sense. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorLine, scratch } from './cli.js';
import { treeOf } from './tree.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
const dir = scratch();
const made = join(dir, 'made');
const alone = join(dir, 'alone');
const shared = join(dir, 'shared');
const worldsOf = (out: string): string[] => readdirSync(join(out, 'worlds')).sort();
const libraryOf = (out: string, world: string) =>
  JSON.parse(readFileSync(join(out, 'worlds', world, 'tasks', 'library.json'), 'utf8'));
const tasks = (out: string, ...args: string[]) =>
  warm(['tasks', out, '--coverage', '0.5', '--rounds', '2', '--json', ...args], { timeoutMs: 300_000 });

beforeAll(() => {
  const args = ['build', 'a bakery in Lyon', '--services', 'inventory', '--worlds', '2', '--tasks', '1', '--out', made];
  const ran = warm(args, { timeoutMs: 300_000 });
  expect(ran.status, ran.stderr).toBe(0);
  for (const to of [alone, shared]) cpSync(made, to, { recursive: true });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a library', () => {
  it('is made of the whole corpus, with what became of it', () => {
    const ran = tasks(alone, '--jobs', '1');
    expect(ran.status, ran.stderr).toBe(0);
    const said = JSON.parse(ran.stdout) as { world: string; coverage: number; tasks: { id: string }[] }[];
    expect(said.map(({ world }) => world)).toEqual(worldsOf(alone));
    for (const { world, coverage, tasks: listed } of said) {
      const report = libraryOf(alone, world);
      expect(coverage).toBeGreaterThanOrEqual(0.5);
      expect(report).toMatchObject({ treadle: 'library/1', world, coverage, settings: { coverage: 0.5, rounds: 2 } });
      const retained = report.services.flatMap((service: { retained: string[] }) => service.retained);
      expect(listed.map(({ id }) => id).sort()).toEqual([...retained, ...report.errands].sort());
    }
  });
  it('is the same by two processes, to the byte', () => {
    const ran = tasks(shared, '--jobs', '2');
    expect(ran.status, ran.stderr).toBe(0);
    expect(treeOf(shared)).toEqual(treeOf(alone));
  });
  it('is not made twice, and is made again where it was cut off or other tasks took its place', () => {
    expect(tasks(alone).stderr.match(/made before/g)).toHaveLength(2);
    const [first, second] = worldsOf(alone) as [string, string];
    rmSync(join(alone, 'worlds', first, 'tasks', 'index.json'));
    warm(['tasks', alone, '--world', second, '--tasks', '1'], { timeoutMs: 300_000 });
    expect(existsSync(join(alone, 'worlds', second, 'tasks', 'library.json'))).toBe(true);
    const again = tasks(alone);
    expect(again.stderr).not.toMatch(/made before/);
    expect(treeOf(alone)).toEqual(treeOf(shared));
  });
  it('grows by sampled tasks where more are asked for, and those alone can be had', () => {
    const [first] = worldsOf(shared) as [string];
    const many = libraryOf(shared, first).services.flatMap((one: { retained: string[] }) => one.retained).length + 40;
    const ran = tasks(shared, '--world', first, '--tasks', String(many));
    const [{ tasks: listed }] = JSON.parse(ran.stdout) as [{ tasks: unknown[] }];
    expect(ran.status).toBe(listed.length < many ? 1 : 0);
    expect(libraryOf(shared, first).sampled.length).toBeGreaterThan(0);
    const sampled = warm(['tasks', shared, '--world', first, '--tasks', '2', '--json'], { timeoutMs: 300_000 });
    expect(JSON.parse(sampled.stdout)[0].tasks).toHaveLength(2);
    expect(JSON.parse(sampled.stdout)[0].coverage).toBeUndefined();
  });
  it('ends with 1 where its tools cannot all be called', () => {
    const [first] = worldsOf(shared) as [string];
    const ran = warm(['tasks', shared, '--world', first, '--coverage', '1', '--rounds', '1'], {
      timeoutMs: 300_000,
    });
    expect(ran.status).toBe(libraryOf(shared, first).coverage < 1 ? 1 : 0);
  });
});

describe('what makes no sense', () => {
  it.each([
    ['--coverage', '1.5'],
    ['--coverage', 'most'],
    ['--rounds', '0'],
    ['--rounds', '2.5'],
    ['--tasks', '0'],
    ['--jobs', '-1'],
  ])('%s %s', (option, value) => {
    const ran = warm(['tasks', made, option, value]);
    expect(ran.status).toBe(2);
    expect(errorLine(ran)).toMatch(new RegExp(`bad_option: .*${option}`));
  });
  it('a report that was edited is named, not trusted', () => {
    const [first] = worldsOf(made) as [string];
    writeFileSync(join(made, 'worlds', first, 'tasks', 'library.json'), '{"treadle": "library/1"}');
    const ran = tasks(made, '--world', first);
    expect(ran.status).toBe(2);
    expect(errorLine(ran)).toMatch(/unreadable_file: .*library\.json.*Delete the file/);
  });
});
