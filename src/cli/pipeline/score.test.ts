import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toyHost, toyTask, toyVerdict } from '../../../test/rollout/toy.js';
import type { Scenario, ScenarioEvent } from '../../artifacts/scenario.js';
import type { Call } from '../../artifacts/task.js';
import type { LedgerEntry, Trace, TraceEvent } from '../../artifacts/trace.js';
import type { Verdict } from '../../artifacts/verdict.js';
import { Corpus } from '../../corpus/corpus.js';
import { writeScenarios } from '../../corpus/scenarios.js';
import { event } from '../../dynamics/event.fixture.js';
import { addressOf } from '../../kit/hash.js';
import { referencePolicy } from '../../rollout/agents/reference.js';
import { scenarioFacts, sourceOf } from '../../rollout/outside.js';
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

describe('runs in scenarios', () => {
  const task = toyTask();
  const hash = addressOf(task);
  const outage = event('outage', {
    source: 'fault',
    effect: { fault: { profile: 'P1', tool: 'get_invoice' } },
    notify: { to: 'none', discoverBy: ['get_invoice'] },
    reference: { insert: [task.reference.calls[1] as Call], from: 1, drop: 0 },
  });
  const news = event('news', {
    source: 'information',
    effect: { publish: { service: 'billing', table: 'note', set: { id: 1 }, authoritative: false } },
    notify: { to: 'environment', text: 'News.' },
  });
  const broken = event('broken', { reference: { insert: [], from: 90, drop: 1 } });
  const scenarioOf = (id: string, ...events: ScenarioEvent[]): Scenario => ({
    treadle: 'scenario/1',
    id,
    task: hash,
    taskId: task.id,
    world: task.world,
    worldId: 'w',
    seed: '1',
    events,
    reference: {
      ...task.reference,
      calls: [task.reference.calls[0] as Call, task.reference.calls[1] as Call, ...task.reference.calls.slice(1)],
    },
  });
  const [one, two, three, four] = [
    scenarioOf('one', outage),
    scenarioOf('two', outage, news),
    scenarioOf('three', broken, news),
    scenarioOf('four', news),
  ] as const;
  const keep = (): void =>
    writeScenarios(corpus, 'w', {
      settings: { seed: '1', perTask: 1, most: 1 },
      tasks: { [task.id]: hash },
      candidates: 1,
      scenarios: [one, two, three, four].map((scenario) => ({
        scenario,
        certificate: { treadle: 'certificate/1', kind: 'scenario', subject: hash, name: 'x', pass: true, findings: [] },
      })),
      refused: [],
    });
  const inside = (scenario: Scenario, ...fired: ScenarioEvent[]): Pick<Trace, 'scenario' | 'events'> => ({
    scenario: scenarioFacts({ scenario, hash: addressOf(scenario) }),
    events: fired.map(
      (own): TraceEvent => ({
        kind: 'fate',
        event: own.id,
        source: sourceOf(own),
        fate: 'fired',
        at: 0,
        calls: 1,
        touched: [],
      }),
    ),
  });
  const solvable = { atFiring: true, evidence: 'it can' };

  it('are figured by what fired: success by source, one profile, the gap to the optimum for it, and whose fault', async () => {
    vi.spyOn(corpus, 'hasWorld').mockReturnValue(true);
    keep();
    const model = { producer: { policy: 'model' as const, name: 'qwen' } };
    const run = async (change: Partial<Trace>, pass = true, verdict: Partial<Verdict> = {}): Promise<Rolled> => {
      const { trace, verdict: judged } = await rolled({ ...model, ...change }, pass);
      return { trace, verdict: { ...judged, ...verdict } };
    };
    keepTraces(corpus, 'w', [
      await rolled({ ...inside(two, outage) }),
      await run({}),
      // As in the reference's run: four calls are the optimum, and five were made.
      await run({ ...inside(one, outage), ledger: calls(5, struck) }),
      await run({ ...inside(one, outage), ledger: calls(3) }, false, { solvable }),
      // Nothing fired: three calls would have done.
      await run({ ...inside(one), ledger: calls(3) }),
      // Only what the reference met as well; the other event did not fire.
      await run({ ...inside(two, outage), ledger: calls(4) }),
      await run({ ...inside(two, outage, news), ledger: calls(4) }, false),
      // The reference of a distractor looks at it, which nobody needs to.
      await run({ ...inside(four, news), ledger: calls(4) }),
      // Nothing solves what fired.
      await run({
        ...inside(three, broken),
        ledger: calls(2, entry(0, { ok: false, error: { code: 'unknown_tool', fault: 'agent' } })),
      }),
      await run({ ...inside(one, outage) }, false, { fault: 'scenario', solvable: { ...solvable, atFiring: false } }),
      await run({ ...inside({ ...one, seed: '2' }, outage) }),
      await run({ origin: { kind: 'negative', rollout: 'r', node: 'n1', attempt: 1, from: 1 } }, false),
    ]);
    const [qwen, reference] = scoreCorpus(corpus, ['w']);
    expect(reference).toMatchObject({ producer: 'reference', runs: 0, scenarios: { runs: 1, stale: 0 } });
    expect(qwen).toMatchObject({ producer: 'qwen', runs: 1, apart: 0, dropped: 1 });
    const { success, faults, cost, ...counts } = qwen?.scenarios ?? ({} as never);
    expect(counts).toMatchObject({
      runs: 7,
      stale: 1,
      mixed: 1,
      optima: { reference: 4, solved_anew: 2, unsolved: 1 },
      failures: { policy: { value: 50, n: 2 }, scenario: { value: 50, n: 2 }, unasked: 1 },
    });
    expect(success).toMatchObject({
      all: { n: 7, value: expect.closeTo(71.43, 1) },
      sources: { fault: { value: 50, n: 4 }, distractor: { value: 50, n: 2 }, state: { value: 100, n: 1 } },
      nothing: { value: 100, n: 1 },
    });
    expect(success.sources.requirement).toMatchObject({ value: undefined, n: 0 });
    expect(faults.np).toMatchObject({ value: 100, n: 1 });
    expect(faults.profiles.P1).toMatchObject({
      tsr: { n: 3, value: expect.closeTo(66.67, 1) },
      prr: { n: 1, value: 100 },
      // Two calls over the still task's three, of 27 that are allowed.
      rc: { n: 1, value: expect.closeTo(200 / 27) },
    });
    // 1 over, 0, 0, and 1 for looking at what is no concern; the run that nothing solves is in no gap, but a correct one.
    expect(cost.costGap).toMatchObject({ n: 4, value: 0.5 });
    expect(cost.tcr).toMatchObject({ n: 7 });
    // 5 + 3 + 3 + 4 + 4 + 4 + 2 calls without the injected failure.
    expect(cost.itur).toMatchObject({ n: 24, value: expect.closeTo(100 / 24) });
  });
});

it('of no rollouts is nothing', () => expect(scoreCorpus(corpus, ['w'])).toEqual([]));
