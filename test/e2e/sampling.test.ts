/** treadle sample by the executable: the table, resuming, negatives beside the kept, groups, and bad input in a line. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Corpus } from '../../src/corpus/corpus.js';
import { eachTrace } from '../../src/corpus/traces/read.js';
import { scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');

interface Told {
  planned: number;
  methods: {
    method: string;
    tasks: number;
    accepted: number;
    skipped: number;
    refused: Record<string, number>;
    cost: { kept: { calls: number }; dropped: { attempts: number; calls: number } };
    perAccepted: { calls: number; tokens: number } | null;
    group?: { branches: number; passed: number };
  }[];
  saved?: { calls: number } | null;
}

const sample = (...args: string[]): Told => {
  const ran = warm(['sample', corpus, '--json', ...args]);
  expect([0, 1], ran.stderr).toContain(ran.status);
  return JSON.parse(ran.stdout) as Told;
};
const origins = (): string[] => {
  const opened = Corpus.open(corpus);
  return opened.worlds().flatMap((id) => [...eachTrace(opened, id)].map(({ trace }) => trace.origin?.kind ?? 'plain'));
};
const bytes = (): string[] =>
  Corpus.open(corpus)
    .worlds()
    .map((id) => readFileSync(join(corpus, 'traces', `${id}.jsonl`), 'utf8'));

beforeAll(() => {
  const brief = 'A kitchen supplies wholesaler in Leeds with billing and a help desk';
  for (const args of [
    ['build', brief, '--tasks', '1', '--out', corpus],
    ['tasks', corpus, '--composed', '2', '--mix', 'simple=1'],
  ]) {
    const ran = warm(args);
    expect(ran.status, ran.stderr).toBe(0);
  }
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const SCRIPTED = ['--kind', 'composed', '--user', 'simulated', '--policy', 'scripted', '--error-rate', '0.5'];

it('samples, says what was saved, keeps negatives beside the kept, and samples nothing twice', () => {
  const before = origins().length;
  const told = sample(...SCRIPTED, '--retries', '20', '--compare');
  const [prefix, whole] = told.methods;
  expect(told.planned).toBe(4);
  expect(prefix).toMatchObject({ method: 'prefix', tasks: 2, accepted: 2, skipped: 0, refused: {} });
  expect(whole).toMatchObject({ method: 'whole', tasks: 2 });
  expect(prefix?.cost.dropped.attempts).toBeGreaterThan(0);
  const kinds = origins().slice(before);
  expect(kinds.filter((kind) => kind === 'prefix')).toHaveLength(2);
  expect(kinds.filter((kind) => kind === 'negative').length).toBeGreaterThan(0);
  if (whole?.perAccepted && prefix?.perAccepted) expect(prefix.perAccepted.calls).toBeLessThan(whole.perAccepted.calls);
  const again = sample(...SCRIPTED, '--retries', '20', '--compare');
  expect(again.methods.map(({ tasks, skipped }) => [tasks, skipped])).toEqual([
    [0, 2],
    [0, 2],
  ]);
  expect(origins()).toHaveLength(before + kinds.length);
  const kept = bytes();
  const more = ['--compare', '--again', '--concurrency', '2'];
  const table = warm(['sample', corpus, ...SCRIPTED, '--retries', '20', ...more]);
  expect(table.stdout).toMatch(/attempts\s+turns\s+calls\s+tokens \(characters\/4\)\s+wall/);
  // The same again, however many at a time.
  expect(bytes()).toEqual(kept);
});

it('makes groups of branches at a stage and at a call; a task without that stage is refused and said', () => {
  const group = sample(...SCRIPTED, '--method', 'group', '--group', '3', '--at', 's2', '--until', 'stage');
  expect(group.methods[0]).toMatchObject({ method: 'group', tasks: 2 });
  const nowhere = sample(...SCRIPTED, '--method', 'group', '--group', '2', '--at', 's99');
  expect(nowhere.methods[0]).toMatchObject({ tasks: 0, refused: { bad_group: 2 } });
  const call = sample('--method', 'group', '--group', '2', '--at', '1');
  expect(call.methods[0]?.group?.passed).toBe(call.methods[0]?.group?.branches);
});

it('ends with 1 where nothing was accepted', () => {
  const ran = warm(['sample', corpus, '--policy', 'none', '--retries', '0']);
  expect(ran.status).toBe(1);
  expect(ran.stdout).toContain('never_passed');
});

it.each([
  [['--method', 'group'], 'bad_option'],
  [['--method', 'group', '--at', '../x'], 'bad_option'],
  [['--method', 'whole', '--compare'], 'bad_option'],
  [['--policy', 'model'], 'no_model'],
  [['--user-model', 'm'], 'bad_option'],
  [['--max-cost', '1'], 'bad_budget'],
  [['--kind', 'nothing'], 'no_task'],
  [['--retries', '-1'], undefined],
  [['--error-rate', '2'], undefined],
])('%j is refused in one line', (args, code) => {
  const ran = warm(['sample', corpus, '--json', ...args]);
  expect(ran.status).toBe(2);
  const { error } = JSON.parse(ran.stdout || ran.stderr) as { error: { code: string } };
  if (code) expect(error.code).toBe(code);
});
