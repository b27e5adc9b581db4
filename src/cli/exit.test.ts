import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Captured, captureStreams } from '../../test/fixtures/streams.js';
import { type Fault, TreadleError } from '../errors.js';
import { exitStatusOf, fail } from './exit.js';

let said: Captured;
beforeEach(() => {
  said = captureStreams();
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const error = (fault: Fault, code = 'some_code'): TreadleError =>
  new TreadleError({ code, message: 'It is wrong', value: 'x', next: 'Do this.', fault });

describe('the exit status', () => {
  it.each([
    [error('input'), 2],
    [error('infrastructure'), 2],
    [error('model'), 2],
    [error('world'), 70],
    [error('verifier'), 70],
    [error('input', 'unexpected'), 70],
    [error('input', 'interrupted'), 130],
  ])('of %j is %i', (thrown, status) => expect(exitStatusOf(thrown)).toBe(status));
});

describe('an error', () => {
  it('is one line with code, value and next step', () => {
    fail(error('input'), false);
    expect([said.out, said.err, process.exitCode]).toEqual(['', 'error some_code: It is wrong (x). Do this.\n', 2]);
  });

  it('with json is one value on stdout too', () => {
    fail(error('input'), true);
    expect(JSON.parse(said.out)).toEqual({
      error: {
        code: 'some_code',
        message: 'It is wrong',
        value: 'x',
        next: 'Do this.',
        fault: 'input',
        isRetryable: false,
      },
    });
  });

  it('that nobody foresaw is a defect, in one line, without a stack', () => {
    fail(new TypeError('x is not\na function'), false);
    expect(process.exitCode).toBe(70);
    expect(said.err).toMatch(/^error unexpected: x is not a function.*report.*\n$/);
    expect(said.err).not.toMatch(/ at /);
  });

  it('shows its stack when asked to', () => {
    vi.stubEnv('TREADLE_DEBUG', '1');
    fail(new TypeError('odd'), false);
    vi.unstubAllEnvs();
    expect(said.err).toMatch(/TypeError: odd\n\s+at /);
  });

  it.each(['text', undefined, null, 7])('that is none is one as well: %j', (thrown) => {
    fail(thrown, true);
    expect(JSON.parse(said.out).error.code).toBe('unexpected');
  });

  it('keeps what the user typed from steering the terminal', () => {
    const typed = 'a\u001b[2J\u0007\r\u202eb';
    fail(new TreadleError({ code: 'no_world', message: 'No such world', value: typed }), false);
    expect([...said.err].filter((char) => '\u001b\u0007\r\u202e'.includes(char))).toEqual([]);
    expect(said.err.split('\n')).toHaveLength(2);
  });
});
