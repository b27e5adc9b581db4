/** Reading, writing and measuring tasks as a user does: review, export of what was accepted, add-task, difficulty. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorLine, MAIN, type Ran, scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');

const piped = (input: string, ...args: string[]): Ran => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'review', corpus, '--by', 'ada', ...args], {
    encoding: 'utf8',
    input,
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status: status ?? -1, stdout, stderr };
};
const status = (...args: string[]): Record<string, unknown> & { sample: { id: string; standing: string }[] } =>
  JSON.parse(piped('', '--status', '--json', ...args).stdout);
const records = (): string[] => readFileSync(join(corpus, 'reviews.jsonl'), 'utf8').trimEnd().split('\n');

beforeAll(() => {
  expect(warm(['build', 'a dental practice in Leeds', '--tasks', '4', '--out', corpus]).status).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('review', () => {
  it('takes lines from a pipe, goes on where it stopped, and prints a bound', () => {
    const first = piped('a\nr the wrong patient\n');
    expect(first.status).toBe(0);
    expect(first.stdout).toContain('1 of 4');
    expect(first.stdout).toMatch(/Of all 4 tasks, at 95 % confidence: at most \d+\.\d % are defective \(1 of 2 read/);
    expect(piped('s\nq\n').stdout).toContain('3 of 4');
    expect(records()).toHaveLength(2);
  });
  it('outlives the making of the same tasks, and a crash in the middle of a line', () => {
    appendFileSync(join(corpus, 'reviews.jsonl'), '{"treadle":"review/1","subj');
    expect(warm(['tasks', corpus, '--tasks', '4']).status).toBe(0);
    expect(status().overall).toMatchObject({ tasks: 4, decided: 2, rejected: 1 });
    expect(status().void).toEqual([]);
  });
  it('takes a file of decisions whole or not at all', () => {
    const { sample } = status();
    const open = sample.filter(({ standing }) => standing === 'open').map(({ id }) => id);
    const file = join(dir, 'decisions.jsonl');
    const line = (task: string, decision: string): string => `${JSON.stringify({ task, decision })}\n`;
    writeFileSync(file, line(open[0] ?? '', 'accept') + line(open[1] ?? '', 'reject'));
    const bad = piped('', '--decisions', file);
    expect([bad.status, errorLine(bad)]).toEqual([2, expect.stringContaining('line 2: a rejection needs a reason')]);
    expect(status().overall).toMatchObject({ decided: 2 });
    writeFileSync(file, line(open[0] ?? '', 'accept'));
    const done = piped('', '--decisions', file, '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ made: 1, overall: { decided: 3, rejected: 1 } });
    // The line that a crash had cut off is gone.
    expect(records().map((text) => JSON.parse(text).by)).toEqual(['ada', 'ada', 'ada']);
  });
  it('lets only what was accepted into the rows', () => {
    const all = JSON.parse(warm(['export', corpus, '--out', join(dir, 'all'), '--json']).stdout);
    const some = JSON.parse(
      warm(['export', corpus, '--reviewed', 'accepted', '--out', join(dir, 'some'), '--json']).stdout,
    );
    expect(all.rows).toBe(4);
    expect(some.rows).toBe(2);
    expect(some.reviewed).toMatchObject({
      accepted: 2,
      leftOut: { rejected: { tasks: 1 }, changed_since_review: { tasks: 0 }, not_reviewed: { tasks: 1 } },
    });
  });
  it('is void for tasks that are others now', () => {
    expect(warm(['tasks', corpus, '--tasks', '2', '--seed', 'other']).status).toBe(0);
    expect((status().void as unknown[]).length).toBeGreaterThan(0);
    expect(piped('', '--status').stdout).toContain('Void, since their tasks have changed or gone: ');
    expect(warm(['tasks', corpus, '--tasks', '4']).status).toBe(0);
    expect(status().void).toEqual([]);
  });
  it('says what is wrong with its input', () => {
    for (const [ran, says] of [
      [piped('yes please\n'), 'Line 1 of the decisions: not a decision'],
      [piped('', '--decisions', join(dir, 'none.jsonl')), 'missing_file'],
      [warm(['review', join(dir, 'nowhere')]), 'no_corpus'],
      [warm(['review', corpus, '--sample', '0']), 'bad_option'],
    ] as const) {
      expect(ran.status).toBe(2);
      expect(errorLine(ran)).toContain(says);
    }
  });
});

describe('add-task', () => {
  it('refuses with the line, and writes nothing', () => {
    const before = warm(['show', corpus, '--json']).stdout;
    const file = join(dir, 'mine.yaml');
    writeFileSync(file, 'id: mine\nbrief: Do it.\nreference:\n  calls:\n    - tool: no_such_tool\n');
    const ran = warm(['add-task', corpus, file, '--json']);
    expect([ran.status, errorLine(ran)]).toEqual([
      2,
      expect.stringContaining('mine.yaml line 5: the world has no tool'),
    ]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'bad_task' } });
    expect(warm(['show', corpus, '--json']).stdout).toBe(before);
  });
});

describe('difficulty and rewards', () => {
  it('are one JSON value, the same twice, and in the report', () => {
    const measure = (): string => warm(['difficulty', corpus, '--runs', '3', '--json']).stdout;
    const first = measure();
    expect(JSON.parse(first)).toMatchObject({ runs: 3, all: { tasks: 4 } });
    expect(measure()).toBe(first);
    expect(readFileSync(join(corpus, 'report.html'), 'utf8')).toContain('<h3>Difficulty</h3>');
  });
  it('list the base and each penalty', () => {
    const ran = warm(['rollout', corpus, '--policy', 'none', '--penalty', 'degenerate_text=0.5', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      behaviour: { degenerate_text: 4 },
      reward: { shape: 'all', base: 0, mean: -0.5, penalties: [{ flag: 'degenerate_text', rollouts: 4, total: 2 }] },
    });
    expect(readFileSync(join(corpus, 'report.html'), 'utf8')).toContain('degenerate text: a text loops');
    expect(errorLine(warm(['rollout', corpus, '--penalty', 'rude=1']))).toContain('bad_option');
  });
});
