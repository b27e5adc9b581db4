/** Figures, thresholds, baselines and JUnit of a test, whatever agents write. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml } from '../../../test/e2e/xml.js';
import { testCommand } from '../commands/test.js';
import { baselineOf, chanceOfSoFew, compare, readBaseline, saveBaseline } from './baseline.js';
import { estimates, passAtK, passHatK } from './estimate.js';
import { junitXml, xmlText } from './junit.js';
import { type TestedTask, type TestRun, totalsOf } from './result.js';
import { checkThresholds, hatThreshold, verdictOf } from './verdict.js';

const run = (n: number, outcome: TestRun['outcome'], more: Partial<TestRun> = {}): TestRun => ({
  run: n,
  outcome,
  seconds: 1.5,
  calls: 3,
  checks: [],
  ...more,
});
/** `P` passed, `F` failed, `E` error. */
const tested = (task: string, outcomes: string, more: Partial<TestedTask> = {}): TestedTask => ({
  task,
  hash: 'a'.repeat(64),
  world: 'w',
  kind: 'atomic',
  runs: [...outcomes].map((letter, i) =>
    run(i + 1, letter === 'P' ? 'passed' : letter === 'F' ? 'failed' : 'error', { why: 'because', type: 'check' }),
  ),
  ...more,
});

describe('pass^k and pass@k', () => {
  it('are the shares of draws of k runs that all pass, and of which one does', () => {
    const draws = (n: number, k: number): number[][] =>
      k === 0 ? [[]] : n < k ? [] : [...draws(n - 1, k), ...draws(n - 1, k - 1).map((draw) => [...draw, n])];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(8), fc.integer({ min: 1, max: 8 }), (n, c, k) => {
        const passed = Math.min(c, n);
        if (k > n) return;
        const all = draws(n, k);
        const isPass = (i: number): boolean => i <= passed;
        expect(passHatK(passed, n, k)).toBeCloseTo(all.filter((draw) => draw.every(isPass)).length / all.length, 10);
        expect(passAtK(passed, n, k)).toBeCloseTo(all.filter((draw) => draw.some(isPass)).length / all.length, 10);
      }),
    );
  });
  it('are means over the tasks that ran often enough, with intervals that hold them', () => {
    const found = estimates(
      [
        { runs: 4, passed: 4 },
        { runs: 4, passed: 2 },
        { runs: 1, passed: 1 },
        { runs: 0, passed: 0 },
      ],
      4,
    );
    expect(found.map(({ tasks }) => tasks)).toEqual([3, 2, 2, 2]);
    expect(found.map(({ hat }) => Number(hat.toFixed(4)))).toEqual([0.8333, 0.5833, 0.5, 0.5]);
    expect(found.map(({ at }) => Number(at.toFixed(4)))).toEqual([0.8333, 0.9167, 1, 1]);
    for (const { hat, hatInterval } of found) {
      expect(hatInterval.low).toBeLessThanOrEqual(hat);
      expect(hatInterval.high).toBeGreaterThanOrEqual(hat);
    }
    expect(estimates([], 2).map(({ tasks, hat, hatInterval }) => [tasks, hat, hatInterval])).toEqual([
      [0, 0, { low: 0, high: 1 }],
      [0, 0, { low: 0, high: 1 }],
    ]);
  });
  it('count no errors', () => {
    const totals = totalsOf([tested('a', 'PPE'), tested('b', 'FFF'), tested('c', 'PPP'), tested('d', 'EEE')], 3);
    expect(totals).toMatchObject({ tasks: 4, runs: 12, passed: 5, failed: 3, errors: 4, passRate: 5 / 8, solid: 1 });
    expect(totals.estimates.map(({ tasks }) => tasks)).toEqual([3, 3, 2]);
  });
});

