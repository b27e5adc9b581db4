/** A frozen corpus: what is deleted comes back byte for byte, what differs is named, and a lockfile that was edited is none. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Difference } from '../../src/corpus/freeze/compare.js';
import { type Lock, sealed } from '../../src/corpus/freeze/lock.js';
import { sha256 } from '../../src/kit/hash.js';
import { errorLine, type Ran, scratch } from './cli.js';
import { warm } from './warm/warm.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const dir = scratch();
const made = join(dir, 'made');
const corpus = join(dir, 'corpus');
const lockFile = join(corpus, 'treadle.lock.json');
let world = '';
let scenarios = 0;
let rollouts = 0;

const run = (...args: string[]): Ran => {
  const ran = warm(args);
  expect(ran.status, ran.stderr).toBe(0);
  return ran;
};
/** Every file under a folder with its hash. */
const hashes = (folder: string): Record<string, string> =>
  Object.fromEntries(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, sha256(readFileSync(join(folder, name)))]),
  );
const checked = (...args: string[]): { status: number; differences: Difference[] } => {
  const ran = warm(['freeze', '--check', lockFile, '--json', ...args]);
  return { status: ran.status, differences: (JSON.parse(ran.stdout) as { differences: Difference[] }).differences };
};
const edited = (file: string, work: (text: string) => string): void =>
  writeFileSync(file, work(readFileSync(file, 'utf8')));
const traces = (): string => join(corpus, 'traces', `${world}.jsonl`);

