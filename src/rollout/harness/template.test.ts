import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram, installations, isTooMuch, searchPath } from './search-path.js';
import { commandHarness, PLACE_NAMES } from './template.js';
import type { HarnessPlace } from './types.js';
import { wordsOf } from './words.js';

const place = (task: string): HarnessPlace => ({
  task,
  system: 's',
  model: 'm',
  openaiBaseUrl: 'o',
  anthropicBaseUrl: 'a',
  modelToken: 't',
  mcpUrl: 'u',
  mcpToken: 'k',
  workdir: '/w',
  timeoutSeconds: 9,
});
const code = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

describe('words', () => {
  it.each([
    ['a b  c', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`a ''`, ['a', '']],
    [`a\\ b 'it''s' "say \\"x\\""`, ['a b', 'its', 'say "x"']],
    [`sh -c 'echo "$HOME" | wc -l; \\n'`, ['sh', '-c', 'echo "$HOME" | wc -l; \\n']],
    ['a\tb\nc', ['a', 'b', 'c']],
    ['é 漢字', ['é', '漢字']],
  ])('%s', (line, words) => expect(wordsOf(line)).toEqual(words));
  it.each(['', '   ', "a 'b", 'a "b', "''"])('%j is no command', (line) => {
    expect(code(() => wordsOf(line))).toBe('bad_command');
  });
});

describe('a template', () => {
  it('fills places in, once, and leaves what a task says alone', () => {
    const { args } = commandHarness('a --t={task} {workdir}/x {timeout} {"json":1}').command(
      place('{mcp_token} $& $1 "q" \\'),
    );
    expect(args).toEqual(['--t={mcp_token} $& $1 "q" \\', '/w/x', '9', '{json:1}']);
  });

  it('knows every place and refuses others', () => {
    const line = `a ${PLACE_NAMES.map((name) => `{${name}}`).join(' ')}`;
    expect(commandHarness(line).command(place('x')).args).toEqual(['x', 's', 'm', 'o', 'a', 't', 'u', 'k', '/w', '9']);
    expect(code(() => commandHarness('a {tasks}'))).toBe('bad_command');
    expect(code(() => commandHarness('a {constructor}'))).toBe('bad_command');
  });

  it('takes a path to its program from where it was written, and shows what lies beside what it names', () => {
    const dir = mkdtempSync(join(tmpdir(), 'treadle-template-'));
    mkdirSync(join(dir, 'lib'));
    writeFileSync(join(dir, 'lib', 'agent.py'), '');
    const made = commandHarness(`./run.sh ${join(dir, 'lib', 'agent.py')} ${dir}/nothing`, dir).command(place('x'));
    expect(made.command).toBe(join(dir, 'run.sh'));
    expect(made.reads).toEqual([join(dir, 'lib')]);
    rmSync(dir, { recursive: true });
  });
});

describe('the search path', () => {
  it('finds programs, and nothing else of that name', () => {
    const dir = mkdtempSync(join(tmpdir(), 'treadle-path-'));
    mkdirSync(join(dir, 'folder'));
    writeFileSync(join(dir, 'text'), '');
    writeFileSync(join(dir, 'program'), '', { mode: 0o755 });
    expect(findProgram('program', [dir])).toBe(join(dir, 'program'));
    expect(['folder', 'text', 'absent', ''].map((name) => findProgram(name, [dir]))).toEqual(Array(4).fill(undefined));
    expect(findProgram(join(dir, 'program'), [])).toBe(join(dir, 'program'));
    rmSync(dir, { recursive: true });
  });

  it('has absolute folders only, its own first', () => {
    expect(searchPath(['/a'], '/b::./c:/d')).toEqual(['/a', '/b', '/d']);
  });

  it('shows installations, and never a home folder or the whole disk', () => {
    const home = homedir();
    expect(installations([`${home}/.pyenv/shims`, '/usr/local/bin', `${home}/bin`, home, '/', '/bin'])).toEqual([
      `${home}/.pyenv`,
      '/usr/local',
      `${home}/bin`,
      '/bin',
    ]);
    expect([home, '/', `${home}/x`].map(isTooMuch)).toEqual([true, true, false]);
  });
});
