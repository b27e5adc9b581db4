import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Trace } from '../../artifacts/trace.js';
import { readIndex } from '../../corpus/catalog.js';
import { Corpus } from '../../corpus/corpus.js';
import { headOf } from '../../corpus/traces/line.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { became, isToRepeat, tallyOf } from './roll/tally.js';
import { keepTraces, type Rolled, readTraces } from './rollouts.js';

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-traces-'));
  corpus = Corpus.open(dir, true);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const rolled = async (index: number, change: Partial<Trace> = {}, pass = true): Promise<Rolled> => {
  const task = toyTask();
  const policy = referencePolicy(task);
  const trace = { ...(await rolloutTask({ host: toyHost(), task, policy, sample: { seed: '1', index } })), ...change };
  return { trace, verdict: toyVerdict(trace, pass) };
};
const dead: Partial<Trace> = {
  finish: 'error',
  problem: { code: 'endpoint_down', message: 'gone', fault: 'infrastructure' },
};

it('what disk, network or endpoint ended is counted apart', async () => {
  const all = [
    await rolled(0),
    await rolled(1, {}, false),
    await rolled(2, dead, false),
    // By luck the state was right already: still no pass.
    await rolled(3, { ...dead, finish: 'cut' }, true),
    await rolled(4, { finish: 'error', problem: { code: 'x', message: 'm', fault: 'policy' } }, false),
    await rolled(5, { finish: 'turn_limit' }, false),
  ];
  const heads = all.map(headOf);
  expect(heads.map((head) => became(head).outcome)).toEqual(['passed', 'failed', 'fault', 'cut', 'failed', 'failed']);
  expect(heads.map(isToRepeat)).toEqual([false, false, true, false, false, false]);
  expect(tallyOf(heads)).toEqual({
    rollouts: 6,
    unfinished: 2,
    passed: 1,
    cut: 1,
    faults: { infrastructure: 1 },
    problems: { endpoint_down: 2, x: 1 },
    behaviour: { truncation: 1 },
  });
  expect(tallyOf([])).toEqual({ rollouts: 0, unfinished: 0, passed: 0 });
});

it('traces are kept in order; those made again replace the old', async () => {
  const model = { producer: { policy: 'model' as const, name: 'qwen' } };
  keepTraces(corpus, 'w', [await rolled(0), await rolled(1, { ...model, ...dead }, false)]);
  const again = await rolled(0, {}, false);
  keepTraces(corpus, 'w', [again]);
  const kept = readTraces(corpus, 'w');
  expect(kept).toHaveLength(2);
  expect(kept.at(-1)).toEqual(again);
  const counts = JSON.parse(readFileSync(corpus.path('traces', 'w.summary.json'), 'utf8'));
  expect(counts).toEqual({
    rollouts: 2,
    unfinished: 1,
    passed: 0,
    faults: { infrastructure: 1 },
    problems: { endpoint_down: 1 },
    producers: {
      qwen: {
        rollouts: 1,
        unfinished: 1,
        passed: 0,
        faults: { infrastructure: 1 },
        problems: { endpoint_down: 1 },
      },
      reference: { rollouts: 1, unfinished: 0, passed: 0 },
    },
  });
  expect(readIndex(corpus).worlds).toEqual([]);
});

it('a line cut off at the end is left out, nonsense before it is refused', async () => {
  keepTraces(corpus, 'w', [await rolled(0), await rolled(1)]);
  const path = corpus.path('traces', 'w.jsonl');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, -50));
  expect(readTraces(corpus, 'w')).toHaveLength(1);
  writeFileSync(path, `${text.slice(0, 40)}\n${text}`);
  expect(() => readTraces(corpus, 'w')).toThrow();
  expect(readTraces(corpus, 'none')).toEqual([]);
});