beforeAll(() => {
  run('build', 'a kitchen supplies wholesaler in Leeds', '--tasks', '3', '--out', made, '--json');
  run('tasks', made, '--composed', '1', '--mix', 'simple=1', '--json');
  warm(['rollout', made, '--json']);
  warm([
    'rollout',
    made,
    '--policy',
    'scripted',
    '--samples',
    '2',
    '--seed',
    'a/b 7',
    '--penalty',
    'malformed_call=0.1',
    '--json',
  ]);
  warm(['rollout', made, '--policy', 'asking', '--user', 'simulated', '--detail', 'vague', '--json']);
  scenarios = JSON.parse(run('dynamics', made, '--per-task', '2', '--json').stdout).scenarios;
  expect(scenarios).toBeGreaterThan(1);
  for (const policy of ['reference', 'stale']) warm(['rollout', made, '--scenarios', '--policy', policy, '--json']);
  rollouts = 16 + 2 * scenarios;
  run('export', made, '--all', '--seed', '3', '--json');
  run('export', 'preferences', made, '--json');
  run('export', 'rl', made, '--for', 'verl', '--detail', 'partial', '--json');
  run('export', 'world-model', '--file=parquet', made, '--json');
  world = readdirSync(join(made, 'worlds'))[0] ?? '';
  const froze = JSON.parse(run('freeze', made, '--json').stdout);
  expect(froze).toMatchObject({ worlds: 1, tasks: 4, scenarios, rollouts, toKeep: 0 });
  expect(froze.exports.map((each: { dir: string }) => each.dir)).toEqual([
    'preferences',
    'rl-verl',
    'sft',
    'world-model',
  ]);
});
beforeEach(() => {
  rmSync(corpus, { recursive: true, force: true });
  cpSync(made, corpus, { recursive: true });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('freezing twice gives the same lockfile, and nothing differs from it', () => {
  const before = readFileSync(lockFile, 'utf8');
  run('freeze', corpus);
  expect(readFileSync(lockFile, 'utf8')).toBe(before);
  expect(before).not.toContain(dir);
  expect(checked()).toEqual({ status: 0, differences: [] });
});

it('deleted exports, rollouts and scenarios come back with the same bytes', () => {
  const before = hashes(corpus);
  for (const name of ['preferences', 'sft', 'rl-verl', 'world-model', 'traces', `worlds/${world}/scenarios`])
    rmSync(join(corpus, name), { recursive: true });
  const { differences } = checked();
  expect(differences.filter(({ what }) => what === 'export')).toHaveLength(4);
  expect(differences.filter(({ what, is }) => what === 'scenario' && is === 'missing')).toHaveLength(scenarios);
  const rebuilt = JSON.parse(run('rebuild', lockFile, '--rollouts', '--json').stdout);
  expect(rebuilt).toMatchObject({
    traces: { kept: 0, again: rollouts },
    scenarios: { again: scenarios },
    differences: [],
  });
  // How the last run ended is of no rows.
  delete before['traces/run.json'];
  expect(hashes(corpus)).toEqual(before);
});

it('rollouts made since do not get into the rows, and the corpus is left as it is', () => {
  warm(['rollout', corpus, '--policy', 'scripted', '--samples', '4', '--seed', 'later', '--json']);
  rmSync(join(corpus, 'sft'), { recursive: true });
  const before = hashes(join(corpus, 'traces'));
  run('rebuild', lockFile, '--out', join(dir, 'again'));
  for (const name of ['sft', 'rl-verl', 'world-model'])
    expect(hashes(join(dir, 'again', name))).toEqual(hashes(join(made, name)));
  expect(hashes(join(corpus, 'traces'))).toEqual(before);
  // Once more: they are there already.
  expect(run('rebuild', lockFile, '--out', join(dir, 'again')).stdout).toContain('are there already');
  rmSync(join(dir, 'again'), { recursive: true });
});

it('a rollout edited by hand is named, and made again for the rows', () => {
  edited(traces(), (text) => {
    const lines = text.split('\n');
    // What lists go by, and what the rollout says.
    lines[0] = (lines[0] ?? '').replace(/"pass":(true|false)/, (_, pass) => `"pass":${pass === 'false'}`);
    lines[2] = (lines[2] ?? '').replace(/("trace":\{.*"finish":"\w+","answer":")/, '$1forged ');
    return lines.join('\n');
  });
  const { status, differences } = checked();
  const changed = { what: 'rollout', name: expect.stringContaining(`${world}/`), is: 'changed' };
  expect([status, differences]).toEqual([1, [changed, changed]]);
  rmSync(join(corpus, 'sft'), { recursive: true });
  expect(JSON.parse(run('rebuild', lockFile, '--json').stdout)).toMatchObject({
    traces: { again: differences.length },
  });
  expect(hashes(join(corpus, 'sft'))).toEqual(hashes(join(made, 'sft')));
});

it('each thing that differs is named', () => {
  const task = readdirSync(join(corpus, 'worlds', world, 'tasks')).find((name) => name.endsWith('.yaml')) ?? '';
  edited(join(corpus, 'sft', 'data', 'train.jsonl'), (text) => text.replace('assistant', 'Assistant'));
  rmSync(join(corpus, 'rl-verl', 'treadle_client.py'));
  writeFileSync(join(corpus, 'world-model', 'notes.txt'), 'mine');
  writeFileSync(join(corpus, 'reviews.jsonl'), '');
  const { differences } = checked();
  expect(differences).toEqual([
    { what: 'file', name: 'reviews.jsonl', is: 'new' },
    { what: 'export', name: 'rl-verl/treadle_client.py', is: 'missing' },
    { what: 'export', name: 'sft/data/train.jsonl', is: 'changed' },
    { what: 'export', name: 'world-model/notes.txt', is: 'new' },
  ]);
  edited(join(corpus, 'worlds', world, 'tasks', task), (text) => text.replace(/^brief: /m, 'brief: Please. '));
  expect(checked().differences[0]).toMatchObject({
    what: 'world',
    name: world,
    is: 'unreadable',
    why: expect.stringContaining(task),
  });
  const refused = warm(['rebuild', lockFile, '--out', join(dir, 'again')]);
  expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining(`world ${world} cannot be read`)]);
  expect(existsSync(join(dir, 'again'))).toBe(false);
  expect(errorLine(warm(['freeze', corpus]))).toMatch(/^error changed_file: /);
});

it('a world that is gone is named', () => {
  rmSync(join(corpus, 'worlds', world), { recursive: true });
  expect(checked().differences).toContainEqual({ what: 'world', name: world, is: 'missing' });
  expect(warm(['rebuild', lockFile]).status).toBe(1);
});

it('an export in the way is not written over', () => {
  edited(join(corpus, 'sft', 'README.md'), (text) => `${text}mine\n`);
  const ran = warm(['rebuild', lockFile]);
  expect([ran.status, errorLine(ran)]).toEqual([2, expect.stringMatching(/^error not_empty: /)]);
  expect(readFileSync(join(corpus, 'sft', 'README.md'), 'utf8')).toContain('mine');
});

it('a dataset elsewhere is frozen by name and rebuilt where --out says', () => {
  const rows = join(dir, 'rows');
  run('export', corpus, '--format', 'sharegpt', '--out', rows);
  const lock = join(dir, 'rows.lock.json');
  run('freeze', corpus, '--export', rows, '--out', lock);
  const before = hashes(rows);
  rmSync(rows, { recursive: true });
  expect(errorLine(warm(['rebuild', lock, '--corpus', corpus]))).toMatch(/^error out_needed: /);
  run('rebuild', lock, '--corpus', corpus, '--out', join(dir, 'back'));
  expect(hashes(join(dir, 'back', basename(rows)))).toEqual(before);
});

it('a rollout that no seed makes has to be kept, and its loss is named', () => {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as Lock;
  const { address: _, ...body } = lock;
  for (const trace of body.worlds[world]?.traces ?? []) delete trace.again;
  writeFileSync(lockFile, JSON.stringify(sealed(body)));
  run('rebuild', lockFile);
  edited(traces(), (text) => text.split('\n').slice(1).join('\n'));
  const ran = warm(['rebuild', lockFile]);
  expect([ran.status, ran.stdout]).toEqual([1, expect.stringMatching(/rollout .* is gone/)]);
});

/** A lockfile made anew around something else, as whoever wrote it would seal it. */
const resealed = (change: (lock: Lock) => void): void => {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as Lock;
  change(lock);
  const { address: _, ...body } = lock;
  writeFileSync(lockFile, JSON.stringify(sealed(body)));
};

it('another version of Treadle is a difference, and the bytes decide', () => {
  resealed((lock) => {
    lock.version = '9.9.9';
  });
  expect(checked().differences).toEqual([
    { what: 'version', name: expect.stringContaining('Treadle 9.9.9, now '), is: 'changed' },
  ]);
  rmSync(join(corpus, 'rl-verl'), { recursive: true });
  run('rebuild', lockFile);
  expect(hashes(join(corpus, 'rl-verl'))).toEqual(hashes(join(made, 'rl-verl')));
});

it('rows that would not be the same are not kept', () => {
  resealed((lock) => {
    lock.exports.find(({ dir: at }) => at === 'rl-verl')!.files['README.md'] = 'a'.repeat(64);
  });
  rmSync(join(corpus, 'rl-verl'), { recursive: true });
  const ran = warm(['rebuild', lockFile]);
  expect([ran.status, ran.stdout]).toEqual([1, expect.stringContaining('export rl-verl/README.md changed')]);
  expect(readdirSync(corpus).filter((name) => name.startsWith('rl-verl'))).toEqual([]);
});

it('a folder without a corpus, and a corpus without worlds', () => {
  expect(errorLine(warm(['freeze', join(dir, 'none')]))).toMatch(/^error no_corpus: /);
  expect(errorLine(warm(['freeze', corpus, '--export', join(corpus, 'worlds')]))).toMatch(/^error missing_file: /);
  rmSync(join(corpus, 'worlds'), { recursive: true });
  expect(errorLine(warm(['freeze', corpus]))).toMatch(/^error no_world: /);
});
