import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Captured, captureStreams } from '../../test/fixtures/streams.js';
import { makeUi, styled, warn } from './ui.js';

let said: Captured;
const terminal = (on: boolean): void => {
  Object.defineProperty(process.stdout, 'isTTY', { value: on, configurable: true });
  Object.defineProperty(process.stderr, 'isTTY', { value: on, configurable: true });
};
const before = [process.stdout.isTTY, process.stderr.isTTY] as const;

beforeEach(() => {
  said = captureStreams();
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Object.defineProperty(process.stdout, 'isTTY', { value: before[0], configurable: true });
  Object.defineProperty(process.stderr, 'isTTY', { value: before[1], configurable: true });
});

const ESC = '\u001b';

describe('on a terminal', () => {
  beforeEach(() => terminal(true));

  it('colours, unless asked not to', () => {
    expect(styled(process.stdout, 'red', 'x')).toContain(ESC);
    vi.stubEnv('NO_COLOR', '1');
    expect(styled(process.stdout, 'red', 'x')).toBe('x');
    vi.stubEnv('NO_COLOR', '');
    vi.stubEnv('TERM', 'dumb');
    expect(styled(process.stdout, 'red', 'x')).toBe('x');
  });

  it('progress overwrites itself, and whatever comes next clears it', () => {
    const ui = makeUi(false);
    ui.progress('one\nline');
    ui.progress('two');
    ui.step('done');
    expect(said.err).toBe(`\r${ESC}[Kone line\r${ESC}[Ktwo\r${ESC}[Kdone\n`);
    ui.progress('three');
    warn('trouble');
    expect(said.err.endsWith(`three\r${ESC}[Ktrouble\n`)).toBe(true);
    ui.step('on');
    expect(said.err.endsWith('trouble\non\n')).toBe(true);
  });

  it('progress never wraps', () => {
    makeUi(false).progress('x'.repeat(5000));
    expect(said.err.length).toBeLessThan(process.stderr.columns ? process.stderr.columns + 5 : 110);
    warn('');
  });
});

it('data is JSON in which nothing steers a terminal', () => {
  const value = { text: `${ESC}[2J\u009b31m\u202eabc\u007f é` };
  makeUi(true).give(value);
  expect(said.out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(said.out).toContain('é');
  expect(JSON.parse(said.out)).toEqual(value);
});

describe('off a terminal', () => {
  beforeEach(() => terminal(false));

  it('prints plain text and no progress', () => {
    const ui = makeUi(false);
    ui.progress('working');
    ui.step('done');
    ui.say(ui.style('green', 'result'));
    ui.give({ never: 'shown' });
    expect([said.out, said.err]).toEqual(['result\n', 'done\n']);
  });

  it('with json, only the value goes to stdout', () => {
    const ui = makeUi(true);
    ui.say('words');
    ui.step('done');
    ui.give({ a: 1 });
    expect([JSON.parse(said.out), said.err]).toEqual([{ a: 1 }, 'done\n']);
  });

  it('quiet says nothing but warnings', () => {
    const ui = makeUi(false, true);
    ui.progress('a');
    ui.step('b');
    ui.say('c');
    warn('d');
    expect([said.out, said.err]).toEqual(['', 'd\n']);
  });
});
