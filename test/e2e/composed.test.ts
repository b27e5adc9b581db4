/** Composed tasks by the executable: made, shown, rolled out in both views, the same whatever the processes; bad input in a line. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const BRIEF = 'A kitchen supplies wholesaler in Leeds with billing and a help desk';

interface Listed {
  tasks: { id: string; stages: number; profile: string }[];
  quotas: Record<string, number>;
  missing: Record<string, number>;
}

const compose = (at: string, ...args: string[]): Listed => {
  const ran = warm(['tasks', at, '--composed', '3', '--mix', 'simple=2,standard=1', '--json', ...args]);
  expect(ran.status, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout) as Listed;
};

beforeAll(() => {
  const ran = warm(['build', BRIEF, '--tasks', '2', '--out', corpus]);
  expect(ran.status, ran.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('meets the quotas, keeps the atomic tasks, and gives the same with one process and with two', () => {
  const twin = join(dir, 'twin');
  cpSync(corpus, twin, { recursive: true });
  const made = compose(corpus, '--jobs', '1');
  expect(made.quotas).toMatchObject({ simple: 2, standard: 1, expert: 0 });
  expect(made.missing).toEqual({});
  expect(made.tasks.map(({ profile }) => profile).sort()).toEqual(['simple', 'simple', 'standard']);
  for (const { stages } of made.tasks) expect(stages).toBeGreaterThanOrEqual(4);
  expect(compose(twin, '--jobs', '2')).toEqual(made);
  for (const { id } of made.tasks) {
    const shown = (at: string) => warm(['show', at, id, '--json']).stdout;
    expect(shown(twin)).toBe(shown(corpus));
  }
  const worlds = JSON.parse(warm(['show', corpus, '--json']).stdout) as { worlds: { tasks: number }[] };
  expect(worlds.worlds[0]?.tasks).toBe(5);
  expect(readFileSync(join(corpus, 'report.html'), 'utf8')).toContain('class="graph stages"');
});

it('the reference passes in both views and every detail, doing nothing in none', () => {
  for (const [user, detail] of [
    ['none', 'full'],
    ['none', 'vague'],
    ['simulated', 'full'],
    ['simulated', 'vague'],
  ] as const) {
    const ran = warm(['rollout', corpus, '--user', user, '--detail', detail, '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ rollouts: 5, passed: 5 });
  }
  expect(JSON.parse(warm(['rollout', corpus, '--policy', 'none', '--json']).stdout)).toMatchObject({ passed: 0 });
});

it('composing again replaces the composed tasks', () => {
  const ran = warm(['tasks', corpus, '--composed', '1', '--mix', 'simple=1', '--seed', '2', '--json']);
  expect(ran.status, ran.stderr).toBe(0);
  const worlds = JSON.parse(warm(['show', corpus, '--json']).stdout) as { worlds: { tasks: number }[] };
  expect(worlds.worlds[0]?.tasks).toBe(3);
});

describe('bad input', () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const long = 'surplus: 9\nprofiles: {simple: {stages: [80, 90], services: [2, 2], domains: [1, 9], share: 1}}';
  const broad = 'surplus: 1\nprofiles: {simple: {stages: [4, 5], services: [30, 40], domains: [1, 99], share: 1}}';
  it.each([
    [['--composed', '2', '--mix', 'hard=1'], 'bad_mix'],
    [['--composed', '2', '--mix', 'simple=0'], 'bad_mix'],
    [['--composed', '0'], 'bad_option'],
    [['--composed', 'many'], 'bad_option'],
    [['--mix', 'simple=1'], 'bad_option'],
    [['--composed', '2', '--profiles', join(dir, 'none.yaml')], 'no_file'],
    [['--composed', '2', '--profiles', file('no.yaml', 'a: [')], 'bad_profiles'],
    [['--composed', '2', '--profiles', file('long.yaml', long)], 'profile_out_of_reach'],
    [['--composed', '2', '--profiles', file('broad.yaml', broad)], 'profile_out_of_reach'],
  ])('%j is refused with %s, and nothing is lost', (args, code) => {
    const before = warm(['show', corpus, '--json']).stdout;
    const ran = warm(['tasks', corpus, ...args, '--json']);
    expect(ran.status).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code } });
    expect(warm(['show', corpus, '--json']).stdout).toBe(before);
  });
});