describe('passed or not', () => {
  const status = (
    tasks: TestedTask[],
    ...[thresholds = { passHatK: new Map() }, before]: Partial<Asked>
  ): [number, string] => {
    const verdict = verdictOf(totalsOf(tasks, 3), thresholds, before ? compare(before, tasks) : undefined);
    return [verdict.status, verdict.reasons.join('; ')];
  };
  type Asked = [Parameters<typeof verdictOf>[1], ReturnType<typeof baselineOf>];

  it('is every run where nothing else is asked', () => {
    expect(status([tested('a', 'PPP')])).toEqual([0, '']);
    expect(status([tested('a', 'PPF')])).toEqual([1, '1 of 3 runs failed']);
    expect(status([tested('a', 'PPE')])).toEqual([2, '1 of 3 runs were errors, not failures']);
    expect(status([tested('a', 'PFE')])[0]).toBe(1);
  });
  it('is the thresholds where there are some', () => {
    const tasks = [tested('a', 'PPP'), tested('b', 'PPF')];
    expect(status(tasks, { passRate: 0.8, passHatK: new Map() })[0]).toBe(0);
    expect(status(tasks, { passRate: 0.9, passHatK: new Map() })).toEqual([1, 'pass rate 0.833 is below 0.900']);
    expect(status(tasks, { passHatK: hatThreshold('3=0.5') })[0]).toBe(0);
    expect(status(tasks, { passHatK: hatThreshold('3=.6', hatThreshold('1=0.1')) })[1]).toBe(
      'pass^3 is 0.500, below 0.600',
    );
    expect(status([tested('a', 'PEE')], { passHatK: hatThreshold('2=0.1') })[1]).toContain('pass^2 is not known');
    for (const bad of ['3', '0=0.5', '3=2', '3=-1', 'a=b', '', '3=0.5=1'])
      expect(() => hatThreshold(bad)).toThrow(expect.objectContaining({ code: 'bad_option' }));
    expect(() => checkThresholds({ passHatK: new Map([[4, 1]]) }, 3)).toThrow(
      expect.objectContaining({ code: 'bad_option' }),
    );
  });
  it('is that no task regressed, where there is a baseline', () => {
    const before = baselineOf('x', 3, [tested('a', 'PPP'), tested('b', 'PFF'), tested('c', 'PPF')]);
    expect(status([tested('a', 'PPP'), tested('b', 'FFF'), tested('c', 'PFF')], undefined, before)[0]).toBe(0);
    expect(status([tested('a', 'PPF')], undefined, before)).toEqual([1, '1 task regressed']);
  });
});

describe('a baseline', () => {
  it('names what is worse, better, changed, missing and new', () => {
    const before = baselineOf(
      'x',
      5,
      ['a', 'b', 'c', 'd', 'e'].map((id) => tested(id, id === 'b' ? 'PFFFF' : 'PPPPP')),
    );
    const now = [
      tested('a', 'PPPPF'),
      tested('b', 'PPPPP'),
      tested('c', 'PPPPP', { hash: 'b'.repeat(64) }),
      tested('d', 'EEEEE'),
      tested('f', 'FFFFF'),
    ];
    const { worse, better, changed, notRun, added } = compare(before, now);
    expect(worse.map(({ task, isRegression }) => [task, isRegression])).toEqual([['a', true]]);
    expect(better.map(({ task }) => task)).toEqual(['b']);
    expect([changed, notRun, added]).toEqual([['c'], ['e'], ['f']]);
  });
  it('takes a fall that chance does not explain for a regression too', () => {
    expect(chanceOfSoFew({ runs: 5, passed: 5 }, { runs: 5, passed: 0 })).toBeCloseTo(1 / 252, 10);
    expect(chanceOfSoFew({ runs: 5, passed: 2 }, { runs: 5, passed: 2 })).toBeGreaterThan(0.5);
    expect(chanceOfSoFew({ runs: 3, passed: 0 }, { runs: 3, passed: 0 })).toBe(1);
    const before = baselineOf('x', 20, [tested('a', `${'P'.repeat(19)}F`)]);
    expect(compare(before, [tested('a', `PP${'F'.repeat(18)}`)]).worse[0]).toMatchObject({ isRegression: true });
    expect(compare(before, [tested('a', `${'P'.repeat(18)}FF`)]).worse[0]).toMatchObject({ isRegression: false });
  });
  it('is saved and read, and another file is refused', () => {
    const dir = mkdtempSync(join(tmpdir(), 'treadle-baseline-'));
    const file = join(dir, 'b.json');
    const saved = baselineOf('x', 1, [tested('a', 'P')]);
    saveBaseline(file, saved);
    expect(readBaseline(file)).toEqual(saved);
    writeFileSync(file, '{"treadle": "corpus/1"}');
    for (const bad of [file, join(dir, 'none.json')])
      expect(() => readBaseline(bad)).toThrow(expect.objectContaining({ code: 'no_baseline' }));
    rmSync(dir, { recursive: true });
  });
});

