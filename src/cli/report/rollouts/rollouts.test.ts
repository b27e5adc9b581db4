/** The report on rollouts: counted right, bounded, and text is text whatever it holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHtml } from '../../../../test/e2e/tree.js';
import { toyHost, toyTask, toyVerdict } from '../../../../test/rollout/toy.js';
import type { Trace } from '../../../artifacts/trace.js';
import type { Verdict } from '../../../artifacts/verdict.js';
import { Corpus } from '../../../corpus/corpus.js';
import { headOf, type TraceLine } from '../../../corpus/traces/line.js';
import { referencePolicy } from '../../../rollout/agents/reference.js';
import { rolloutTask } from '../../../rollout/rollout.js';
import { keepTraces } from '../../pipeline/rollouts.js';
import { callsAt, RolloutFigures } from './figures.js';
import { gatherRollouts } from './gather.js';
import { percent, ratePlot, rateWords } from './rate-plot.js';
import { rolloutSection } from './section.js';
import { TellingFailures } from './telling.js';

const HOSTILE = '<script>alert("x")</script>\u0000\u001b[31m & \'quoted\' \ud800';
const LISTED = { profile: 'atomic', referenceCalls: 3 };

let dir: string;
let corpus: Corpus;
let base: Trace;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-report-'));
  corpus = Corpus.open(dir, true);
  const task = toyTask();
  base = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task) });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

let made = 0;
const line = (change: Partial<Trace> = {}, pass = true, verdict: Partial<Verdict> = {}): TraceLine => {
  const id = `${(made++).toString(16).padStart(8, '0')}${'0'.repeat(56)}`;
  const trace: Trace = { ...base, id, producer: { policy: 'scripted', name: 'wrong_entity@1' }, ...change };
  return { trace, verdict: { ...toyVerdict(trace, pass), ...verdict } };
};
const model = { producer: { policy: 'model' as const, name: 'qwen' } };
const down = { finish: 'error' as const, problem: { code: 'endpoint_down', message: 'gone', fault: 'infrastructure' } };

describe('figures', () => {
  it('keep what passed, failed, was cut and broke apart, and dropped attempts out of every rate', () => {
    const figures = new RolloutFigures();
    const negative = { kind: 'negative' as const, rollout: 'r', node: 'n1', attempt: 1, from: 2 };
    const prefix = { kind: 'prefix' as const, retries: 3, stages: [] };
    const all = [
      line(),
      line({}, false),
      line({ finish: 'cut' }, false),
      line(down, false),
      line({}, false, { fault: 'verifier' }),
      line({ ...model, user: 'simulated', detail: 'vague' }),
      line({ producer: { policy: 'reference', name: 'reference' } }),
      line({ origin: negative }, false),
      line({ origin: prefix }),
      line({ producer: { policy: 'harness', name: 'openclaw', model: 'm1' } }, false),
    ];
    for (const one of all) figures.add(headOf(one), LISTED);
    expect(figures.rollouts).toBe(10);
    expect(figures.dropped).toBe(1);
    expect(figures.actors.get('scripted')?.outcomes).toEqual({
      passed: 1,
      failed: 1,
      cut: 1,
      faults: { infrastructure: 1, verifier: 1 },
    });
    expect([...figures.actors.keys()]).toEqual([
      'scripted',
      'model qwen',
      'reference',
      'scripted, prefix-preserving',
      'harness openclaw with m1',
    ]);
    // Without the reference.
    expect(figures.by.profile.get('atomic')).toMatchObject({ passed: 3, failed: 2 });
    expect(figures.by.view.get('simulated user, vague')).toMatchObject({ passed: 1 });
    expect([...figures.by.harness.keys()]).toEqual(['our own loop', 'openclaw']);
  });

  it('count calls and those that failed, by tool and fault', () => {
    const figures = new RolloutFigures();
    const [first, ...rest] = base.ledger;
    const failed = { ...(first as Trace['ledger'][number]), ok: false, error: { code: 'x', fault: 'agent' as const } };
    for (const ledger of [[failed, ...rest], base.ledger]) {
      const one = line({ ledger, usage: { turns: 4, calls: 3 } });
      figures.add(headOf(one), LISTED);
      figures.addWhole(one);
    }
    expect(figures.actors.get('scripted')).toMatchObject({
      made: 6,
      failed: { agent: 1 },
      compared: 6,
      referenceCalls: 6,
    });
    expect(figures.tools.get('list_invoices')).toEqual({ made: 2, failed: 1 });
    expect(callsAt({ byCount: [1, 0, 5, 0, 4] }, 0.5)).toBe(2);
    expect(callsAt({ byCount: [1, 0, 5, 0, 4] }, 0.9)).toBe(4);
    expect(callsAt({ byCount: [] }, 0.5)).toBe(0);
    const sparse: number[] = [];
    sparse[7] = 2;
    expect(callsAt({ byCount: sparse }, 0.1)).toBe(7);
  });
});

describe('telling failures', () => {
  const checks = (good: number, bad: number, kind: string) => [
    ...Array.from({ length: bad }, (_, n) => ({ check: `b${n}`, kind, pass: false, evidence: 'no' })),
    ...Array.from({ length: good }, (_, n) => ({ check: `g${n}`, kind: 'equals', pass: true, evidence: 'yes' })),
  ];
  const failed = (good: number, bad: number, kind: string, change: Partial<Trace> = {}): TraceLine =>
    line(change, false, { milestones: [{ id: 'm1', pass: false, checks: checks(good, bad, kind) }] });

  it('are near misses first, unlike one another, and none of passes, faults, references and dropped attempts', () => {
    const telling = new TellingFailures();
    const near = failed(9, 1, 'equals');
    const other = failed(5, 5, 'answer', { taskId: 'other-task' });
    for (const one of [
      failed(1, 9, 'equals'),
      near,
      failed(8, 2, 'equals'),
      other,
      line(),
      line(down, false),
      failed(9, 1, 'equals', { producer: { policy: 'reference', name: 'reference' } }),
      failed(9, 1, 'equals', { origin: { kind: 'negative', rollout: 'r', node: 'n', attempt: 1, from: 1 } }),
    ])
      telling.add(one, 'w', 'action');
    expect(telling.chosen().map(({ trace }) => trace)).toEqual([near.trace.id, other.trace.id]);
    expect(telling.chosen(1)).toHaveLength(1);
  });

  it('are bounded, and the same whatever order they come in', () => {
    const lines = Array.from({ length: 900 }, (_, n) =>
      failed(n % 7, 1 + (n % 3), `kind${n % 600}`, { taskId: `task-${n}` }),
    );
    const chosen = (all: readonly TraceLine[]): string[] => {
      const telling = new TellingFailures();
      for (const one of all) telling.add(one, 'w', 'action');
      return telling.chosen().map(({ trace }) => trace);
    };
    expect(chosen(lines)).toHaveLength(10);
    expect(chosen([...lines].reverse())).toEqual(chosen(lines));
  });
});

describe('the section', () => {
  it('is nothing without rollouts', () => {
    expect(rolloutSection(corpus, ['w'])).toBe('');
    expect(rolloutSection(corpus, [])).toBe('');
  });

  it('shows hostile text as text, and is well formed', () => {
    const evil = {
      taskId: HOSTILE,
      answer: HOSTILE,
      messages: [{ role: 'user' as const, content: HOSTILE }],
      ledger: base.ledger.map((entry) => ({
        ...entry,
        tool: HOSTILE,
        ok: false,
        error: { code: HOSTILE, fault: 'agent' as const },
      })),
    };
    const evidence = [{ check: 'c1', kind: HOSTILE, pass: false, evidence: HOSTILE }];
    keepTraces(corpus, 'w', [
      line({ ...evil, producer: { policy: 'model', name: HOSTILE } }, false, {
        milestones: [{ id: 'm1', pass: false, checks: evidence }],
      }),
      line({ ...evil, producer: { policy: 'harness', name: HOSTILE, model: HOSTILE } }),
      line({ finish: 'error', problem: { code: 'c', message: 'm', fault: HOSTILE } }, false),
    ]);
    const html = rolloutSection(corpus, ['w']);
    const { fault, tags, attributes } = readHtml(html);
    expect(fault).toBeUndefined();
    expect(tags.has('script')).toBe(false);
    expect([...attributes].filter((name) => name.startsWith('on'))).toEqual([]);
    expect(html).toContain('&lt;script&gt;');
    expect(html.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}]/u);
  });

  it('says of a task that is gone what is known without it', () => {
    keepTraces(corpus, 'w', [line({}, false), line(), line({ producer: { policy: 'reference', name: 'reference' } })]);
    const html = rolloutSection(corpus, ['w']);
    expect(html).toContain('What became of 3 rollouts');
    expect(html).toContain('tasks that were replaced');
    expect(html).toContain('50.0 % (9.5 to 90.5) of 2');
    expect(html).toContain('100.0 % (20.7 to 100.0) of 1');
  });

  it('reads so many rollouts whole and no more', () => {
    keepTraces(
      corpus,
      'w',
      Array.from({ length: 40 }, (_, n) =>
        line({ id: `${((n * 2 ** 32) / 40).toString(16).split('.')[0]?.padStart(8, '0')}` }, n % 2 === 0),
      ),
    );
    const { figures } = gatherRollouts(corpus, ['w'], 10);
    expect(figures.rollouts).toBe(40);
    expect(figures.whole).toBe(10);
    expect(gatherRollouts(corpus, ['w']).figures.whole).toBe(40);
  });
});

it('rates are drawn with their intervals, none of nothing', () => {
  const plot = ratePlot('t <i>', [
    { label: HOSTILE, found: 3, of: 4 },
    { label: 'none', found: 0, of: 0 },
  ]);
  expect(readHtml(plot).fault).toBeUndefined();
  expect(plot).toContain('75.0 % (30.1 to 95.4) of 4');
  expect(plot).not.toContain('NaN');
  expect(ratePlot('t', [{ label: 'none', found: 0, of: 0 }])).toBe('');
  const many = Array.from({ length: 30 }, (_, n) => ({ label: `l${n}`, found: 1, of: 2 }));
  expect(ratePlot('t', many)).toContain('and 14 more');
  expect([percent(1 / 3), rateWords({ found: 0, of: 0 })]).toEqual(['33.3', 'none']);
});
