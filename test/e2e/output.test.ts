/** What the executable prints: one JSON value with --json whatever happens, no colour off a terminal, help that is true. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scratch, treadle } from './cli.js';
import { warm } from './warm/warm.js';

const DOCUMENT = fileURLToPath(new URL('../fixtures/documents/verbs.yaml', import.meta.url));
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const dir = scratch();
const corpus = join(dir, 'corpus');
const COMMANDS = [
  'build',
  'author',
  'certify',
  'tasks',
  'add-task',
  'serve',
  'rollout',
  'difficulty',
  'review',
  'export',
  'show',
];

beforeAll(() => {
  const ran = warm(['build', DOCUMENT, '--tasks', '1', '--out', corpus]);
  expect(ran.status, ran.stderr).toBe(0);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('--json', () => {
  it.each([
    ['show', corpus],
    ['certify', corpus],
    ['tasks', corpus, '--tasks', '1'],
    ['rollout', corpus, '--policy', 'none'],
    ['difficulty', corpus, '--runs', '1'],
    // Nobody types: the end of the input is the end of the review.
    ['review', corpus],
    ['export', corpus],
    ['author', DOCUMENT],
    ['build', DOCUMENT, '--tasks', '1', '--out', corpus],
  ])('%s %s prints one value', (...args) => {
    const { stdout, status, stderr } = treadle([...args, '--json']);
    expect([0, 1], stderr).toContain(status);
    expect(typeof JSON.parse(stdout)).toBe('object');
    expect(JSON.parse(stdout)).not.toHaveProperty('error');
  });

  it.each([
    [['build', '  '], 'empty_brief'],
    [['build', 'a hotel', '--out', '/dev/null'], 'not_a_folder'],
    [['show', '--world', 'two'], 'bad_usage'],
    [['build'], 'bad_usage'],
    [['build', 'a hotel', '--what'], 'bad_usage'],
    [['what'], 'bad_usage'],
    [['author', 'nowhere.yaml'], 'missing_file'],
    [['certify', join(dir, 'none')], 'no_corpus'],
    [['tasks', corpus, '--world', 'none'], 'no_world'],
    [['serve', corpus, '--task', 'none'], 'unknown_record'],
    [['rollout', corpus, '--policy', 'model'], 'no_model'],
    [['rollout', corpus, '--policy', 'model', '--model', 'm', '--base-url', 'ftp://x'], 'bad_endpoint'],
    [['rollout', corpus, '--policy', 'what'], 'bad_usage'],
    [['review', corpus, '--each', '-1'], 'bad_option'],
    [['difficulty', corpus, '--rates', '0.1,2'], 'bad_option'],
    [['add-task', corpus, 'nowhere.yaml'], 'missing_file'],
    [['export', corpus, '--reviewed', 'all'], 'bad_usage'],
    [['show', corpus, 'none'], 'no_such_id'],
  ])('%j prints one error', (args, code) => {
    const { stdout, status, stderr } = treadle([...args, '--json']);
    expect(status, stderr).toBe(2);
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code, message: expect.any(String), next: expect.any(String) });
    expect(stderr).toMatch(new RegExp(`^error ${code}: .+\\n$`, 'm'));
  });
});

it.each([
  [['show', corpus]],
  [['show', corpus, '--json']],
  [['show', 'none', '--json']],
  [['certify', corpus, '--jsn']],
  [['certify', corpus, '--json']],
  [['what']],
  [[]],
  [['stats', '--help']],
])('%j says the same in a process that is warm, twice', (args) => {
  const alone = treadle(args);
  expect([warm(args), warm(args)]).toEqual([alone, alone]);
});

describe('off a terminal', () => {
  it.each([
    { label: 'as it is', env: { NO_COLOR: '' } },
    { label: 'with NO_COLOR', env: { NO_COLOR: '1' } },
  ])('there is no escape code, $label', ({ env }) => {
    for (const args of [['show', corpus], ['author', DOCUMENT], ['show', 'none'], ['--help']]) {
      const { stdout, stderr } = treadle(args, { env });
      expect([...(stdout + stderr)].filter((char) => char === '\u001b' || char === '\r')).toEqual([]);
    }
  });
});

describe('help', () => {
  it('names every command and the exit statuses', () => {
    const { stdout, status } = treadle(['--help']);
    expect(status).toBe(0);
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(stdout).toMatch(/Exit status: 0 done; 1 .*; 2 .*; 70 .*;\n130/);
  });

  it.each(COMMANDS)('%s has examples, whose options it takes', (name) => {
    const { stdout, status } = treadle([name, '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('--json');
    const [options = '', examples = ''] = stdout.split('Examples:');
    const commands = examples.split('\n').filter((line) => line.includes(`treadle ${name}`));
    expect(commands.length).toBeGreaterThanOrEqual(2);
    for (const [option] of commands.join(' ').matchAll(/--[a-z-]+/g)) expect(options).toContain(option);
  });

  it('the version is the package’s', () => expect(treadle(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/));
  it('no command at all is bad usage, with the help', () => {
    const { status, stderr } = treadle([]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/Usage: treadle/);
  });
});