describe('JUnit', () => {
  const HOSTILE = `]]> <b a="1">&amp; 'q' \u0000\u0008\u001b[31m \ud800 \uffff \u{1f600} é\r\n\ttail`;
  it('has a suite a world and a case a run, failures apart from errors', () => {
    const xml = junitXml([tested('a', 'PF'), tested('b', 'E', { world: 'v' })], 'n', { pass_hat_1: '0.5' });
    const root = readXml(xml);
    expect(root.attributes).toMatchObject({ tests: '3', failures: '1', errors: '1' });
    expect(root.children.map(({ attributes }) => attributes.name)).toEqual(['w', 'v']);
    const [first, second] = root.children.map(({ children }) => children.filter(({ name }) => name === 'testcase'));
    expect(first?.[0]).toMatchObject({
      attributes: { name: 'a [run 1]', classname: 'w', time: '1.500' },
      children: [],
    });
    expect(first?.[1]?.children[0]).toMatchObject({
      name: 'failure',
      attributes: { message: 'because', type: 'check' },
    });
    expect(second?.[0]?.children[0]?.name).toBe('error');
  });
  it('holds whatever agents, tools and worlds write', () => {
    const check = { milestone: HOSTILE, check: HOSTILE, asked: HOSTILE, evidence: HOSTILE };
    const bad = run(1, 'failed', {
      why: HOSTILE,
      type: HOSTILE,
      divergence: HOSTILE,
      stderr: HOSTILE,
      trace: HOSTILE,
      checks: [check],
    });
    const xml = junitXml([tested(HOSTILE, '', { world: HOSTILE, runs: [bad] })], HOSTILE, { [HOSTILE]: HOSTILE });
    const [suite] = readXml(xml).children;
    const shown = [...HOSTILE]
      .map((char) => ('\u0000\u0008\u001b\ud800\uffff'.includes(char) ? '\ufffd' : char))
      .join('');
    expect(suite?.attributes.name).toBe(shown);
    expect(suite?.children.at(-1)?.children.map(({ text }) => text.includes(shown))).toEqual([true, true]);
    expect(xmlText('a<b>&"\u0000')).toBe('a&lt;b&gt;&amp;&quot;\ufffd');
  });
  it('is whole without a task', () => {
    expect(readXml(junitXml([], 'n', {})).attributes.tests).toBe('0');
  });
});

describe('bad input', () => {
  it.each([
    [['--agent', 'ls', '--policy', 'none'], 'bad_option'],
    [['--agent', 'no-such-program-here'], 'cannot_start'],
    [['--agent', "ls 'x"], 'bad_command'],
    [['--agent', ''], 'bad_command'],
    [['--agent', 'ls {model}'], 'bad_command'],
    [['--agent', 'ls {secret}'], 'bad_command'],
    [['--agent', 'ls', '--model', 'm'], 'no_model'],
    [['--agent', 'ls', '--user', 'simulated'], 'bad_option'],
    [['--agent', 'ls', '--min-pass-hat-k', '9=0.5'], 'bad_option'],
    [['--agent', 'ls', '--min-pass-rate', '2'], 'bad_option'],
    [['--agent', 'ls', '--repeat', '0'], 'bad_option'],
    [['--agent', 'ls', '--baseline', 'nix.json'], 'no_baseline'],
    [['--agent', 'ls'], 'no_corpus'],
    [['--agent-url', 'ftp://x'], 'bad_option'],
    [['--policy', 'model'], 'no_model'],
  ])('%j is %s', async (args, code) => {
    await expect(testCommand().parseAsync(['nowhere', ...args], { from: 'user' })).rejects.toMatchObject({ code });
  });
});
