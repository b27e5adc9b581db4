import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { LedgerEntry, Trace } from '../../artifacts/trace.js';
import { Corpus } from '../../corpus/corpus.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { rolloutTask } from '../../rollout/rollout.js';
import { keepTraces, type Rolled } from './rollouts.js';
import { scoreCorpus } from './score.js';

let dir: string;
let corpus: Corpus;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'treadle-score-'));
  corpus = Corpus.open(dir, true);
  vi.spyOn(corpus, 'readTasks').mockReturnValue({ tasks: [toyTask()], certificates: {} } as never);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

let made = 0;
const rolled = async (change: Partial<Trace>, pass = true): Promise<Rolled> => {
  const task = toyTask();
  const sample = { seed: '1', index: made++ };
  const trace = await rolloutTask({ host: toyHost(), task, policy: referencePolicy(task), sample });
  const changed = { ...trace, ...change };
  return { trace: changed, verdict: toyVerdict(changed, pass) };
};
const under = (...rules: string[]): Pick<Trace, 'faults'> => ({ faults: { rules, seed: '1' } });
const entry = (index: number, over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  index,
  service: 'billing',
  tool: 't',
  toolVersion: '',
  args: {},
  ok: true,
  result: {},
  touched: [],
  at: 0,
  ...over,
});
const struck = entry(0, {
  ok: false,
  error: { code: 'busy', fault: 'injected' },
  injected: { profile: 'P1', rule: '*=P1' },
});
const calls = (n: number, ...first: LedgerEntry[]): LedgerEntry[] => [
  ...first,
  ...Array.from({ length: n - first.length }, (_, i) => entry(first.length + i)),
];

it('counts runs by who acted and what was made to fail, and leaves apart what says nothing of them', async () => {
  const invalid = entry(0, { ok: false, error: { code: 'unknown_tool', fault: 'agent' } });
  keepTraces(corpus, 'w', [
    await rolled({ ledger: calls(4, invalid) }),
    await rolled({ ledger: calls(3) }, false),
    await rolled({ ...under('*=P1'), ledger: calls(4, struck) }),
    await rolled({ ...under('*=P1'), ledger: calls(3) }),
    await rolled({ ...under('*=P1', 'a=P4') }),
    await rolled({ finish: 'cut', problem: { code: 'deadline', message: 'm', fault: 'infrastructure' } }, false),
    await rolled({ task: '0'.repeat(64) }),
    await rolled({ producer: { policy: 'model', name: 'qwen' } }),
  ]);
  const [qwen, reference] = scoreCorpus(corpus, ['w']);
  expect(qwen).toMatchObject({
    producer: 'qwen',
    runs: 1,
    apart: 0,
    mixed: 0,
    stale: 0,
    faults: { np: { value: 100 } },
  });
  expect(reference).toMatchObject({ producer: 'reference', runs: 5, apart: 1, mixed: 1, stale: 1 });
  expect(reference?.faults.np).toMatchObject({ value: 50, n: 2 });
  expect(reference?.faults.profiles.P1).toMatchObject({
    tsr: { value: 100, n: 2 },
    prr: { value: 100, n: 1 },
    // One call more than the reference's three, of 27 more that it may have.
    rc: { n: 1, value: expect.closeTo(100 / 27) },
  });
  // Runs under faults are none of the cost's: one correct run, one call dear, of 7 calls one that no tool took.
  expect(reference?.cost).toMatchObject({
    costGap: { value: 1, n: 1 },
    tcr: { value: 50 },
    itur: { n: 7, value: expect.closeTo(100 / 7) },
  });
});

it('of no rollouts is nothing', () => expect(scoreCorpus(corpus, ['w'])).toEqual([]));
