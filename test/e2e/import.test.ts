/** treadle import tau2 as a user runs it: on a small folder of our own, and on the real data where that lies beside the checkout. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeFolder } from '../../src/cli/pipeline/import/tau2/tau2.fixture.js';
import { errorLine, scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const dir = scratch();
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const lastLine = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');

describe('a small folder', () => {
  const folder = join(dir, 'small');
  const corpus = join(dir, 'corpus');
  let said: { tasks: number };
  beforeAll(() => {
    writeFolder(folder, { LICENSE: 'To be used by everybody.\n' });
    const ran = warm(['import', 'tau2', folder, '--out', corpus, '--json']);
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout.trimEnd()).not.toContain('\n');
    said = lastLine(ran.stdout);
  });

  it('is told in one line of JSON', () =>
    expect(said).toMatchObject({ total: 7, tasks: 6, replays_equal: 7, results_equal: 7, quarantined: 1 }));
  it('is a corpus for the other commands', () => {
    expect(JSON.parse(warm(['show', corpus, '--json']).stdout).worlds[0]).toMatchObject({
      id: 'tau2_retail',
      tools: 16,
      tasks: 6,
      dropped: 1,
    });
    expect(warm(['show', corpus, 'tau2-retail-4']).stdout).toMatch(/FAILED null_agent_fails: doing nothing passes/);
    const rolled = JSON.parse(warm(['rollout', corpus, '--policy', 'reference', '--json']).stdout);
    expect(rolled).toMatchObject({ rollouts: 6, passed: 6 });
    const idle = JSON.parse(warm(['rollout', corpus, '--policy', 'none', '--json']).stdout);
    expect(idle).toMatchObject({ rollouts: 6, passed: 3 });
    expect(JSON.parse(warm(['export', corpus, '--json']).stdout).rows).toBeGreaterThan(0);
    expect(readFileSync(join(corpus, 'LICENSE-tau2-bench'), 'utf8')).toContain('everybody');
  });
  it('gives the same bytes again, and says it to a person too', () => {
    const again = join(dir, 'again');
    const ran = warm(['import', 'tau2', folder, '--out', again]);
    expect(ran.stdout).toMatch(/7 of 7 replays change exactly what was recorded/);
    expect(ran.stdout).toMatch(/task 5 is quarantined: its reference raises: get_order_details: Order not found/);
    expect(ran.stdout).toMatch(/\| null_agent_fails {2}\| 3 {4}\| 3 {4}\|/);
    const tasks = (corpusDir: string): string[] => {
      const at = join(corpusDir, 'worlds', 'tau2_retail', 'tasks');
      return readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    };
    expect(tasks(again)).toEqual(tasks(corpus));
  });
  it('that is wrong gives one line, makes nothing and loses nothing', () => {
    const before = readFileSync(join(corpus, 'import.json'), 'utf8');
    const bad = writeFolder(join(dir, 'bad'), { 'db.json': '{"products":' });
    for (const out of [corpus, join(dir, 'new')]) {
      const ran = warm(['import', 'tau2', bad, '--out', out, '--json']);
      expect(ran.status).toBe(2);
      expect(errorLine(ran)).toMatch(/^error unreadable_file: db\.json is no JSON/);
      expect(JSON.parse(ran.stdout).error.code).toBe('unreadable_file');
    }
    expect(existsSync(join(dir, 'new'))).toBe(false);
    expect(readFileSync(join(corpus, 'import.json'), 'utf8')).toBe(before);
  });
  it('that differs from its answer key says so by its exit status', () => {
    const key = readFileSync(join(folder, 'reference-replay.jsonl'), 'utf8').replaceAll('15.35', '15.36');
    const other = writeFolder(join(dir, 'other'), { 'reference-replay.jsonl': key });
    const ran = warm(['import', 'tau2', other, '--out', join(dir, 'other-corpus'), '--json']);
    expect(ran.status).toBe(1);
    expect(lastLine(ran.stdout)).toMatchObject({ replays_equal: 5, different: ['0', '5'], tasks: 6 });
  });
  it('and a folder that is none, a benchmark that is not known, a service that is not there', () => {
    writeFileSync(join(dir, 'a-file'), '');
    for (const [args, code] of [
      [['tau2', join(dir, 'nowhere')], 'missing_file'],
      [['tau2', join(dir, 'a-file')], 'missing_file'],
      [['tau2', folder, '--service', join(dir, 'nowhere.yaml')], 'missing_file'],
      [['tau2'], 'bad_usage'],
      [['tau9', folder], 'bad_usage'],
    ] as const) {
      const ran = warm(['import', ...args, ...(args.length > 1 ? ['--out', join(dir, 'none')] : [])]);
      expect(ran.status, args.join(' ')).toBe(2);
      expect(errorLine(ran)).toMatch(new RegExp(`^error ${code}: `));
    }
    expect(existsSync(join(dir, 'none'))).toBe(false);
  });
});

const REAL = process.env.TREADLE_TAU2_DATA ?? fileURLToPath(new URL('../../../shared/data/tau2', import.meta.url));
const isThere = existsSync(join(REAL, 'reference-replay.jsonl'));
if (!isThere)
  console.warn(
    `SKIPPED, LOUDLY: tau2-bench's retail data is not at ${REAL}; the 114 recorded replays were not held against ours. Set TREADLE_TAU2_DATA.`,
  );

describe.skipIf(!isThere)("tau2-bench's retail domain", () => {
  it('gives exactly the recorded changes for all 114 references, and 99 tasks', () => {
    const ran = warm(['import', 'tau2', REAL, '--out', join(dir, 'real'), '--json'], { timeoutMs: 280_000 });
    expect(ran.status, ran.stderr).toBe(0);
    const said = lastLine(ran.stdout);
    expect(said).toMatchObject({ total: 114, tasks: 99, replays_equal: 114, results_equal: 114, quarantined: 15 });
    const recorded = readFileSync(join(REAL, 'reference-replay.jsonl'), 'utf8').trim().split('\n');
    const raising = recorded.map((line) => JSON.parse(line)).filter(({ raises }) => raises);
    expect(said.quarantine.map(({ task }: { task: string }) => task)).toEqual(raising.map(({ task_id }) => task_id));
    const rolled = JSON.parse(warm(['rollout', join(dir, 'real'), '--json']).stdout);
    expect(rolled).toMatchObject({ rollouts: 99, passed: 99 });
  });
});
